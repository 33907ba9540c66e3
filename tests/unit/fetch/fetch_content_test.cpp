// Responses of servers that lie: each has its word, and nothing of them is in what is logged.
#include "gateway/http/body.h"
#include "tests/unit/fetch/fetch_fixture.h"

namespace fetch_content_test {

using namespace sallyport;
using namespace sallyport::fetch;
using namespace sallyport::fetch::test;
using namespace sallyport::net::test;

namespace {

std::string with_type(std::string_view fields) {
    return with_length("{}", "HTTP/1.1 200 OK\r\n" + std::string{fields});
}

std::string chunk(std::string_view data) {
    return std::string{http::ChunkSizeLine{data.size()}} + std::string{data} + "\r\n";
}

std::string const chunked = std::string{json_head} + "Transfer-Encoding: chunked\r\n\r\n";

} // namespace

TEST_CASE("a redirection is not followed, wherever it leads") {
    for (auto const* location : {"https://issuer.test/elsewhere", "http://issuer.test/",
                                 "http://169.254.169.254/latest/meta-data", "//x", "/x"}) {
        for (auto const* status : {"301", "302", "303", "307", "308"}) {
            FetchFixture fixture;
            fixture.fetch_of(with_length("{}", "HTTP/1.1 " + std::string{status}
                                                   + " Moved\r\nContent-Type: "
                                                     "application/json\r\nLocation: "
                                                   + location + "\r\n"));
            CHECK(fixture.failure() == Failure{Cause::redirected, "status " + std::string{status}});
            CHECK_FALSE(fixture.port.has_connection());
        }
    }
}

TEST_CASE("another status than 200 is a failure") {
    for (auto const* status : {"201", "202", "206", "400", "401", "404", "429", "500", "503"}) {
        FetchFixture fixture;
        fixture.fetch_of(
            with_length("{}", "HTTP/1.1 " + std::string{status}
                                  + " Something secret\r\nContent-Type: application/json\r\n"));
        CHECK(fixture.failure() == Failure{Cause::status, "status " + std::string{status}});
    }
    CHECK(cause_of("HTTP/1.1 204 No Content\r\n\r\n") == Cause::status);
    CHECK(cause_of("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n")
          == Cause::invalid_response);
}

TEST_CASE("another media type than those that were asked for is a failure") {
    for (auto const* fields :
         {"", "Content-Type: text/html\r\n", "Content-Type: application/jsonp\r\n",
          "Content-Type: application/problem+json\r\n", "Content-Type: application/jwt\r\n",
          "Content-Type: application/json; charset=utf-16\r\n", "Content-Type: json\r\n",
          "Content-Type: application/json, text/html\r\n", "Content-Type: \r\n",
          "Content-Type: application/json\r\nContent-Type: application/json\r\n"}) {
        INFO(fields);
        CHECK(cause_of(with_type(fields)) == Cause::media_type);
    }
    for (auto const* fields : {"Content-Type: Application/JSON\r\n",
                               "Content-Type: application/json;charset=UTF-8\r\n"}) {
        INFO(fields);
        CHECK(cause_of(with_type(fields)) == Cause::none);
    }
}

TEST_CASE("a compressed response is a failure") {
    for (auto const* coding : {"gzip", "br", "identity, gzip", "x"}) {
        INFO(coding);
        CHECK(cause_of(with_length("{}",
                                   std::string{json_head} + "Content-Encoding: " + coding + "\r\n"))
              == Cause::encoded);
    }
    CHECK(cause_of(with_length("{}", std::string{json_head} + "Content-Encoding: identity\r\n"))
          == Cause::none);
    CHECK(cause_of(with_length("{}", std::string{json_head}
                                         + "Content-Encoding: identity\r\nContent-Encoding: "
                                           "identity\r\n"))
          == Cause::encoded);
}

TEST_CASE("a response may be as large as the limit, and not a byte larger") {
    SECTION("with its length") {
        FetchFixture fixture;
        fixture.fetch_of(with_length(std::string(1000, 'x')));
        CHECK(fixture.body() == std::string(1000, 'x'));
        // Nothing of the body is needed to refuse it.
        CHECK(cause_of(std::string{json_head} + "Content-Length: 1001\r\n\r\n")
              == Cause::too_large);
    }
    SECTION("in chunks") {
        FetchFixture fixture;
        fixture.fetch_of(chunked + chunk(std::string(600, 'x')) + chunk(std::string(400, 'y'))
                         + "0\r\n\r\n");
        CHECK(fixture.body() == std::string(600, 'x') + std::string(400, 'y'));
        CHECK(cause_of(chunked + chunk(std::string(600, 'x')) + chunk(std::string(401, 'y')))
              == Cause::too_large);
    }
}

TEST_CASE("a response without an end is cut off at the limit") {
    FetchFixture fixture;
    fixture.start();
    fixture.accept_plain();
    fixture.respond(chunked);
    for (int i = 0; i < 1000 && !fixture.result; ++i)
        fixture.respond(chunk(std::string(100, 'x')));
    fixture.wait();
    CHECK(fixture.failure().cause == Cause::too_large);
}

TEST_CASE("a head without an end is cut off") {
    FetchFixture fixture;
    fixture.start();
    fixture.accept_plain();
    fixture.respond("HTTP/1.1 200 OK\r\n");
    for (int i = 0; i < 1000 && !fixture.result; ++i)
        fixture.respond("X-Field: " + std::string(100, 'x') + "\r\n");
    fixture.wait();
    CHECK(fixture.failure().cause == Cause::invalid_response);
}

TEST_CASE("interim responses are skipped, but not without end") {
    std::string const interim = "HTTP/1.1 103 Early Hints\r\n\r\n";
    FetchFixture fixture;
    fixture.fetch_of(interim + interim + with_length("{}"));
    CHECK(fixture.body() == "{}");
    std::string many;
    for (int i = 0; i < 11; ++i)
        many += interim;
    CHECK(cause_of(many + with_length("{}")) == Cause::invalid_response);
}

TEST_CASE("a truncated response is a failure") {
    CHECK(cause_of_cut("") == Cause::broken);
    CHECK(cause_of_cut("HTTP/1.1 200 OK\r\nContent-Ty") == Cause::broken);
    CHECK(cause_of_cut(std::string{json_head} + "Content-Length: 3\r\n\r\n{}") == Cause::broken);
    CHECK(cause_of_cut(chunked + "2\r\n{}") == Cause::broken);
    CHECK(cause_of_cut(chunked + chunk("{}")) == Cause::broken);
    CHECK(cause_of_cut(chunked + chunk("{}") + "0\r\n") == Cause::broken);
}

TEST_CASE("a response over TLS that ends without a close_notify is a failure") {
    FetchFixture fixture;
    fixture.use_tls();
    fixture.start();
    REQUIRE_FALSE(fixture.accept_tls());
    fixture.read_request();
    fixture.respond(chunked + chunk("{}"));
    run_ready(fixture.loop);
    fixture.server->abort();
    fixture.wait();
    CHECK(fixture.failure().cause == Cause::broken);
}

TEST_CASE("a response whose end is ambiguous is a failure") {
    auto const head = std::string{json_head};
    for (auto const& response :
         {head + "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
          head + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
          head + "Content-Length: +2\r\n\r\n{}", head + "Transfer-Encoding: gzip, chunked\r\n\r\n",
          head + "Transfer-Encoding: chunked\r\n\r\nzz\r\n",
          head + "Transfer-Encoding : chunked\r\n\r\n", head + "X: a\n b\r\n\r\n", head + "\r\n{}",
          std::string{"{}\r\n\r\n"}, std::string{"HTTP/2 200\r\n\r\n"}}) {
        INFO(response);
        CHECK(cause_of(response) == Cause::invalid_response);
    }
}

TEST_CASE("bytes behind a complete response are not read") {
    FetchFixture fixture;
    fixture.fetch_of(with_length("{}") + with_length("{\"active\":true}"));
    CHECK(fixture.body() == "{}");
}

TEST_CASE("a response in the smallest pieces is the same response") {
    FetchFixture fixture;
    fixture.start();
    fixture.accept_plain();
    for (char const c : chunked + chunk("{\"a\":1") + chunk("}") + "0\r\nX: y\r\n\r\n") {
        fixture.respond({&c, 1});
        run_ready(fixture.loop);
    }
    fixture.wait();
    CHECK(fixture.body() == "{\"a\":1}");
}

TEST_CASE("an empty body is a body") {
    FetchFixture fixture;
    fixture.fetch_of(with_length(""));
    CHECK(fixture.body() == "");
}

TEST_CASE("a response says how long it is fresh") {
    FetchFixture fixture;
    fixture.fetch_of(
        with_length("{}", std::string{json_head} + "Cache-Control: max-age=300\r\nAge: 1\r\n"));
    CHECK(std::get<Response>(*fixture.result).fresh_for == 299s);
    FetchFixture other;
    other.fetch_of(with_length("{}"));
    CHECK(std::get<Response>(*other.result).fresh_for == std::nullopt);
}

TEST_CASE("a server may respond before it has read the request") {
    FetchFixture fixture;
    Request request;
    request.method = Request::Method::post;
    std::string const large(std::size_t{8} << 20, 'x');
    request.body = config::Secret{large};
    fixture.start(std::move(request));
    fixture.server = std::make_unique<net::PlainStream>(fixture.accept(), net::Peer{});
    fixture.respond(with_length("{}", "HTTP/1.1 413 Too Large\r\nContent-Type: "
                                      "application/json\r\n"));
    fixture.server->close();
    fixture.wait();
    // The reset may discard the response.
    CHECK((fixture.failure().cause == Cause::status || fixture.failure().cause == Cause::broken));
}

} // namespace fetch_content_test

// A connection from its first byte to its last: each request has one response and one line of the
// log, whatever the outcome.
#include "tests/unit/serve/serve_harness.h"

#include <stdexcept>

namespace serve_test {

using namespace sallyport;
using namespace sallyport::serve;
using namespace sallyport::serve::test;
using pipeline::test::Scripted;

namespace {

struct Refused {
    std::string request;
    std::string status;
    std::string reason;
    bool is_connection_kept = true;
};

std::string json_of(std::size_t size) {
    return "{\"text\":\"" + std::string(size, 'x') + "\"}";
}

} // namespace

TEST_CASE("a request that does not pass is refused with its reason, in the response and the log") {
    auto const row = GENERATE(values<Refused>({
        {"GET /v1/items/1 HTTP/1.1\r\n\r\n", "400", "bad_request", false},
        {"GET /v1/items/1 HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "400", "bad_request", false},
        {"\x16\x03\x01\r\n", "400", "bad_request", false},
        {"GET /" + std::string(20'000, 'a'), "431", "head_too_large", false},
        {"GET /elsewhere HTTP/1.1\r\nHost: a\r\n\r\n", "403", "unknown_operation"},
        {"GET /v1/items/1 HTTP/1.1\r\nHost: a\r\n\r\n", "401", "unauthenticated"},
        {"HEAD /v1/items/1 HTTP/1.1\r\nHost: a\r\n\r\n", "401", "unauthenticated"},
        {with_credential("GET /v1/others/1"), "403", "unknown_operation"},
        {with_credential("DELETE /v1/items/1"), "405", "method_not_allowed"},
        {with_credential("GET /v1/items/1?limit=11"), "400", "bad_parameter"},
        {put_json("{\"a\":\"b\"}"), "400", "contract_violation"},
        {put_json("{\"a\":"), "400", "malformed_body"},
        {with_credential("PUT /v1/items/1", "Content-Type: application/json\r\nContent-Length: "
                                            "300000\r\n"),
         "413", "body_too_large", false},
        {with_credential("PUT /v1/items/1", "Content-Type: text/plain\r\nContent-Length: 1\r\n")
             + "x",
         "415", "unsupported_media_type"},
        {with_credential("PUT /v1/items/1", "Content-Type: application/json\r\nContent-Length: "
                                            "1\r\nExpect: more\r\n"),
         "417", "expectation_failed", false},
        {with_credential("POST /v1/items/1", "Content-Type: application/octet-stream\r\n"
                                             "Transfer-Encoding: chunked\r\n")
             + "0\r\n\r\n",
         "400", "malformed_body"},
    }));
    CAPTURE(row.request.substr(0, 100), row.reason);
    ServeFixture test;
    auto const sent = test.exchange(row.request);
    CHECK(count_responses(sent, "") == 1);
    CHECK(count_responses(sent, row.status) == 1);
    if (!row.request.starts_with("HEAD"))
        CHECK(sent.find("\"reason\":\"" + row.reason + "\"") != std::string::npos);
    CHECK((sent.find("Connection: close") == std::string::npos) == row.is_connection_kept);
    REQUIRE(test.log().size() == 1);
    CHECK(test.has_logged("\"status\":" + row.status));
    CHECK(test.has_logged("\"reason\":\"" + row.reason + "\""));
    CHECK(test.pool->asked().empty());
    CHECK(test.control_text().find("internal_error") == std::string::npos);
    CHECK(test.client->ending() == MemoryStream::Ending::shut_down);
}

TEST_CASE("a slow head is refused, and a silent client is not logged") {
    ServeFixture test{{.limits = "{ head_time: 60ms, idle: 60ms }"}};
    auto& client = test.connect();
    SECTION("a part of a head") {
        client.receive("GET / HTTP/1.1\r\n");
        test.wait_for_end();
        CHECK(count_responses(client.sent(), "408") == 1);
        CHECK(test.has_logged("\"reason\":\"timeout\""));
    }
    SECTION("nothing at all") {
        test.wait_for_end();
        CHECK(client.sent().empty());
        CHECK(test.log().empty());
    }
    SECTION("nothing behind a request") {
        test.pool->add().receive(fine);
        client.receive(put_json("{}"));
        test.wait_for_end();
        CHECK(count_responses(client.sent(), "") == 1);
        CHECK(test.log().size() == 1);
    }
}

TEST_CASE("a client that disconnects within its head has a log line, and no response") {
    ServeFixture test;
    auto& client = test.connect();
    client.receive("GET / HTTP/1.1\r\n").receive_end();
    test.wait_for_end();
    CHECK(client.sent().empty());
    CHECK(test.has_logged("\"status\":0"));
    CHECK(test.has_logged("\"reason\":\"client_closed\""));
}

TEST_CASE("requests follow each other on a connection, each with a line of its own") {
    ServeFixture test;
    for (int i = 0; i < 3; ++i)
        test.pool->add().receive(fine);
    SECTION("one after the other") {
        auto& client = test.connect();
        for (int i = 0; i < 3; ++i) {
            client.receive(put_json("{\"a\":1}"));
            run_ready(test.worker.loop);
        }
        client.receive_end();
        test.wait_for_end();
    }
    SECTION("all at once") {
        test.exchange(put_json("{}") + with_credential("GET /v1/items/2?limit=1")
                      + put_json("{\"a\":3}"));
    }
    CHECK(count_responses(test.client->sent(), "200 OK") == 3);
    CHECK(test.log().size() == 3);
    CHECK(test.has_logged("\"credential\":\"tester\""));
    CHECK(test.has_logged("\"operation\":\"putItem\""));
    CHECK(test.has_logged("\"reason\":null"));
    CHECK(test.pool->kept() == 3);
    CHECK(test.client->ending() == MemoryStream::Ending::shut_down);
}

TEST_CASE("a checked body reaches its upstream unchanged") {
    ServeFixture test;
    auto& upstream = test.pool->add();
    upstream.receive(fine);
    SECTION("requested") {
        auto& client = test.connect();
        client.receive(with_credential("PUT /v1/items/1",
                                       "Content-Type: application/json\r\nContent-Length: 9\r\n"
                                       "Expect: 100-continue\r\n"));
        run_ready(test.worker.loop);
        CHECK(client.sent() == "HTTP/1.1 100 Continue\r\n\r\n");
        client.receive("{\"a\": 12}");
        run_ready(test.worker.loop);
        client.receive_end();
        test.wait_for_end();
        CHECK(upstream.sent().ends_with("\r\n\r\n{\"a\": 12}"));
    }
    SECTION("longer than there is room behind its head") {
        auto const body = json_of(100'000);
        test.exchange(put_json(body));
        CHECK(upstream.sent().ends_with("\r\n\r\n" + body));
    }
    SECTION("in chunks") {
        test.exchange(with_credential("PUT /v1/items/1", "Content-Type: application/json\r\n"
                                                         "Transfer-Encoding: chunked\r\n")
                      + sallyport::test::chunked("{\"a\": 12}", 4));
        CHECK(upstream.sent().ends_with("\r\n\r\n{\"a\": 12}"));
    }
    SECTION("compressed, which is taken off") {
        auto const coded = sallyport::test::compress("{\"a\": 12}", sallyport::test::Coding::gzip);
        test.exchange(put_json(coded, "/v1/items/1", "Content-Encoding: gzip\r\n"));
        CHECK(upstream.sent().ends_with("\r\n\r\n{\"a\": 12}"));
        CHECK(upstream.sent().find("Content-Encoding") == std::string::npos);
    }
    CHECK(test.has_logged("\"status\":200"));
    CHECK(test.budget.used() == 0);
}

TEST_CASE("a streamed body reaches its upstream in parts") {
    ServeFixture test;
    auto& upstream = test.pool->add();
    upstream.receive("HTTP/1.1 204 No Content\r\n\r\n");
    std::string const body(200'000, 'z');
    test.connect();
    test.client->receive("PUT /files/a HTTP/1.1\r\nHost: a\r\nContent-Length: 200000\r\n\r\n");
    test.client->receive_in_pieces(body, 30'000);
    run_until(test.worker.loop, [&] { return !test.log().empty(); });
    test.client->receive_end();
    test.wait_for_end();
    CHECK(upstream.sent().ends_with("\r\n\r\n" + body));
    CHECK(count_responses(test.client->sent(), "204") == 1);
}

TEST_CASE("the gateway responds to an OPTIONS that must not be forwarded") {
    ServeFixture test;
    SECTION("without a contract") {
        auto const sent =
            test.exchange("OPTIONS /files/a HTTP/1.1\r\nHost: a\r\nMax-Forwards: 0\r\n\r\n");
        CHECK(count_responses(sent, "200") == 1);
        CHECK(sent.find("\r\nAllow: GET, PUT, OPTIONS\r\n") != std::string::npos);
    }
    SECTION("to a disconnected client") {
        auto& client = test.connect();
        client.fail_at(client.operations() + 2, net::asio::error::broken_pipe);
        client.receive("OPTIONS /files/a HTTP/1.1\r\nHost: a\r\nMax-Forwards: 0\r\n\r\n");
        test.wait_for_end();
        CHECK(client.ending() == MemoryStream::Ending::aborted);
    }
    CHECK(test.pool->asked().empty());
}

TEST_CASE("if every request must be logged none passes without space for its line") {
    // Reserved space for one line, and no more.
    ServeFixture test{{.access_log = "{ output: access.log, when_full: refuse }"},
                      2 * observe::LogRing::reserved_line};
    test.pool->add().receive(fine);
    test.exchange(put_json("{\"a\":1}"));
    CHECK(count_responses(test.client->sent(), "200") == 1);
    while (test.ring.reserve()) {
    }
    auto const sent = test.exchange(put_json("{\"a\":1}"));
    CHECK(count_responses(sent, "503") == 1);
    CHECK(sent.find("\"reason\":\"overloaded\"") != std::string::npos);
    CHECK(sent.find("\r\nRetry-After: 1\r\n") != std::string::npos);
    CHECK(test.pool->asked().size() == 1);
}

TEST_CASE("a body without memory for it is refused as overloaded") {
    ServeFixture test{{}, 1UL << 20, 4096};
    std::string request;
    SECTION("of known length") {
        request = put_json(json_of(8000));
    }
    SECTION("longer than there is room behind its head") {
        request = put_json(json_of(100'000));
    }
    SECTION("in chunks") {
        request = with_credential("PUT /v1/items/1", "Content-Type: application/json\r\n"
                                                     "Transfer-Encoding: chunked\r\n")
                  + sallyport::test::chunked(json_of(20'000), 1000);
    }
    SECTION("larger than it is sent") {
        auto const coded =
            sallyport::test::compress(json_of(100'000), sallyport::test::Coding::gzip);
        request = put_json(coded, "/v1/items/1", "Content-Encoding: gzip\r\n");
    }
    auto const sent = test.exchange(request);
    CHECK(count_responses(sent, "503") == 1);
    CHECK(sent.find("\r\nRetry-After: 1\r\n") != std::string::npos);
    CHECK(test.has_logged("\"reason\":\"overloaded\""));
    CHECK(test.control_text().find("limits.buffered_bodies is used up") != std::string::npos);
    CHECK(test.budget.used() == 0);
}

TEST_CASE("an exception fails its request, and no other one") {
    ServeFixture test;
    SECTION("before anything was sent") {
        Scripted::on_check = []() -> pipeline::Verdict { throw std::runtime_error{"a bug"}; };
        auto const sent = test.exchange(put_json("{\"a\":1}"));
        CHECK(count_responses(sent, "500") == 1);
        CHECK(sent.find("a bug") == std::string::npos);
        CHECK(test.has_logged("\"reason\":\"internal_error\""));
    }
    CHECK(test.control_text().find("error internal_error") != std::string::npos);
    CHECK(test.control_text().find("a bug") != std::string::npos);
    Scripted::reset();
    test.pool->add().receive(fine);
    CHECK(count_responses(test.exchange(put_json("{\"a\":1}")), "200") == 1);
}

TEST_CASE("a check that waits for a fact is repeated") {
    ServeFixture test;
    Scripted::on_check = [] { return pipeline::Verdict::missing(); };
    auto const is_body_read = GENERATE(false, true);
    auto const request = is_body_read ? put_json("{\"a\":1}") : with_credential("GET /v1/items/1");
    SECTION("and passes") {
        Scripted::on_learn = [] { return pipeline::Verdict::pass(); };
        test.pool->add().receive(fine);
        CHECK(count_responses(test.exchange(request), "200") == 1);
    }
    SECTION("and does not") {
        Scripted::on_learn = [] {
            return pipeline::Verdict::deny(pipeline::Reason::rate_limited, "too often");
        };
        CHECK(count_responses(test.exchange(request), "429") == 1);
    }
    SECTION("and breaks") {
        Scripted::on_learn = []() -> pipeline::Verdict { throw std::runtime_error{"a bug"}; };
        CHECK(count_responses(test.exchange(request), "500") == 1);
    }
}

TEST_CASE("a draining connection ends after its exchange") {
    ServeFixture test;
    SECTION("one that waits") {
        test.connect();
        run_ready(test.worker.loop);
        test.connection->stop_after_exchange();
        test.wait_for_end();
        CHECK(test.client->sent().empty());
    }
    SECTION("one that is served") {
        auto& upstream = test.pool->add();
        test.connect();
        test.client->receive(put_json("{\"a\":1}"));
        run_ready(test.worker.loop);
        test.connection->stop_after_exchange();
        upstream.receive(fine);
        test.wait_for_end();
        CHECK(count_responses(test.client->sent(), "200") == 1);
        CHECK(test.client->sent().find("\r\nConnection: close\r\n") != std::string::npos);
    }
    SECTION("one that comes later") {
        test.worker.draining = true;
        test.pool->add().receive(fine);
        CHECK(test.exchange(put_json("{\"a\":1}")).find("\r\nConnection: close\r\n")
              != std::string::npos);
    }
    SECTION("one whose listener is removed within its handshake") {
        test.pool->add().receive(fine);
        auto memory = std::make_unique<MemoryStream>(test.worker.loop);
        test.client = memory.get();
        test.connection = std::make_shared<Connection>(test.worker, std::move(memory),
                                                       pipeline::ClientConnection{});
        test.connection->leave(1h);
        test.has_ended = false;
        net::test::start(test.worker.loop, serve_connection(test.connection), &test.has_ended);
        test.client->receive(put_json("{\"a\":1}"));
        test.wait_for_end();
        CHECK(test.client->sent().find("\r\nConnection: close\r\n") != std::string::npos);
    }
    CHECK(test.client->ending() == MemoryStream::Ending::shut_down);
}

TEST_CASE("a request that arrives as the time of its idle connection ends is served") {
    ServeFixture test;
    test.pool->add().receive(fine);
    test.connect();
    run_ready(test.worker.loop);
    if (GENERATE(false, true)) test.connection->stop_after_exchange();
    test.client->interrupt(); // as the deadline does
    test.client->receive(put_json("{\"a\":1}"));
    run_ready(test.worker.loop);
    test.client->receive_end();
    test.wait_for_end();
    CHECK(count_responses(test.client->sent(), "200") == 1);
}

TEST_CASE("an exchange is cut off and logged when its worker stops") {
    ServeFixture test;
    auto& upstream = test.pool->add();
    upstream.receive("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart");
    auto& client = test.connect();
    client.receive(put_json("{\"a\":1}"));
    run_ready(test.worker.loop);
    REQUIRE_FALSE(test.has_ended);
    test.worker.loop.end();
    CHECK(client.ending() == MemoryStream::Ending::aborted);
    CHECK(test.has_logged("\"reason\":\"draining\""));
    CHECK(test.has_logged("\"status\":200"));
}

} // namespace serve_test

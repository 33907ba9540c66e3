// The lines of the access log: their fields, where they go, and the bodies in them.
#include "tests/end_to_end/stage.h"

#include "tests/support/http2_client.h"
#include "tests/support/log_members.h"

#include <catch2/catch.hpp>

#include <sys/stat.h>

namespace e09_access_log {

using namespace sallyport::test;
using namespace std::chrono_literals;
using namespace std::string_literals;

namespace {

Outgoing settings(std::string_view body) {
    return request_for("updatePipeSettings").body(body);
}

} // namespace

TEST_CASE("a line has every field of the list, in order, and no others") {
    Stage stage;
    auto const response = stage.send(request_for("updatePipeSettings"));
    auto const line = stage.log_of(response);
    CHECK(line.names() == log_members);
    auto const time = line.text("time");
    REQUIRE(time.size() == 24); // 2026-01-31T23:59:59.123Z
    CHECK(time[10] == 'T');
    CHECK(time[19] == '.');
    CHECK(time[23] == 'Z');
    CHECK(line["tls"].names() == std::vector<std::string>{"version", "cipher", "resumed", "group"});
    CHECK(line["tls"].text("group").size() > 0);
    CHECK(line.text("client").substr(0, 9) == "127.0.0.1");
    CHECK(line.text("protocol") == "HTTP/1.1");
    CHECK(line.text("upstream").find("http://127.0.0.1:") == 0);
    CHECK(line["bytes_in"].number > 0);
    CHECK(line["bytes_out"].number > 0);
    CHECK(line["duration_us"].number >= line["upstream_total_us"].number);
    CHECK(line["validate_us"].kind == Json::Kind::number);
    CHECK(line["auth_us"].kind == Json::Kind::number);
    CHECK(line["upstream_first_byte_us"].kind == Json::Kind::number);
    CHECK(line["request_body"].is_null());
    CHECK(line["response_body"].is_null());
    CHECK(line["query"].is_null());
    CHECK(line.text("listener") == "public");
    CHECK(line.text("host") == "localhost");
    CHECK(line["client_request_id"].is_null());
    CHECK(line["trace_id"].is_null());
    stage.finish();
}

TEST_CASE("a line has the client's user agent, request id and trace") {
    Stage stage;
    std::string const trace = "0af7651916cd43dd8448eb211c80319c";
    auto const line =
        stage.log_of(stage.send(request_for("getPipe")
                                    .add("USER-AGENT", "tool/1 (\"quoted\")")
                                    .add("X-Request-ID", "theirs-" + std::string(200, 'x'))
                                    .add("TraceParent", "00-" + trace + "-b7ad6b7169203331-01")));
    CHECK(line.text("user_agent") == "tool/1 (\"quoted\")");
    CHECK(line.text("client_request_id") == "theirs-" + std::string(121, 'x') + "[...]");
    CHECK(line.text("trace_id") == trace);
    auto const refused = stage.log_of(stage.send(
        Outgoing{"GET", "/nothing/here"}.set("Host", "localhost").add("User-Agent", "x")));
    CHECK(refused.text("user_agent") == "x");
    CHECK(refused.text("host") == "localhost");
    // Two trace headers count as none.
    auto const twice =
        stage.log_of(stage.send(request_for("getPipe")
                                    .add("traceparent", "00-" + trace + "-b7ad6b7169203331-01")
                                    .add("traceparent", "00-" + trace + "-b7ad6b7169203331-01")));
    CHECK(twice["trace_id"].is_null());
    stage.finish();
}

TEST_CASE("the access log is readable by its group at most, and numbered without gaps") {
    Stage stage;
    RawClient client{stage.port()};
    for (int index = 0; index < 20; ++index)
        client.exchange(request_for("getPipe").text());
    auto const lines = stage.gateway.wait_for_log_lines(20);
    for (std::size_t index = 1; index < lines.size(); ++index)
        CHECK(lines[index]["seq"].number == lines[index - 1]["seq"].number + 1);
    struct stat status {};
    REQUIRE(::stat(stage.gateway.access_log().c_str(), &status) == 0);
    CHECK((status.st_mode & 0777U) == 0640U);
    stage.finish();
}

TEST_CASE("the log may go to standard output") {
    Stage stage{
        {}, [](Configuration& configuration) { configuration.access_log = "  output: stdout\n"; }};
    auto const id = stage.send(request_for("getPipe")).fields.one("X-Request-Id");
    CHECK(stage.gateway.stop() == 0);
    auto const output = stage.gateway.standard_output();
    CHECK(Json::parse(output.substr(0, output.find('\n'))).text("request_id") == id);
}

TEST_CASE("a request that could not be parsed has its line too") {
    Stage stage;
    RawClient client{stage.port()};
    client.send("garbage\r\n\r\n");
    auto const response = client.read_response();
    CHECK(response.status == 400);
    auto const line = stage.log_of(response);
    CHECK(line.text("reason") == "bad_request");
    CHECK(line["api"].is_null());
    stage.finish();
}

TEST_CASE("the path of an absolute target without one is / (RFC 9110, 4.2.3)") {
    Stage stage{{}, [](Configuration& configuration) {
                    configuration.apis = api_yaml("management", "hosts: [localhost]")
                                         + api_yaml("observability", "hosts: [localhost]")
                                         + "  other: { hosts: [other.example], paths: [/], "
                                           "upstream: management, authenticate: [anonymous] }\n";
                }};
    auto const line_of = [&stage](std::string const& authority, std::string const& host) {
        RawClient client{stage.port()};
        client.send("GET http://" + authority + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
        return stage.log_of(client.read_response());
    };
    auto const forwarded = line_of("other.example", "other.example");
    CHECK(forwarded.text("status") == "200");
    CHECK(forwarded.text("path") == "/");
    CHECK(stage.upstream.request(0).target == "/");
    // Of no API.
    for (std::string const authority : {"localhost", "localhost?a=b"}) {
        auto const line = line_of(authority, "localhost");
        CHECK(line.text("reason") == "unknown_operation");
        CHECK(line.text("path") == "/");
    }
    // Of a target that was not parsed to its end nothing is known.
    CHECK(line_of("user:password@localhost", "localhost")["path"].is_null());
    stage.finish();
}

TEST_CASE("bodies are logged only if configured") {
    std::string const body = R"({"marker":"find-me"})";
    auto const with_bodies = [](std::string requests, std::string responses) {
        return [=](Configuration& configuration) {
            configuration.access_log = "  output: access.log\n  bodies: { requests: " + requests
                                       + ", responses: " + responses + " }\n";
        };
    };
    auto const refused_body = R"({"db_max_threads":65,"marker":"find-me"})";
    SECTION("none") {
        Stage stage;
        stage.log_of(stage.send(settings(body)));
        stage.log_of(stage.send(settings(refused_body)));
        CHECK(stage.gateway.stop() == 0);
        CHECK(stage.gateway.every_written_byte().find("find-me") == std::string::npos);
    }
    SECTION("errors") {
        Stage stage{{}, with_bodies("errors", "errors")};
        CHECK(stage.log_of(stage.send(settings(body)))["request_body"].is_null());
        auto const line = stage.log_of(stage.send(settings(refused_body)));
        CHECK(line["request_body"].text("marker") == "find-me");
        stage.upstream.respond_with([](UpstreamExchange& exchange) {
            exchange.send(response_text(R"({"error":"NO: x"})", 400));
        });
        auto const failed = stage.log_of(stage.send(settings(body)));
        CHECK(failed["request_body"].text("marker") == "find-me");
        // The bytes of an unparsable head are not a body.
        RawClient client{stage.port()};
        client.send("GET / HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n");
        CHECK(stage.log_of(client.read_response())["request_body"].is_null());
        CHECK(failed["response_body"].text("error") == "NO: x");
        stage.finish();
    }
    SECTION("all") {
        Stage stage{{}, with_bodies("all", "none")};
        auto const line = stage.log_of(stage.send(settings(body)));
        CHECK(line["request_body"].text("marker") == "find-me");
        CHECK(line["response_body"].is_null());
        stage.finish();
    }
}

TEST_CASE("the wait for the rest of a refused upload is not counted as time of the request") {
    Stage stage;
    auto const upload = "PUT /api/v2/dashboards/d-17 HTTP/1.1\r\nHost: localhost\r\n"
                        "Content-Type: application/json\r\nContent-Length: 10\r\n\r\n"s;
    SECTION("over HTTP/1.1") {
        RawClient client{stage.port()};
        client.send(upload);
        CHECK(client.read_response().status == 401);
        CHECK(client.is_silent_for(1s));
        client.send("0123456789");
        CHECK(client.exchange(request_for("getPipe").text()).status == 200);
    }
    SECTION("over HTTP/2, for a second") {
        Http2Client client{stage.port()};
        auto const stream = client.next_stream();
        client.send(http2::headers(stream,
                                   http2::block_of({{":method", "PUT"},
                                                    {":scheme", "https"},
                                                    {":authority", "localhost"},
                                                    {":path", "/api/v2/dashboards/d-17"},
                                                    {"content-type", "application/json"},
                                                    {"content-length", "10"}}),
                                   http2::flag::end_headers));
        client.wait_until([&] { return client.stream(stream).reset.has_value(); }, "the end");
        CHECK(client.stream(stream).message.status == 401);
    }
    auto const line = stage.gateway.wait_for_log_lines(1)[0];
    CHECK(line.text("status") == "401");
    CHECK(line["duration_us"].number < 900'000);
    stage.finish();
}

} // namespace e09_access_log

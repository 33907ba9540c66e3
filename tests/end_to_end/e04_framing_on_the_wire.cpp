// Smuggling on real connections: ambiguous requests are refused and the connection closed, and the
// upstream never gets a second request.
#include "tests/end_to_end/expectations.h"
#include "tests/end_to_end/stage.h"

#include "tests/support/encodings.h"

#include <catch2/catch.hpp>

namespace e04_framing_on_the_wire {

using namespace sallyport::test;

namespace {

std::string const smuggled = "DELETE /v1/smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n";

std::string const authorization = "Authorization: " + basic(administrator) + "\r\n";

// A request for the settings with these lines between Host and the empty line, and these bytes
// after it.
std::string put(std::string const& lines, std::string const& rest = smuggled) {
    return "PUT " + operation("updatePipeSettings").target + " HTTP/1.1\r\nHost: localhost\r\n"
           + authorization + "Content-Type: application/json\r\n" + lines + "\r\n" + rest;
}

std::string get(std::string const& lines, std::string const& rest = smuggled) {
    return "GET " + operation("getPipe").target + " HTTP/1.1\r\nHost: localhost\r\n" + authorization
           + lines + "\r\n" + rest;
}

std::string with_request_line(std::string const& line) {
    return line + "\r\nHost: localhost\r\n" + authorization + "\r\n" + smuggled;
}

struct Attempt {
    std::string name;
    std::string bytes;
    int status = 400;
    std::string reason = "bad_request";
};

// The connection gets one refusal, is closed, and nothing reached the upstream.
void check_refused_and_closed(Stage const& stage, Attempt const& attempt) {
    CAPTURE(attempt.name);
    auto const connections = stage.upstream.connections();
    RawClient client{stage.port()};
    client.try_send(attempt.bytes);
    auto const response = client.read_response();
    check_problem(response, refused(attempt.status, attempt.reason));
    CHECK(response.fields.find("Connection") == "close");
    CHECK(client.read_to_end() == End::orderly);
    CHECK(client.unread().empty()); // not a second response
    CHECK(stage.log_of(response).text("reason") == attempt.reason);
    CHECK(stage.upstream.connections() == connections);
}

std::vector<Attempt> ambiguous_lengths() {
    return {
        {"both lengths",
         put("Content-Length: 2\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n" + smuggled)},
        {"both lengths, the other order",
         put("Transfer-Encoding: chunked\r\nContent-Length: 2\r\n", "0\r\n\r\n" + smuggled)},
        {"chunked twice", put("Transfer-Encoding: chunked, chunked\r\n", "0\r\n\r\n" + smuggled)},
        {"chunked in two lines", put("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
                                     "0\r\n\r\n" + smuggled)},
        {"gzip, chunked", put("Transfer-Encoding: gzip, chunked\r\n", "0\r\n\r\n" + smuggled)},
        {"chunked, identity",
         put("Transfer-Encoding: chunked, identity\r\n", "0\r\n\r\n" + smuggled)},
        {"gzip alone", put("Transfer-Encoding: gzip\r\n")},
        {"identity alone", put("Transfer-Encoding: identity\r\n")},
        {"quoted", put("Transfer-Encoding: \"chunked\"\r\n")},
        {"empty coding", put("Transfer-Encoding:\r\n")},
        {"coding with a parameter", put("Transfer-Encoding: chunked;a=b\r\n", "0\r\n\r\n")},
        {"coding with a vertical tab", put("Transfer-Encoding: \vchunked\r\n", "0\r\n\r\n")},
        {"white space before the colon", put("Transfer-Encoding : chunked\r\n", "0\r\n\r\n")},
        {"two lengths that differ", put("Content-Length: 2\r\nContent-Length: 3\r\n", "{} ")},
        {"two lengths that agree", put("Content-Length: 2\r\nContent-Length: 2\r\n", "{}")},
        {"a list of lengths", put("Content-Length: 2, 2\r\n", "{}")},
        {"a signed length", put("Content-Length: +2\r\n", "{}")},
        {"a negative length", put("Content-Length: -2\r\n", "{}")},
        {"a hexadecimal length", put("Content-Length: 0x2\r\n", "{}")},
        {"a length with a space", put("Content-Length: 1 0\r\n", "{}")},
        {"an empty length", put("Content-Length:\r\n", "{}")},
        {"a length beyond 64 bits", put("Content-Length: 18446744073709551618\r\n", "{}")},
        {"a name that shadows", put("Content_Length: 2\r\n", "{}")},
        {"another name that shadows", put("Transfer_Encoding: chunked\r\n", "0\r\n\r\n")},
        {"obs-fold", get("X-A: b\r\n c\r\n")},
        {"obs-fold of a length", put("Content-Length:\r\n 2\r\n", "{}")},
        {"HTTP/1.0 with chunked",
         "PUT " + operation("updatePipeSettings").target
             + " HTTP/1.0\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
    };
}

std::vector<Attempt> malformed_heads() {
    std::string const nul(1, '\0');
    return {
        {"bare line feeds", "GET / HTTP/1.1\nHost: localhost\n\n" + smuggled},
        {"bare line feed after a field", get("X-A: b\nX-B: c\r\n")},
        {"bare carriage return", get("X-A: b\rX-B: c\r\n")},
        {"NUL in a value", get("X-A: b" + nul + "c\r\n")},
        {"control character in a value", get("X-A: b\x01\r\n")},
        {"delete in a value", get("X-A: b\x7f\r\n")},
        {"empty name", get(": b\r\n")},
        {"no colon", get("no colon here\r\n")},
        {"a name that is no token", get("X(A): b\r\n")},
        {"two hosts", get("Host: localhost\r\n")},
        {"no host", "GET / HTTP/1.1\r\n\r\n" + smuggled},
        {"an empty host", "GET / HTTP/1.1\r\nHost:\r\n\r\n" + smuggled},
        {"a host with userinfo", "GET / HTTP/1.1\r\nHost: a@localhost\r\n\r\n" + smuggled},
        {"a host with a path", "GET / HTTP/1.1\r\nHost: localhost/x\r\n\r\n" + smuggled},
        {"a list of hosts", "GET / HTTP/1.1\r\nHost: a, b\r\n\r\n" + smuggled},
        {"an invalid port", "GET / HTTP/1.1\r\nHost: localhost:port\r\n\r\n" + smuggled},
        {"another host in the target", with_request_line("GET http://other/ HTTP/1.1")},
        {"userinfo in the target", with_request_line("GET http://a:b@localhost/ HTTP/1.1")},
        {"asterisk", with_request_line("OPTIONS * HTTP/1.1")},
        {"CONNECT", with_request_line("CONNECT localhost:443 HTTP/1.1")},
        {"a target that is no path", with_request_line("GET v1/x HTTP/1.1")},
        {"two spaces", with_request_line("GET  / HTTP/1.1")},
        {"a tab", with_request_line("GET\t/ HTTP/1.1")},
        {"a space in the target", with_request_line("GET /v1/a b HTTP/1.1")},
        {"no version", with_request_line("GET /")},
        {"HTTP/0.9", "GET /\r\n\r\n" + smuggled},
        {"HTTP/2.0", with_request_line("GET / HTTP/2.0")},
        {"HTTP/1.11", with_request_line("GET / HTTP/1.11")},
        {"a version in small letters", with_request_line("GET / http/1.1")},
        {"a method that is no token", with_request_line("GE(T / HTTP/1.1")},
        {"the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"},
        {"dot segments", with_request_line("GET /v1/../v1/x HTTP/1.1")},
        {"encoded dot segments", with_request_line("GET /v1/%2e%2E/x HTTP/1.1")},
        {"encoded slash", with_request_line("GET /v1%2Fx HTTP/1.1")},
        {"two slashes", with_request_line("GET /v1//x HTTP/1.1")},
        {"backslash", with_request_line("GET /v1\\x HTTP/1.1")},
        {"path parameter", with_request_line("GET /v1/x;a=b HTTP/1.1")},
        {"bad escape", with_request_line("GET /v1/%zz HTTP/1.1")},
        {"encoded NUL", with_request_line("GET /v1/%00 HTTP/1.1")},
        {"encoded line end", with_request_line("GET /v1/%0d%0a HTTP/1.1")},
        {"encoded question mark", with_request_line("GET /v1/x%3Fa HTTP/1.1")},
        {"fragment", with_request_line("GET /v1/x#f HTTP/1.1")},
        {"raw bytes beyond ASCII", with_request_line("GET /v1/\xc3\xbc HTTP/1.1")},
        {"TLS instead of HTTP", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n"},
        {"an unknown expectation", get("Expect: the-spanish-inquisition\r\n"), 417,
         "expectation_failed"},
        {"a line beyond the limit of the head", get("X-A: " + std::string(17'000, 'a') + "\r\n"), 431,
         "head_too_large"},
    };
}

std::vector<Attempt> broken_chunks() {
    auto const chunks = [](std::string const& body) {
        return put("Transfer-Encoding: chunked\r\n", body);
    };
    return {
        {"no size", chunks("\r\n{}\r\n0\r\n\r\n")},
        {"a size that is no number", chunks("x\r\n{}\r\n0\r\n\r\n")},
        {"a signed size", chunks("+2\r\n{}\r\n0\r\n\r\n")},
        {"a size with 0x", chunks("0x2\r\n{}\r\n0\r\n\r\n")},
        {"a size beyond 64 bits", chunks("10000000000000002\r\n{}\r\n0\r\n\r\n")},
        {"a bare line feed after the size", chunks("2\n{}\r\n0\r\n\r\n")},
        {"data that is longer than its size", chunks("2\r\n{} \r\n0\r\n\r\n")},
        {"a bare line feed after the data", chunks("2\r\n{}\n0\r\n\r\n")},
        {"a line feed within an extension", chunks("2;a=\"\n\"\r\n{}\r\n0\r\n\r\n")},
        {"a size line without end", chunks("2;" + std::string(6000, 'a'))},
        {"trailers without end", chunks("2\r\n{}\r\n0\r\nX-A: " + std::string(10'000, 'a'))},
        // One of these terminated a server that trusted its parser.
        {"a trailer of 65,534 bytes",
         chunks("2\r\n{}\r\n0\r\nX-A: " + std::string(65'534, 'a') + "\r\n\r\n")},
    };
}

} // namespace

TEST_CASE("ambiguous lengths are refused, and the following bytes are never a request") {
    Stage stage;
    for (auto const& attempt : ambiguous_lengths())
        check_refused_and_closed(stage, attempt);
    CHECK(stage.upstream.connections() == 0);
    stage.finish();
}

TEST_CASE("malformed heads are refused, and the following bytes are never a request") {
    Stage stage;
    for (auto const& attempt : malformed_heads())
        check_refused_and_closed(stage, attempt);
    CHECK(stage.upstream.connections() == 0);
    stage.finish();
}

TEST_CASE("malformed chunks are refused, and the following bytes are never a request") {
    Stage stage;
    for (auto const& attempt : broken_chunks()) {
        CAPTURE(attempt.name);
        RawClient client{stage.port()};
        client.try_send(attempt.bytes);
        auto const response = client.read_response();
        CHECK(response.status == 400);
        auto const reason = Json::parse(response.body).text("reason");
        check_problem(response, refused(400, reason));
        CHECK((reason == "bad_request" || reason == "malformed_body"));
        CHECK(response.fields.find("Connection") == "close");
        CHECK(client.read_to_end() == End::orderly);
        CHECK(client.unread().empty());
    }
    CHECK(stage.upstream.connections() == 0);
    stage.finish();
}

TEST_CASE("a head beyond its limit is refused before it ends") {
    Stage stage;
    std::string head = "GET / HTTP/1.1\r\nHost: localhost\r\n";
    SECTION("many bytes") {
        for (int index = 0; head.size() < 17'000; ++index)
            head += "X-" + std::to_string(index) + ": " + std::string(1000, 'a') + "\r\n";
    }
    SECTION("many fields") {
        for (int index = 0; index < 101; ++index)
            head += "X-A: b\r\n";
        head += "\r\n";
    }
    check_refused_and_closed(stage, {"", head, 431, "head_too_large"});
    stage.finish();
}

TEST_CASE("a head at its limit passes, one byte more does not") {
    Stage stage{{}, with_limits("head: 4KiB")};
    auto const of_size = [](std::size_t size) {
        auto request = request_for("getPipe");
        auto const base = request.add("X-Fill", "").head().size();
        return request.set("X-Fill", std::string(size - base, 'a'));
    };
    CHECK(stage.send(of_size(4096)).status == 200);
    CHECK(stage.upstream.request(0).fields.find("X-Fill")->size() > 3500);
    check_problem(stage.send(of_size(4097)), refused(431, "head_too_large"));
    CHECK(stage.upstream.requests().size() == 1);
    stage.finish();
}

TEST_CASE("an empty line before a request is ignored, a second one is not") {
    Stage stage;
    RawClient client{stage.port()};
    CHECK(client.exchange("\r\n" + request_for("getPipe").text()).status == 200);
    client.send("\r\n\r\n" + request_for("getPipe").text());
    check_problem(client.read_response(), refused(400, "bad_request"));
    stage.finish();
}

TEST_CASE("an absolute target whose authority is the host passes as a path") {
    Stage stage;
    auto request = request_for("getPipe");
    CHECK(stage.send(request.target("https://localhost" + operation("getPipe").target)).status
          == 200);
    CHECK(stage.upstream.request(0).target == operation("getPipe").target);
    stage.finish();
}

TEST_CASE("trailers are dropped and are never fields") {
    Stage stage;
    auto const body = operation("updatePipeSettings").body;
    auto request = request_for("updatePipeSettings");
    request.chunked_body(body, 1000).without("Authorization");
    auto const chunks = chunked(body, 1000);
    request.bytes(chunks.substr(0, chunks.size() - 2) + "Authorization: " + basic(administrator)
                  + "\r\nHost: other\r\nX-Trailer: t\r\n\r\n");
    CHECK(stage.send(request).status == 401);
    request.authorization(basic(administrator));
    CHECK(stage.send(request).status == 200);
    auto const seen = stage.upstream.request(0);
    CHECK(seen.body == body);
    CHECK(seen.raw.find("X-Trailer") == std::string::npos);
    CHECK(seen.fields.count("Host") == 1);
    CHECK(seen.fields.one("X-Forwarded-Host") == "localhost");
    stage.finish();
}

TEST_CASE("after an early refusal the unread body is never read as a request") {
    Stage stage;
    auto const inner = request_for("getPipe").text();
    // Unauthorized, with a body that is a complete request of an authorized caller.
    auto request = request_for("updatePipeSettings").without("Authorization").body(inner);
    RawClient client{stage.port()};
    client.send(request.text());
    check_problem(client.read_response(), unauthenticated_basic());
    // Draining and closing are both correct; a response to the body is not.
    client.try_send(request_for("listAlerts").set("Connection", "close").text());
    client.read_to_end();
    CHECK(client.unread().find(operation("getPipe").target) == std::string::npos);
    for (auto const& seen : stage.upstream.requests())
        CHECK(seen.target == operation("listAlerts").target);
    stage.finish();
}

TEST_CASE("a request received byte by byte is the same request") {
    Stage stage;
    RawClient client{stage.port()};
    client.send_in_pieces(request_for("updatePipeSettings").text(), 1);
    CHECK(client.read_response().status == 200);
    CHECK(stage.upstream.request(0).body == operation("updatePipeSettings").body);
    stage.finish();
}

TEST_CASE("HTTP/1.0 gets a response and is closed") {
    Stage stage;
    RawClient client{stage.port()};
    client.send("GET " + operation("getPipe").target + " HTTP/1.0\r\nHost: localhost\r\n"
                + authorization + "\r\n");
    CHECK(client.read_response().status == 200);
    CHECK(client.read_to_end() == End::orderly);
    CHECK(stage.upstream.requests().size() == 1);
    stage.finish();
}

} // namespace e04_framing_on_the_wire

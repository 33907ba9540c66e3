// Fields behind bodies that pass, in both directions and both versions (`x-trailers`).
#include "tests/end_to_end/stage.h"
#include "tests/support/admin.h"
#include "tests/support/event.h"
#include "tests/support/http2_client.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

namespace e66_trailers {

using namespace sallyport::test;

namespace {

constexpr std::string_view document = R"yaml(openapi: 3.1.0
info: { title: T, version: "1" }
paths:
  /v1/items:
    post:
      operationId: addItem
      x-trailers: forward
      parameters: [ { name: X-Signature, in: header, schema: { type: string, maxLength: 4 } } ]
      requestBody: { content: { application/json: { schema: { type: object } } } }
      responses: { "200": { description: done } }
    get:
      operationId: getItems
      x-trailers: forward
      responses: { "200": { description: items } }
    head: { operationId: headItems, x-trailers: forward, responses: { "200": { description: no } } }
  /v1/raw:
    put:
      operationId: putRaw
      x-trailers: forward
      requestBody: { content: { application/octet-stream: {} } }
      responses: { "200": { description: done } }
  /v1/plain:
    post:
      operationId: addPlain
      x-trailers: drop
      requestBody: { content: { application/json: { schema: { type: object } } } }
      responses: { "200": { description: done } }
)yaml";

struct Trailing {
    explicit Trailing(RecordingUpstream::Script script = {}, std::string const& api = {})
        : stage{std::move(script),
                [&api](Configuration& configuration) {
                    with_upstream("identity: { header: X-Caller }")(configuration);
                    configuration.apis = "  own: { contract: own.yaml, upstream: management, "
                                         "authenticate: [anonymous], "
                                         + api + " }\n";
                },
                options()} {}

    static Gateway::Options options() {
        Gateway::Options options;
        options.files["own.yaml"] = document;
        options.credentials = administrator_credentials();
        return options;
    }

    // The response in one version, and what came at the upstream.
    struct Seen {
        Response response;
        Request request;
    };
    Seen send(Outgoing const& request, bool in_http2) {
        Seen seen;
        seen.response = in_http2 ? fetch_http2(stage.port(), request.text()) : stage.send(request);
        if (seen.response.status == 200) seen.request = stage.upstream.requests().back();
        return seen;
    }

    Stage stage;
};

// A request whose body is `{"a":1}` in chunks, with these trailers behind it.
Outgoing with_trailers(std::string_view method, std::string_view path, std::string_view announced,
                       std::string_view trailers, std::string_view type = "application/json") {
    return Outgoing{method, path}
        .add("Content-Type", type)
        .add("Trailer", announced)
        .add("Transfer-Encoding", "chunked")
        .bytes("4\r\n{\"a\"\r\n3\r\n:1}\r\n0\r\n" + std::string{trailers} + "\r\n");
}

std::string text_of(Fields const& fields) {
    std::string text;
    for (auto const& [name, value] : fields)
        text += name + ": " + value + "|";
    return text;
}

// Independent of the case of names, which HTTP/2 does not have.
std::string lowered(std::string text) {
    for (char& c : text)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return text;
}

RecordingUpstream::Script with_response(std::string head, std::string rest) {
    return [head = std::move(head), rest = std::move(rest)](UpstreamExchange& exchange) {
        exchange.send("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n" + head
                      + "Transfer-Encoding: chunked\r\n\r\n" + rest);
    };
}

} // namespace

TEST_CASE(
    "trailers of a request pass behind a body that was checked, and behind one that streams") {
    Trailing trailing;
    for (bool const in_http2 : {false, true}) {
        for (auto const* const path : {"/v1/items", "/v1/raw"}) {
            CAPTURE(in_http2, path);
            bool const is_raw = std::string{path} == "/v1/raw";
            auto const seen = trailing.send(
                with_trailers(is_raw ? "PUT" : "POST", path, "X-Sum, ETag",
                              "X-Sum: 1\r\nETag: \"a\"\r\nX-Sum: 2\r\n",
                              is_raw ? "application/octet-stream" : "application/json"),
                in_http2);
            REQUIRE(seen.response.status == 200);
            CHECK(seen.request.body == "{\"a\":1}");
            CHECK(seen.request.framing == Framing::chunked);
            CHECK(seen.request.fields.one("Trailer") == "X-Sum, ETag");
            CHECK(lowered(text_of(seen.request.trailers)) == "x-sum: 1|etag: \"a\"|x-sum: 2|");
        }
    }
    // The connections to the upstream were used again.
    CHECK(trailing.stage.upstream.connections() == 1);
    trailing.stage.finish();
}

TEST_CASE("trailers that are not announced, or frame, route or identify, stay here") {
    Trailing trailing{{},
                      "headers: { request: { remove: [X-Gone], set: { X-Set: ours } } }, "
                      "identity: { header: X-Own }"};
    for (bool const in_http2 : {false, true}) {
        for (auto const* const path : {"/v1/items", "/v1/raw"}) {
            CAPTURE(in_http2, path);
            bool const is_raw = std::string{path} == "/v1/raw";
            auto const seen = trailing.send(
                with_trailers(is_raw ? "PUT" : "POST", path,
                              "X-Sum, Authorization, Host, Content-Length, X-Forwarded-For, "
                              "X-Remote-User, X-Caller, X-Own, X-Gone, X-Set, X-Request-Id, Cookie",
                              "X-Other: 0\r\nAuthorization: Basic YTpi\r\nHost: other\r\n"
                              "Content-Length: 5\r\nX-Forwarded-For: 10.0.0.1\r\n"
                              "X-Remote-User: root\r\nX-Caller: root\r\nX-Own: root\r\n"
                              "X-Gone: root\r\nX-Set: root\r\nX-Request-Id: root\r\n"
                              "Cookie: a=root\r\nX-Sum: 1\r\n",
                              is_raw ? "application/octet-stream" : "application/json"),
                in_http2);
            REQUIRE(seen.response.status == 200);
            CHECK(seen.request.fields.one("Trailer") == "X-Sum");
            CHECK(lowered(text_of(seen.request.trailers)) == "x-sum: 1|");
            CHECK(seen.request.raw.find("root") == std::string::npos);
            CHECK(seen.request.raw.find("YTpi") == std::string::npos);
        }
    }
    // A parameter of the contract was checked in the head, or was not there.
    auto const seen = trailing.send(with_trailers("POST", "/v1/items", "X-Signature, X-Sum",
                                                  "X-Signature: far too long\r\nX-Sum: 1\r\n"),
                                    false);
    CHECK(text_of(seen.request.trailers) == "X-Sum: 1|");
    trailing.stage.finish();
}

TEST_CASE("without x-trailers: forward, or trailers that pass, a request has its usual framing") {
    Trailing trailing;
    for (bool const in_http2 : {false, true}) {
        CAPTURE(in_http2);
        for (auto const& request :
             {with_trailers("POST", "/v1/items", "X-Sum", ""),
              with_trailers("POST", "/v1/items", "Host", "Host: other\r\n"),
              with_trailers("POST", "/v1/plain", "X-Sum", "X-Sum: 1\r\n"),
              Outgoing{"POST", "/v1/items"}.body("{\"a\":1}").add("Trailer", "X-Sum")}) {
            CAPTURE(request.text());
            auto const seen = trailing.send(request, in_http2);
            REQUIRE(seen.response.status == 200);
            CHECK(seen.request.fields.one("Content-Length") == "7");
            CHECK(seen.request.fields.count("Trailer") == 0);
            CHECK(seen.request.body == "{\"a\":1}");
        }
    }
    trailing.stage.finish();
}

TEST_CASE("in HTTP/2 trailers may stand behind a body with a length") {
    Trailing trailing;
    Http2Client client{trailing.stage.port()};
    for (auto const* const path : {"/v1/items", "/v1/raw"}) {
        CAPTURE(path);
        bool const is_raw = std::string{path} == "/v1/raw";
        auto const stream = client.next_stream();
        client.send(
            http2::headers(stream,
                           http2::block_of({{":method", is_raw ? "PUT" : "POST"},
                                            {":scheme", "https"},
                                            {":authority", "localhost"},
                                            {":path", path},
                                            {"content-type", is_raw ? "application/octet-stream"
                                                                    : "application/json"},
                                            {"content-length", "7"},
                                            {"trailer", "x-sum"}}),
                           http2::flag::end_headers)
            + http2::data(stream, "{\"a\":1}")
            + http2::headers(stream, http2::block_of({{"x-sum", "1"}})));
        CHECK(client.read_response(stream).message.status == 200);
        auto const request = trailing.stage.upstream.requests().back();
        CHECK(request.framing == Framing::chunked);
        CHECK(request.body == "{\"a\":1}");
        CHECK(text_of(request.trailers) == "x-sum: 1|");
    }
    trailing.stage.finish();
}

TEST_CASE("a trailer that the policy for fields refuses ends the request before its upstream") {
    Trailing trailing;
    for (bool const in_http2 : {false, true}) {
        for (auto const& trailer :
             {std::string{"X_Forwarded_For: 10.0.0.1\r\n"}, std::string{"X-A: \x01\r\n"},
              "X-A: " + std::string(8'200, 'a') + "\r\n"}) {
            CAPTURE(in_http2, trailer.substr(0, 20));
            // Not by way of a reader of requests, which is as strict.
            auto const response = [&] {
                if (!in_http2)
                    return trailing.stage.send(
                        with_trailers("POST", "/v1/items", "X-A, X_Forwarded_For", trailer));
                Http2Client client{trailing.stage.port()};
                auto const stream = client.next_stream();
                auto const colon = trailer.find(": ");
                client.send(
                    http2::headers(stream,
                                   http2::block_of({{":method", "POST"},
                                                    {":scheme", "https"},
                                                    {":authority", "localhost"},
                                                    {":path", "/v1/items"},
                                                    {"content-type", "application/json"},
                                                    {"trailer", "x-a, x_forwarded_for"}}),
                                   http2::flag::end_headers)
                    + http2::data(stream, "{}")
                    + http2::headers(
                        stream, http2::block_of(http2::lowered(
                                    {{trailer.substr(0, colon),
                                      trailer.substr(colon + 2, trailer.size() - colon - 4)}}))));
                return client.read_response(stream).message;
            }();
            CHECK(response.status == 400);
            CHECK(trailing.stage.log_of(response).text("reason") == "bad_request");
        }
    }
    CHECK(trailing.stage.upstream.requests().empty());
    trailing.stage.finish();
}

TEST_CASE("trailers of a response pass, as far as it announces them") {
    for (bool const in_parts : {false, true}) {
        Event more;
        Trailing trailing{
            [&](UpstreamExchange& exchange) {
                exchange.send("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
                              "Trailer: X-Sum, Set-Cookie, X-Gone\r\nTrailer: Server-Timing\r\n"
                              "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n");
                if (in_parts) exchange.wait(more);
                exchange.send("1\r\nc\r\n0\r\nX-Sum: 1\r\nX-Other: 0\r\nSet-Cookie: a=b\r\n"
                              "X-Gone: 0\r\nServer-Timing: db;dur=53 \r\n\r\n");
            },
            "headers: { response: { remove: [X-Gone] } }"};
        more.set();
        for (bool const in_http2 : {false, true}) {
            CAPTURE(in_parts, in_http2);
            auto const seen = trailing.send(Outgoing{"GET", "/v1/items"}, in_http2);
            REQUIRE(seen.response.status == 200);
            CHECK(seen.response.body == "abc");
            CHECK(seen.response.fields.one("Trailer") == "X-Sum, Server-Timing");
            CHECK(lowered(text_of(seen.response.trailers)) == "x-sum: 1|server-timing: db;dur=53|");
            // Without the mark nothing of them passes.
            auto const plain =
                trailing.send(Outgoing{"POST", "/v1/plain"}.body("{}"), in_http2).response;
            CHECK(plain.body == "abc");
            CHECK(plain.fields.count("Trailer") == 0);
            CHECK(plain.trailers.empty());
        }
        CHECK(trailing.stage.upstream.connections() == 1);
        trailing.stage.finish();
    }
}

TEST_CASE("trailers that a response announces and does not have are no error") {
    Trailing trailing{with_response("Trailer: X-Sum\r\n", "2\r\nab\r\n0\r\n\r\n")};
    for (bool const in_http2 : {false, true}) {
        CAPTURE(in_http2);
        auto const seen = trailing.send(Outgoing{"GET", "/v1/items"}, in_http2);
        CHECK(seen.response.body == "ab");
        CHECK(seen.response.fields.one("Trailer") == "X-Sum");
        CHECK(seen.response.trailers.empty());
    }
    trailing.stage.finish();
}

TEST_CASE("a response that has no place for trailers does not announce them") {
    Trailing trailing{[](UpstreamExchange& exchange) {
        std::string head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTrailer: X-Sum\r\n";
        bool const is_head = exchange.request.method == "HEAD";
        exchange.send(
            head
            + (is_head ? "Transfer-Encoding: chunked\r\n\r\n" : "Content-Length: 2\r\n\r\nab"));
    }};
    for (bool const in_http2 : {false, true}) {
        for (auto const* const method : {"GET", "HEAD"}) {
            CAPTURE(in_http2, method);
            auto const seen = trailing.send(Outgoing{method, "/v1/items"}, in_http2);
            CHECK(seen.response.status == 200);
            CHECK(seen.response.fields.count("Trailer") == 0);
        }
    }
    trailing.stage.finish();
}

TEST_CASE("a client of HTTP/1.0 gets the body alone") {
    Trailing trailing{with_response("Trailer: X-Sum\r\n", "2\r\nab\r\n0\r\nX-Sum: 1\r\n\r\n")};
    RawClient client{trailing.stage.port()};
    client.send("GET /v1/items HTTP/1.0\r\nHost: localhost\r\n\r\n");
    CHECK(client.read_to_end() == End::orderly);
    CHECK(client.unread().ends_with("\r\n\r\nab"));
    CHECK(client.unread().find("Trailer") == std::string::npos);
    trailing.stage.finish();
}

TEST_CASE("malformed trailers of an upstream break the response off") {
    Trailing trailing{[](UpstreamExchange& exchange) {
        exchange.send("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTrailer: X-Sum\r\n"
                      "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n");
        exchange.send("0\r\nX-Sum : 1\r\n\r\n");
    }};
    RawClient client{trailing.stage.port()};
    client.send(Outgoing{"GET", "/v1/items"}.text());
    auto const end = client.read_to_end();
    auto const line = trailing.stage.gateway.wait_for_log_lines(1)[0];
    // All of it may have come at once, before anything was sent to the client.
    if (line.text("status") == "502") {
        CHECK(line.text("reason") == "upstream_invalid");
    } else {
        CHECK((end == End::reset || end == End::truncated));
        CHECK(line.text("reason") == "upstream_incomplete");
    }
    trailing.stage.finish();
}

TEST_CASE("an upstream learns whether the client reads trailers") {
    Trailing trailing;
    for (bool const in_http2 : {false, true}) {
        CAPTURE(in_http2);
        auto const with_te =
            trailing.send(Outgoing{"GET", "/v1/items"}.add("TE", "trailers"), in_http2);
        CHECK(with_te.request.fields.one("TE") == "trailers");
        CHECK(with_te.request.fields.one("Connection") == "TE");
        auto const without = trailing.send(Outgoing{"GET", "/v1/items"}, in_http2);
        CHECK(without.request.fields.count("TE") == 0);
        CHECK(without.request.fields.count("Connection") == 0);
        auto const unmarked =
            trailing.send(Outgoing{"POST", "/v1/plain"}.body("{}").add("TE", "trailers"), in_http2);
        CHECK(unmarked.request.fields.count("TE") == 0);
    }
    auto const others = trailing.send(
        Outgoing{"GET", "/v1/items"}.add("TE", "deflate;q=0.5, Trailers").add("Connection", "TE"),
        false);
    CHECK(others.request.fields.one("TE") == "trailers");
    trailing.stage.finish();
}

} // namespace e66_trailers

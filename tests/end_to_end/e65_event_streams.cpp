// Responses that last as long as their upstream has something to send (`x-stream`).
#include "tests/end_to_end/stage.h"
#include "tests/support/admin.h"
#include "tests/support/event.h"

#include <catch2/catch.hpp>

#include <chrono>
#include <stdexcept>
#include <string>

namespace e65_event_streams {

using namespace sallyport::test;
using namespace std::chrono_literals;

namespace {

constexpr std::string_view document = R"yaml(openapi: 3.1.0
info: { title: T, version: "1" }
paths:
  /v1/events:
    get:
      operationId: followEvents
      responses:
        "200":
          description: events, or the last ones
          content:
            text/event-stream: {}
            application/json: { schema: { type: object, required: [events] } }
  /v1/events/short:
    get:
      operationId: followShort
      x-stream: none
      responses: { "200": { description: events, content: { text/event-stream: {} } } }
  /v1/events/silent:
    get:
      operationId: followSilent
      x-timeouts: { idle: 300ms }
      responses: { "200": { description: events, content: { text/event-stream: {} } } }
  /v1/rows:
    get:
      operationId: followRows
      x-stream: events
      responses:
        "200":
          description: rows
          content: { application/json: { schema: { type: object, required: [rows] } } }
)yaml";

std::string chunk_of(std::string_view event) {
    constexpr std::string_view digits = "0123456789abcdef";
    if (event.size() >= digits.size()) throw std::logic_error{"an event of the test is too long"};
    return std::string{digits[event.size()]} + "\r\n" + std::string{event} + "\r\n";
}

// An upstream that has 300 ms for everything, and a gateway that checks and logs responses. It
// sends an event at once, and another one when the test asks for it.
struct Streaming {
    explicit Streaming(std::string media_type = "text/event-stream")
        : stage{[this, type = std::move(media_type)](UpstreamExchange& exchange) {
                    exchange.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n"
                                  "Content-Type: "
                                  + type + "\r\n\r\n" + chunk_of("data: 1\n\n"));
                    exchange.wait(more);
                    exchange.send(chunk_of("data: 2\n\n") + "0\r\n\r\n");
                },
                [](Configuration& configuration) {
                    with_upstream("timeouts: { idle: 300ms, total: 300ms }")(configuration);
                    configuration.access_log += "  bodies: { responses: all }\n";
                    configuration.apis = "  own: { contract: own.yaml, upstream: management, "
                                         "authenticate: [anonymous], responses: report }\n";
                    configuration.rest += admin_section;
                },
                options()},
          client{stage.port()} {}

    static Gateway::Options options() {
        Gateway::Options options;
        options.files["own.yaml"] = document;
        options.credentials = administrator_credentials();
        return options;
    }

    // Sends the request and reads the head with the first event.
    void follow(std::string_view path) {
        client.send(Outgoing{"GET", std::string{path}}.text());
        std::string seen;
        while (seen.find("data: 1\n\n") == std::string::npos)
            seen += client.read_bytes(1);
    }
    // The line of a stream that is cut within the time of its upstream.
    Json line_of_cut(std::string_view path) {
        follow(path);
        auto const end = client.read_to_end();
        CHECK((end == End::reset || end == End::truncated));
        more.set();
        return stage.gateway.wait_for_log_lines(1)[0];
    }

    Event more;
    Stage stage;
    RawClient client;
};

} // namespace

TEST_CASE("an event stream lasts longer than its upstream has for a response, and is not copied") {
    Streaming streaming;
    streaming.follow("/v1/events");
    CHECK(streaming.client.is_silent_for(900ms));
    streaming.more.set();
    // Both end the connection: the rest of the body is not a response of its own.
    std::string rest;
    while (rest.find("0\r\n\r\n") == std::string::npos)
        rest += streaming.client.read_bytes(1);
    CHECK(rest.find("data: 2\n\n") != std::string::npos);
    auto const line = streaming.stage.gateway.wait_for_log_lines(1)[0];
    CHECK(line.text("operation") == "followEvents");
    CHECK(line.text("status") == "200");
    CHECK(line["reason"].is_null());
    CHECK(line["duration_us"].number >= 900'000);
    CHECK(line["response_body"].has("bytes"));
    streaming.stage.finish();
}

TEST_CASE("the same response of another media type has the times of its upstream") {
    Streaming streaming{"application/json"};
    auto const line = streaming.line_of_cut("/v1/events");
    CHECK(line.text("reason") == "upstream_incomplete");
    streaming.stage.finish();
}

TEST_CASE("x-stream: none leaves an event stream the times of its upstream") {
    Streaming streaming;
    auto const line = streaming.line_of_cut("/v1/events/short");
    CHECK(line.text("reason") == "upstream_incomplete");
    streaming.stage.finish();
}

TEST_CASE("an event stream is cut after its own idle time") {
    Streaming streaming;
    auto const line = streaming.line_of_cut("/v1/events/silent");
    CHECK(line.text("reason") == "upstream_incomplete");
    CHECK(streaming.stage.gateway.every_written_byte().find("the upstream was too slow")
          != std::string::npos);
    streaming.stage.finish();
}

TEST_CASE("x-stream: events is for responses of any media type, whose bodies are not checked") {
    Streaming streaming{"application/json"};
    streaming.follow("/v1/rows");
    CHECK(streaming.client.is_silent_for(900ms));
    streaming.more.set();
    auto const line = streaming.stage.gateway.wait_for_log_lines(1)[0];
    CHECK(line["reason"].is_null());
    // It is not JSON, which a check would report.
    CHECK(line["violations"].items.empty());
    CHECK(metrics_of(streaming.stage.gateway)["sallyport_contract_responses_total{api=\"own\","
                                              "operation=\"followRows\",result=\"not_checked\","
                                              "cause=\"stream\"}"]
          == 1);
    streaming.stage.finish();
}

} // namespace e65_event_streams

// One exchange between a client in memory and the upstreams of a scripted pool.
#pragma once

#include "gateway/upstream/forward.h"
#include "tests/unit/support/exchange_fixture.h"
#include "tests/unit/support/scripted_pool.h"

#include <optional>
#include <string>
#include <string_view>

namespace sallyport::upstream::test {

using namespace std::chrono_literals;
using net::test::MemoryStream;
using net::test::run;
using net::test::run_ready;
using net::test::run_until;
using pipeline::Reason;

inline constexpr std::string_view with_operations = R"(
openapi: 3.1.0
info: { title: Test, version: "1" }
paths:
  /events:
    get:
      operationId: followEvents
      responses: { "200": { content: { text/event-stream: {}, application/json: {} } } }
  /events/short:
    get:
      operationId: followShortEvents
      x-stream: none
      responses: { "200": { content: { text/event-stream: {} } } }
  /stream: { get: { operationId: follow, x-stream: events } }
  /stream/idle: { get: { operationId: followIdle, x-stream: events, x-timeouts: { idle: 60ms } } }
  /stream/total:
    get: { operationId: followTotal, x-stream: events, x-timeouts: { total: 60ms } }
  /notes:
    get: { operationId: getNotes, x-trailers: forward, responses: { "200": { description: it } } }
    post:
      operationId: addNote
      x-retry: safe
      x-trailers: forward
      requestBody: { content: { application/json: { schema: { type: object } } } }
      responses: { "200": { description: fine } }
  /items/{id}:
    parameters: [ { name: id, in: path, required: true, schema: { type: string } } ]
    get: { operationId: getItem, responses: { "200": { description: fine } } }
    put:
      operationId: putItem
      requestBody: { content: { application/json: { schema: { type: object } } } }
      responses: { "200": { description: fine } }
    post:
      operationId: postItem
      x-retry: safe
      x-timeouts: { connect: 1s, first_byte: 100ms, idle: 100ms, total: 5s }
      requestBody: { content: { application/json: { schema: { type: object } } } }
      responses: { "200": { description: fine } }
)";

/// Forwarded unchecked, with a streamed body; or as set by `with_operations`.
enum class Checked : bool { no, yes };

struct ForwardFixture : pipeline::test::ExchangeFixture {
    ScriptedPool pool{loop};
    Settings settings;
    observe::Gauge open_tunnels;
    Tunnels tunnels{loop, open_tunnels};
    ResponseTap* tap = nullptr;
    std::optional<Forwarded> result;

    explicit ForwardFixture(Checked checked = Checked::no)
        : ExchangeFixture{checked == Checked::yes ? with_operations : std::string_view{}} {}
    ~ForwardFixture() { loop.end(); }

    /// All checks pass; a body that is to be checked is read completely.
    pipeline::Permit admit() {
        auto admission = pipeline->admit(exchange, pipeline::Until::body);
        if (admission.needs_body()
            && exchange.decision.body.handling == pipeline::BodyHandling::buffered) {
            auto const part = run(loop, transport.read_body(exchange.decision.body.limit,
                                                            http::Gather::whole_if_it_fits));
            REQUIRE(part.complete);
            exchange.request.body = part.bytes;
        }
        if (admission.needs_body()) admission = pipeline->admit(exchange, pipeline::Until::end);
        REQUIRE(admission.permit());
        return std::move(*admission.permit());
    }
    /// Starts forwarding; `result` is set when it has ended.
    void start() {
        net::test::start(
            loop, net::test::keep_result(forward(admit(), {pool, settings, tunnels, tap}), result));
    }
    Forwarded& wait() {
        run_until(loop, [&] { return result.has_value(); });
        return *result;
    }
    Forwarded& forward_all() {
        start();
        return wait();
    }

    /// Of the denial; `none` if there is none.
    Reason denied() const { return result->denial ? result->denial->reason : Reason::none; }
    bool is_retry_invited() const {
        for (auto const& field : result->denial->fields)
            if (field.name == "Retry-After") return true;
        return false;
    }
    /// Whether the client has exactly one response, with this status line and
    /// body.
    bool client_has(std::string_view status_line, std::string_view body) const {
        auto const& sent = stream.sent();
        auto const end = sent.find("\r\n\r\n");
        return sent.starts_with(status_line) && end != std::string::npos
               && std::string_view{sent}.substr(end + 4) == body;
    }
    bool client_has_field(std::string_view line) const {
        return stream.sent().find("\r\n" + std::string{line} + "\r\n") != std::string::npos;
    }
};

} // namespace sallyport::upstream::test

// The gateway of a row, and the requests of its probes.
#include "tests/end_to_end/every_key.h"

#include "tests/support/admin.h"
#include "tests/support/encodings.h"

namespace sallyport::test {

std::string contract_with(std::string const& operation_words, std::string const& schema_words) {
    return R"(openapi: 3.1.0
info: { title: Things, version: '1' }
paths:
  /v1/things/{thingId}:
    parameters: [{ name: thingId, in: path, required: true, schema: { type: string } }]
    get:
      operationId: getThing
      responses: { '200': { description: it, content: { application/json: {
        schema: { type: object, properties: { n: { type: integer, maximum: 3 } } } } } } }
    put:
      operationId: putThing
      parameters: [{ name: ids, in: query, explode: false, schema: { type: array, items: { type: integer } } }]
      )" + operation_words
           + R"(
      requestBody:
        required: true
        content:
          application/json:
            schema:
              )"
           + (schema_words.empty() ? "title: Thing" : schema_words) + R"(
              type: object
              properties:
                n: { type: integer, minimum: 1, maximum: 5 }
                made: { type: string, readOnly: true }
                note: { type: string }
                pin: { type: string }
                pinNumber: { type: string }
                deep: { type: array }
      responses: { '200': { description: it } }
)";
}

std::string things_api(std::string const& more) {
    return "  things: { contract: things.yaml, upstream: up, authenticate: [basic, bearer]"
           + (more.empty() ? "" : ", " + more) + " }\n";
}

std::string caller_entry(std::string_view name, Key const& key, std::string const& rest) {
    return "  - name: " + std::string{name} + "\n    basic: { key_id: " + std::string{key.id}
           + ", secrets: [\"sha256:" + sha256_hex(key.secret) + "\"] }\n    " + rest + "\n";
}

std::string status_of_an_encoded_list(World& world) {
    return world.status(Outgoing{"PUT", "/v1/things/a?ids=1%2C2"}
                            .authorization(basic(world.setup.caller))
                            .body(R"({"n": 1})"));
}

void hold_all(World& world, UpstreamExchange& exchange) {
    exchange.wait(world.leave);
    exchange.send(response_text(R"({"n": 1})"));
}

void hold_first(World& world, UpstreamExchange& exchange) {
    if (exchange.number == 0) exchange.wait(world.leave);
    exchange.send(response_text(R"({"n": 1})"));
}

World::World(Row const& row)
    : up{[this, script = row.script](UpstreamExchange& exchange) {
             if (script) return script(*this, exchange);
             exchange.send(response_text(R"({"n": 9})"));
         },
         RecordingUpstream::Options{.certificate = row.certificate,
                                    .client_authority = row.client_authority}} {}

void World::start(Row const& row, std::size_t which) {
    value = which;
    setup.configuration.listeners = "  - name: public\n    address: 127.0.0.1:0\n    tls: off\n";
    setup.configuration.upstreams =
        upstream_yaml("up", up.endpoint()) + upstream_yaml("other", other.endpoint());
    setup.configuration.apis = things_api({});
    setup.credentials = "credentials:\n" + caller_entry("caller", administrator, "allow: all")
                        + caller_entry("second", other_caller, "allow: all");
    setup.contract = contract_with("deprecated: false");
    row.put(setup, *this, row.values[which]);
    Gateway::Options options{setup.credentials, {}, setup.files};
    options.files["things.yaml"] = setup.contract;
    gateway = std::make_unique<Gateway>(setup.configuration, options);
}

bool World::is_silent(RawClient& client, std::chrono::milliseconds soon) const {
    return client.is_silent_for(value == 0 ? soon : std::chrono::milliseconds{100});
}

Response World::send(Outgoing const& request) const {
    return client().exchange(request.text());
}

std::string World::status(Outgoing const& request) const {
    return std::to_string(send(request).status);
}

Json World::log_of(Response const& response) const {
    return gateway->wait_for_log_of(response.fields.one("X-Request-Id"));
}

Outgoing World::get(std::string_view target) const {
    return Outgoing{"GET", target}.authorization(basic(setup.caller));
}

Outgoing World::put(std::string_view body) const {
    return Outgoing{"PUT", "/v1/things/a"}.authorization(basic(setup.caller)).body(body);
}

} // namespace sallyport::test

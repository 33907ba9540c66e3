// APIs whose upstreams know their callers: what arrives there, what the log has, and what is said
// of keys that have no effect.
#include "tests/end_to_end/prepared.h"

#include <catch2/catch.hpp>

namespace e54_callers_of_the_upstream {

using namespace sallyport::test;

namespace {

constexpr std::string_view token = "c4naryT0ken.of-the_upstream~1";
constexpr std::string_view cookie = "session=c4naryC00kie; theme=dark";
constexpr std::string_view key = "c4naryK3y0123456789";

constexpr std::string_view contract = R"(openapi: 3.1.0
info: { title: Legacy, version: "1" }
components:
  securitySchemes:
    key: { type: apiKey, in: header, name: X-Legacy-Key }
security: [ { key: [] } ]
paths:
  /legacy/items/{id}:
    get:
      operationId: getItem
      parameters:
        - { name: id, in: path, required: true, schema: { type: integer } }
        - { name: session, in: cookie, schema: { type: string, maxLength: 100 } }
      responses: { "200": { description: OK } }
)";

Change with_api(std::string const& more = {}) {
    return [more](Configuration& configuration) {
        configuration.apis += "  legacy: { contract: legacy.yaml, upstream: management, "
                              "authenticate: [upstream]"
                              + more + " }\n";
    };
}

Stage started(std::string const& more = {}) {
    return Stage{{}, with_api(more), {.files = {{"legacy.yaml", std::string{contract}}}}};
}

std::string checked(std::string const& api, Change const& more = {}) {
    Prepared prepared;
    prepared.folder.write("legacy.yaml", contract);
    with_api(api)(prepared.configuration);
    if (more) more(prepared.configuration);
    prepared.write();
    return prepared.check().output;
}

} // namespace

TEST_CASE("credentials reach an upstream that knows its callers as they came, and no log") {
    auto stage = started();
    auto const response = stage.send(Outgoing{"GET", "/legacy/items/1?api_key=" + std::string{key}}
                                         .add("authorization", "bearer   " + std::string{token})
                                         .add("Cookie", cookie)
                                         .add("X-Legacy-Key", key)
                                         .add("X-Api-Key", key)
                                         .add("X-Remote-User", "root"));
    CHECK(response.status == 200);
    auto const request = stage.upstream.request(0);
    CHECK(request.fields.one("Authorization") == "bearer   " + std::string{token});
    CHECK(request.fields.one("Cookie") == cookie);
    CHECK(request.fields.one("X-Legacy-Key") == key);
    CHECK(request.fields.one("X-Api-Key") == key);
    CHECK(request.fields.count("X-Remote-User") == 0);
    CHECK(request.target == "/legacy/items/1?api_key=" + std::string{key});
    auto const line = stage.log_of(response);
    CHECK(line["credential"].is_null());
    CHECK(line.text("operation") == "getItem");
    for (auto const& log : {stage.gateway.standard_error(), read_file(stage.gateway.access_log())})
        CHECK(log.find("c4nary") == std::string::npos);
    stage.finish();
}

TEST_CASE("the contract holds for callers of the upstream, and its refusals are its own") {
    auto stage = started();
    CHECK(stage.send(Outgoing{"GET", "/legacy/items/x"}).status == 400);
    auto const long_cookie = "session=" + std::string(101, 'a');
    CHECK(stage.send(Outgoing{"GET", "/legacy/items/1"}.add("Cookie", long_cookie)).status == 400);
    CHECK(stage.send(Outgoing{"GET", "/legacy/none"}).status == 403);
    auto const twice = stage.send(Outgoing{"GET", "/legacy/items/1"}
                                      .add("Authorization", "Basic YTpi")
                                      .add("Authorization", "Bearer x"));
    CHECK(twice.status == 400);
    CHECK(stage.upstream.requests().empty());
    stage.upstream.respond_with([](UpstreamExchange& exchange) {
        exchange.send(response_text("{}", 401, {{"WWW-Authenticate", "Custom a=b"}}));
    });
    auto const refused = stage.send(Outgoing{"GET", "/legacy/items/1"});
    CHECK(refused.status == 401);
    CHECK(refused.fields.one("WWW-Authenticate") == "Custom a=b");
    stage.finish();
}

TEST_CASE("a gateway in report mode watches an API that knows its callers") {
    auto stage = started(", requests: report");
    auto const response =
        stage.send(Outgoing{"GET", "/legacy/items/x"}.add("Authorization", "Bearer x"));
    CHECK(response.status == 200);
    CHECK(stage.upstream.request(0).fields.one("Authorization") == "Bearer x");
    stage.finish();
}

TEST_CASE("what has no effect where the upstream knows its callers is an error") {
    CHECK(checked("").find("no effect") == std::string::npos);
    for (std::string const key :
         {"forward_cookies: true", "forward_cookies: false", "identity: { header: X-Caller }",
          "security: use", "websocket: { token_prefix: bearer. }"}) {
        CAPTURE(key);
        CHECK(checked(", " + key).find("has no effect with authenticate: [upstream]")
              != std::string::npos);
    }
    for (std::string const credential : {"none", "{ bearer: { token: of-the-gateway } }"}) {
        CAPTURE(credential);
        CHECK(checked("", with_upstream("credential: " + credential))
                  .find("credentials of clients do not arrive")
              != std::string::npos);
    }
    CHECK(checked("", with_upstream("credential: pass")).find("no effect") == std::string::npos);
}

} // namespace e54_callers_of_the_upstream

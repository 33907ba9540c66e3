// APIs whose paths begin alike: two contracts and a pass-through below /v1/, each with an upstream
// and with callers of its own.
#include "tests/end_to_end/stage.h"

#include <catch2/catch.hpp>

namespace e29_apis_beside_each_other {

using namespace sallyport::test;

namespace {

constexpr std::string_view items = R"yaml(openapi: 3.1.0
info: { title: Items, version: "1" }
paths:
  /v1/items: { get: { operationId: listItems } }
  /v1/items/{id}:
    parameters: [ { name: id, in: path, required: true, schema: { type: integer } } ]
    get: { operationId: getItem }
)yaml";

constexpr std::string_view users = R"yaml(openapi: 3.1.0
info: { title: Users, version: "1" }
paths:
  /v1/users: { get: { operationId: listUsers } }
  /v1/items/{id}/users:
    parameters: [ { name: id, in: path, required: true, schema: { type: integer } } ]
    get: { operationId: listUsersOfItem }
)yaml";

struct Platform {
    explicit Platform(std::string const& more_of_items = {})
        : stage{{},
                [this, more_of_items](Configuration& configuration) {
                    configuration.upstreams += upstream_yaml("users", second.endpoint());
                    configuration.apis =
                        "  items: { contract: items.yaml, upstream: management, "
                        "authenticate: [basic]"
                        + more_of_items
                        + " }\n  users: { contract: users.yaml, upstream: users, "
                          "authenticate: [anonymous] }\n"
                          "  blobs: { paths: [\"/v1/blobs/\"], upstream: users, "
                          "authenticate: [anonymous] }\n";
                },
                options()} {}

    static Gateway::Options options() {
        Gateway::Options options;
        auto const all = standard_credentials();
        options.credentials = all.substr(0, all.find("  - name: ", all.find("administrator")));
        options.files["items.yaml"] = items;
        options.files["users.yaml"] = users;
        return options;
    }

    // The API of the log, the status and the reason of a request.
    std::string outcome_of(Outgoing const& outgoing) const {
        auto const response = stage.send(outgoing);
        auto const line = stage.log_of(response);
        auto text = line.text("api") + ' ' + std::to_string(response.status);
        if (!line["reason"].is_null()) text += ' ' + line.text("reason");
        return text;
    }
    std::string outcome_of(std::string_view target) const {
        return outcome_of(Outgoing{"GET", target}.authorization(basic(administrator)));
    }

    RecordingUpstream second;
    Stage stage;
};

} // namespace

TEST_CASE("each request goes to the API whose contract has its path") {
    Platform platform;
    for (auto const& [target, outcome] : std::initializer_list<std::pair<std::string, std::string>>{
             {"/v1/items", "items 200"},
             {"/v1/items/7", "items 200"},
             {"/v1/users", "users 200"},
             {"/v1/items/7/users", "users 200"},
             {"/v1/blobs/7/users", "blobs 200"},
             {"/v1/items/x", "items 400 bad_parameter"},
             {"/v1/items/x/users", "users 400 bad_parameter"}}) {
        CAPTURE(target);
        CHECK(platform.outcome_of(target) == outcome);
    }
    CHECK(platform.stage.upstream.requests().size() == 2);
    CHECK(platform.second.requests().size() == 3);
    platform.stage.finish();
}

TEST_CASE("each API has its own callers, below the same prefix") {
    Platform platform;
    CHECK(platform.outcome_of(Outgoing{"GET", "/v1/users"}) == "users 200");
    CHECK(platform.outcome_of(Outgoing{"GET", "/v1/items"}) == "items 401 unauthenticated");
    CHECK(platform.outcome_of(Outgoing{"PUT", "/v1/users"}) == "users 405 method_not_allowed");
    CHECK(platform.stage.upstream.requests().empty());
    platform.stage.finish();
}

TEST_CASE("a path that no contract has is one of the first API's") {
    Platform platform;
    for (std::string_view const target :
         {"/v1/other", "/v1/USERS", "/v1/%75sers", "/v1/users/", "/v1/Blobs/x", "/v1/items/7/"}) {
        CAPTURE(target);
        CHECK(platform.outcome_of(Outgoing{"GET", target}) == "items 401 unauthenticated");
        CHECK(platform.outcome_of(target) == "items 403 unknown_operation");
    }
    CHECK(platform.stage.upstream.requests().empty());
    CHECK(platform.second.requests().empty());
    platform.stage.finish();
}

TEST_CASE("an unknown path is not forwarded if it resembles one of another API") {
    Platform platform{", unknown_operations: forward"};
    CHECK(platform.outcome_of("/v1/other") == "items 200");
    for (std::string_view const target : {"/v1/Items", "/v1/USERS", "/v1/items/7/Users"}) {
        CAPTURE(target);
        CHECK(platform.outcome_of(target) == "items 403 unknown_operation");
    }
    CHECK(platform.stage.upstream.requests().size() == 1);
    CHECK(platform.second.requests().empty());
    platform.stage.finish();
}

} // namespace e29_apis_beside_each_other

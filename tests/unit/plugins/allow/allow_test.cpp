// What a caller may do, by API, operation and parameter.
#include "plugins/allow/allow.h"

#include "tests/unit/pipeline/double.h"

#include "gateway/pipeline/steps.h"

#include <catch2/catch.hpp>

#include <memory>
#include <string>

using namespace sallyport;
using namespace sallyport::pipeline;
using Scope = Permissions::Scope;

namespace {

constexpr std::string_view document = R"(
openapi: 3.1.0
info: { title: Test, version: "1" }
paths:
  /v1/items/{itemId}:
    parameters: [ { name: itemId, in: path, required: true, schema: { type: string } } ]
    get: { operationId: getItem, responses: { "200": { description: fine } } }
    delete: { operationId: deleteItem, responses: { "204": { description: gone } } }
  /v1/parts/{itemId}-{part}.json:
    parameters:
      - { name: itemId, in: path, required: true, schema: { type: string } }
      - { name: part, in: path, required: true, schema: { type: string } }
    get: { operationId: getPart, responses: { "200": { description: fine } } }
  /v1/labels/{itemId}:
    parameters: [ { name: itemId, in: path, required: true, style: label, schema: { type: string } } ]
    get: { operationId: getLabel, responses: { "200": { description: fine } } }
  /v1/lists/{itemId}:
    parameters: [ { name: itemId, in: path, required: true, style: label, schema: { type: array } } ]
    get: { operationId: getList, responses: { "200": { description: fine } } }
  /v1/items/{userId}:
    parameters: [ { name: userId, in: path, required: true, schema: { type: string } } ]
    put: { operationId: putUser, responses: { "204": { description: put } } }
  /v1/items:
    get: { operationId: listItems, responses: { "200": { description: fine } } }
)";

struct Asked : pipeline::test::Fixture {
    Asked(std::string_view line, Permissions permissions)
        : Fixture{std::string{line} + " HTTP/1.1\r\nHost: h\r\n\r\n"} {
        auto const loaded = contract::Contract::load_text(document, "test.yaml");
        REQUIRE(loaded.contract);
        api.contract = loaded.contract;
        api.authenticate = {"basic"};
        permissions.operations.resize(api.contract->operations().size());
        caller.permissions.push_back(std::move(permissions));
        exchange.decision.caller = &caller;
        REQUIRE(find_operation(exchange.request, exchange.decision) == nullptr);
    }
    Asked& allowing(std::string_view operation) {
        auto& one = caller.permissions.front();
        one.operations[api.contract->find_operation(operation)->index] = true;
        return *this;
    }
    /// "passes", or the detail of the denial.
    std::string verdict() {
        auto const plugin = plugins::make_allow(api);
        auto verdict = ask(*plugin);
        if (verdict.kind() == Verdict::Kind::pass) return "passes";
        auto const denial = std::move(verdict).take_denial();
        CHECK(denial->reason == Reason::forbidden);
        return denial->public_detail;
    }

    Identity caller;
};

Permissions within(Scope scope, std::string parameter = {}, std::string value = {}) {
    Permissions permissions;
    permissions.scope = scope;
    if (!parameter.empty())
        permissions.restrictions.push_back(
            {std::move(parameter), {AllowedValue{std::move(value)}}});
    return permissions;
}

constexpr auto not_this_operation = "These credentials may not call this operation";
constexpr auto not_this_item = "These credentials may not call this operation with this itemId";

} // namespace

TEST_CASE("a request without a caller may do nothing") {
    Asked asked{"GET /v1/items", within(Scope::everything)};
    asked.exchange.decision.caller = nullptr;
    CHECK(asked.verdict() == not_this_operation);
}

TEST_CASE("a caller who may do nothing at an API is denied") {
    CHECK(Asked{"GET /v1/items", within(Scope::nothing)}.verdict() == not_this_operation);
}

TEST_CASE("of listed operations no other one passes, nor one that the contract does not have") {
    CHECK(
        Asked{"DELETE /v1/items/a", within(Scope::listed_operations)}.allowing("getItem").verdict()
        == not_this_operation);
    Asked unknown{"GET /v1/items/a", within(Scope::listed_operations)};
    unknown.allowing("getItem").exchange.decision.operation = nullptr;
    CHECK(unknown.verdict() == not_this_operation);
}

TEST_CASE("a restricted parameter must have one of its values, decoded once") {
    auto const only_a = within(Scope::everything, "itemId", "a b");
    CHECK(Asked{"GET /v1/items/b", only_a}.verdict() == not_this_item);
    CHECK(Asked{"GET /v1/items/a%2520b", only_a}.verdict() == not_this_item);
    CHECK(Asked{"GET /v1/items/a%20b", only_a}.verdict() == "passes");
    CHECK(Asked{"GET /v1/items/" + std::string(600, 'a'), only_a}.verdict() == not_this_item);
}

TEST_CASE("a restricted parameter is compared without what its style writes in front of it") {
    auto const only_a = within(Scope::everything, "itemId", "a");
    CHECK(Asked{"GET /v1/labels/a", only_a}.verdict() == not_this_item);
    CHECK(Asked{"GET /v1/labels/.b", only_a}.verdict() == not_this_item);
    CHECK(Asked{"GET /v1/labels/.%61", only_a}.verdict() == "passes");
    CHECK(Asked{"GET /v1/lists/.a", only_a}.verdict() == not_this_item);
}

TEST_CASE("a restricted parameter must have one of its values in every reading of the path") {
    auto const only_a = within(Scope::everything, "itemId", "a");
    CHECK(Asked{"GET /v1/parts/a-1.json", only_a}.verdict() == "passes");
    CHECK(Asked{"GET /v1/parts/b-1.json", only_a}.verdict() == not_this_item);
    // An upstream may read it as the item `a-b`.
    CHECK(Asked{"GET /v1/parts/a-b-1.json", only_a}.verdict() == not_this_item);
    auto both = within(Scope::everything, "itemId", "a");
    both.restrictions.front().values.push_back(AllowedValue{"a-b"});
    CHECK(Asked{"GET /v1/parts/a-b-1.json", both}.verdict() == "passes");
    CHECK(Asked{"GET /v1/parts/a-b-c-1.json", both}.verdict() == not_this_item);
}

TEST_CASE("of a path with other names for other methods those of the operation count") {
    CHECK(Asked{"PUT /v1/items/a", within(Scope::everything, "itemId", "a")}.verdict()
          == not_this_item);
    CHECK(Asked{"GET /v1/items/a", within(Scope::everything, "userId", "a")}.verdict()
          == "These credentials may not call this operation with this userId");
    auto const user = within(Scope::everything, "userId", "a");
    CHECK(Asked{"PUT /v1/items/a", user}.verdict() == "passes");
    CHECK(Asked{"PUT /v1/items/b", user}.verdict()
          == "These credentials may not call this operation with this userId");
}

TEST_CASE("an operation without the restricted parameter is denied") {
    CHECK(Asked{"GET /v1/items", within(Scope::everything, "itemId", "a")}.verdict()
          == not_this_item);
}

TEST_CASE("what is allowed passes") {
    CHECK(Asked{"GET /v1/items", within(Scope::everything)}.verdict() == "passes");
    CHECK(Asked{"GET /v1/items/a", within(Scope::listed_operations)}.allowing("getItem").verdict()
          == "passes");
    CHECK(Asked{"GET /v1/items/a", within(Scope::everything, "itemId", "a")}.verdict() == "passes");
}

TEST_CASE("a public operation may be called without a caller, and by one who may do nothing") {
    Asked asked{"GET /v1/items", within(Scope::nothing)};
    asked.api.operations.resize(asked.api.contract->operations().size());
    asked.api.operations[asked.exchange.decision.operation->index].is_public = true;
    CHECK(asked.verdict() == "passes");
    asked.exchange.decision.caller = nullptr;
    CHECK(asked.verdict() == "passes");
    Asked other{"GET /v1/items/1", within(Scope::nothing)};
    other.api.operations.resize(other.api.contract->operations().size());
    other.api.operations[asked.exchange.decision.operation->index].is_public = true;
    CHECK(other.verdict() == not_this_operation);
}

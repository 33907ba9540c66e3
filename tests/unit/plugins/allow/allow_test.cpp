// What a caller may do, by API, operation and parameter.
#include "plugins/allow/allow.h"

#include "tests/unit/pipeline/double.h"

#include "gateway/pipeline/steps.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace allow_test {

using namespace sallyport;
using namespace sallyport::pipeline;

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
  /v1/exploded/{itemIds}:
    parameters:
      - { name: itemIds, in: path, required: true, schema: { type: array } }
    get: { operationId: getSome, responses: { "200": { description: fine } } }
  /v1/items:
    get: { operationId: listItems, responses: { "200": { description: fine } } }
)";

// A rule of the caller, for all operations that have the parameters unless some are named.
struct Given {
    Effect effect = Effect::allow;
    std::vector<std::string> operations = {};
    std::vector<std::pair<std::string, std::vector<std::string>>> parameters = {};
    MethodSet methods = {};
};

struct Asked : pipeline::test::Fixture {
    Asked(std::string_view line, std::vector<Given> const& rules)
        : Fixture{std::string{line} + " HTTP/1.1\r\nHost: h\r\n\r\n"} {
        auto const loaded = contract::Contract::load_text(document, "test.yaml");
        REQUIRE(loaded.contract);
        api.contract = loaded.contract;
        api.authenticate = {"basic"};
        Permissions permissions;
        for (auto const& given : rules)
            permissions.rules.push_back(compiled(given));
        permissions.combine();
        caller.permissions = std::make_shared<std::vector<Permissions> const>(
            std::vector<Permissions>{std::move(permissions)});
        exchange.decision.caller = &caller;
        REQUIRE(find_operation(exchange.request, exchange.decision) == nullptr);
    }
    Rule compiled(Given const& given) {
        Rule rule;
        rule.effect = given.effect;
        rule.methods = given.methods;
        for (auto const& operation : api.contract->operations()) {
            auto const& names = operation.parameter_names;
            bool is_one = given.operations.empty() || has(given.operations, operation.id);
            for (auto const& [name, values] : given.parameters)
                is_one = is_one && has(names, name);
            if (is_one) rule.operations.add(operation.index);
        }
        for (auto const& [name, texts] : given.parameters) {
            AllowedValues values;
            for (auto const& text : texts)
                values.emplace_back(text);
            rule.tests.push_back({name, static_cast<std::uint32_t>(caller.values.size())});
            caller.values.push_back(std::make_shared<AllowedValues const>(std::move(values)));
        }
        return rule;
    }
    static bool has(std::vector<std::string> const& names, std::string const& name) {
        return std::find(names.begin(), names.end(), name) != names.end();
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

using Rules = std::vector<Given>;

Given everything() {
    return {.methods = {.any = true, .names = {}}};
}
Rules within(std::string parameter, std::vector<std::string> values) {
    return {{.parameters = {{std::move(parameter), std::move(values)}}}};
}
// Everything but this.
Rules without(Given denied) {
    denied.effect = Effect::deny;
    return {everything(), std::move(denied)};
}

constexpr auto not_this_operation = "These credentials may not call this operation";
constexpr auto not_this_item = "These credentials may not call this operation with this itemId";

} // namespace

TEST_CASE("a request without a caller may do nothing") {
    Asked asked{"GET /v1/items", {everything()}};
    asked.exchange.decision.caller = nullptr;
    CHECK(asked.verdict() == not_this_operation);
}

TEST_CASE("a caller who may do nothing at an API is denied") {
    CHECK(Asked{"GET /v1/items", {}}.verdict() == not_this_operation);
    Asked unknown{"GET /v1/items", {everything()}};
    unknown.api.index = 1;
    CHECK(unknown.verdict() == not_this_operation);
    Asked none{"GET /v1/items", {everything()}};
    none.caller.permissions = nullptr;
    CHECK(none.verdict() == not_this_operation);
}

TEST_CASE("of listed operations no other one passes, nor one that the contract does not have") {
    Rules const listed{{.operations = {"getItem"}}};
    CHECK(Asked{"DELETE /v1/items/a", listed}.verdict() == not_this_operation);
    Asked unknown{"GET /v1/items/a", listed};
    unknown.exchange.decision.operation = nullptr;
    CHECK(unknown.verdict() == not_this_operation);
}

TEST_CASE("a request without an operation passes by its method, and a denied one in no spelling") {
    auto const verdict = [](std::string const& method, Rules const& rules) {
        Asked asked{"GET /v1/items", rules};
        asked.exchange.request.head.method_text = method;
        asked.exchange.decision.operation = nullptr;
        return asked.verdict();
    };
    CHECK(verdict("PATCH", {everything()}) == "passes");
    Rules const reads{{.methods = {.any = false, .names = {"GET", "HEAD"}}}};
    CHECK(verdict("GET", reads) == "passes");
    CHECK(verdict("get", reads) == not_this_operation);
    CHECK(verdict("POST", reads) == not_this_operation);
    auto const rules = without({.methods = {.any = false, .names = {"DELETE"}}});
    CHECK(verdict("DELETE", rules) == not_this_operation);
    CHECK(verdict("delete", rules) == not_this_operation);
    CHECK(verdict("PATCH", rules) == "passes");
}

TEST_CASE("a restricted parameter must have one of its values, decoded once") {
    auto const only_a = within("itemId", {"a b"});
    CHECK(Asked{"GET /v1/items/b", only_a}.verdict() == not_this_item);
    CHECK(Asked{"GET /v1/items/a%2520b", only_a}.verdict() == not_this_item);
    CHECK(Asked{"GET /v1/items/A%20b", only_a}.verdict() == not_this_item);
    CHECK(Asked{"GET /v1/items/a%20b", only_a}.verdict() == "passes");
    CHECK(Asked{"GET /v1/items/" + std::string(600, 'a'), only_a}.verdict() == not_this_item);
    CHECK(Asked{"HEAD /v1/items/b", only_a}.verdict() == not_this_item);
}

TEST_CASE("a restricted parameter is compared without what its style writes in front of it") {
    auto const only_a = within("itemId", {"a"});
    CHECK(Asked{"GET /v1/labels/a", only_a}.verdict() == not_this_item);
    CHECK(Asked{"GET /v1/labels/.b", only_a}.verdict() == not_this_item);
    CHECK(Asked{"GET /v1/labels/.%61", only_a}.verdict() == "passes");
    CHECK(Asked{"GET /v1/lists/.a", only_a}.verdict() == not_this_item);
}

TEST_CASE("a restricted parameter must have one of its values in every reading of the path") {
    auto const only_a = within("itemId", {"a"});
    CHECK(Asked{"GET /v1/parts/a-1.json", only_a}.verdict() == "passes");
    CHECK(Asked{"GET /v1/parts/b-1.json", only_a}.verdict() == not_this_item);
    // An upstream may read it as the item `a-b`.
    CHECK(Asked{"GET /v1/parts/a-b-1.json", only_a}.verdict() == not_this_item);
    auto const both = within("itemId", {"a", "a-b"});
    CHECK(Asked{"GET /v1/parts/a-b-1.json", both}.verdict() == "passes");
    CHECK(Asked{"GET /v1/parts/a-b-c-1.json", both}.verdict() == not_this_item);
}

TEST_CASE("each reading of a path may be allowed by another rule") {
    Rules const rules{{.parameters = {{"itemId", {"a"}}}}, {.parameters = {{"itemId", {"a-b"}}}}};
    CHECK(Asked{"GET /v1/parts/a-b-1.json", rules}.verdict() == "passes");
    CHECK(Asked{"GET /v1/parts/a-b-c-1.json", rules}.verdict() == not_this_item);
}

TEST_CASE("of a path with other names for other methods those of the operation count") {
    CHECK(Asked{"PUT /v1/items/a", within("itemId", {"a"})}.verdict() == not_this_operation);
    CHECK(Asked{"GET /v1/items/a", within("userId", {"a"})}.verdict() == not_this_operation);
    auto const user = within("userId", {"a"});
    CHECK(Asked{"PUT /v1/items/a", user}.verdict() == "passes");
    CHECK(Asked{"PUT /v1/items/b", user}.verdict()
          == "These credentials may not call this operation with this userId");
}

TEST_CASE("an operation without the restricted parameter is denied") {
    CHECK(Asked{"GET /v1/items", within("itemId", {"a"})}.verdict() == not_this_operation);
    // Also if a rule says that it holds for it.
    Asked asked{"GET /v1/items/a", within("userId", {"a"})};
    auto permissions = asked.caller.permissions->front();
    permissions.rules.front().operations.add(asked.exchange.decision.operation->index);
    permissions.combine();
    asked.caller.permissions =
        std::make_shared<std::vector<Permissions> const>(std::vector{permissions});
    CHECK(asked.verdict() == "These credentials may not call this operation with this userId");
}

TEST_CASE("every parameter of a rule must have one of its values") {
    Rules const both{{.parameters = {{"itemId", {"a"}}, {"part", {"1"}}}}};
    CHECK(Asked{"GET /v1/parts/a-1.json", both}.verdict() == "passes");
    CHECK(Asked{"GET /v1/parts/a-2.json", both}.verdict()
          == "These credentials may not call this operation with this part");
    CHECK(Asked{"GET /v1/parts/b-1.json", both}.verdict() == not_this_item);
}

TEST_CASE("one of several rules that allow is enough, whatever the others ask for") {
    Rules const rules{{.parameters = {{"itemId", {"a"}}}},
                      {.operations = {"getItem"}, .parameters = {{"itemId", {"b"}}}},
                      {.operations = {"getLabel"}}};
    CHECK(Asked{"GET /v1/items/b", rules}.verdict() == "passes");
    CHECK(Asked{"DELETE /v1/items/b", rules}.verdict() == not_this_item);
    CHECK(Asked{"GET /v1/labels/.c", rules}.verdict() == "passes");
}

TEST_CASE("what a rule denies does not pass, whatever allows it") {
    CHECK(Asked{"GET /v1/items/a", without({.operations = {"getItem"}})}.verdict()
          == not_this_operation);
    CHECK(Asked{"HEAD /v1/items/a", without({.operations = {"getItem"}})}.verdict()
          == not_this_operation);
    CHECK(Asked{"DELETE /v1/items/a", without({.operations = {"getItem"}})}.verdict() == "passes");
    Rules const both{{.parameters = {{"itemId", {"a"}}}},
                     {.effect = Effect::deny, .operations = {"getItem"}}};
    CHECK(Asked{"GET /v1/items/a", both}.verdict() == not_this_operation);
    CHECK(Asked{"DELETE /v1/items/a", both}.verdict() == "passes");
}

TEST_CASE("a denied value does not pass in any form that an upstream may take for it") {
    auto const rules = without({.parameters = {{"itemId", {"ab", "7"}}}});
    for (auto const* const value : {"ab", "AB", "%61b", "7", "07", "7.0", "+7", "%2B7", "7e0"}) {
        CAPTURE(value);
        CHECK(Asked{std::string{"GET /v1/items/"} + value, rules}.verdict() == not_this_item);
    }
    CHECK(Asked{"GET /v1/items/" + std::string(600, 'x'), rules}.verdict() == not_this_item);
    CHECK(Asked{"GET /v1/items/abc", rules}.verdict() == "passes");
    CHECK(Asked{"GET /v1/items/70", rules}.verdict() == "passes");
    CHECK(Asked{"GET /v1/items", rules}.verdict() == "passes");
}

TEST_CASE("a denied value does not pass in any reading of the path") {
    auto const rules = without({.parameters = {{"itemId", {"a-b"}}}});
    CHECK(Asked{"GET /v1/parts/a-b-1.json", rules}.verdict() == not_this_item);
    CHECK(Asked{"GET /v1/parts/a-1.json", rules}.verdict() == "passes");
}

TEST_CASE("a parameter with several values, or in another style, is denied as a whole") {
    CHECK(Asked{"GET /v1/exploded/b,a", without({.parameters = {{"itemIds", {"a"}}}})}.verdict()
          == "These credentials may not call this operation with this itemIds");
    CHECK(Asked{"GET /v1/labels/b", without({.parameters = {{"itemId", {"a"}}}})}.verdict()
          == not_this_item);
    CHECK(Asked{"GET /v1/labels/.b", without({.parameters = {{"itemId", {"a"}}}})}.verdict()
          == "passes");
}

TEST_CASE("a rule denies only if all of its parameters have one of its values") {
    auto const rules = without({.parameters = {{"itemId", {"a"}}, {"part", {"1"}}}});
    CHECK(Asked{"GET /v1/parts/a-1.json", rules}.verdict() == not_this_item);
    CHECK(Asked{"GET /v1/parts/a-2.json", rules}.verdict() == "passes");
    CHECK(Asked{"GET /v1/parts/b-1.json", rules}.verdict() == "passes");
}

TEST_CASE("what is allowed passes") {
    CHECK(Asked{"GET /v1/items", {everything()}}.verdict() == "passes");
    CHECK(Asked{"GET /v1/items/a", {{.operations = {"getItem"}}}}.verdict() == "passes");
    CHECK(Asked{"GET /v1/items/a", within("itemId", {"a"})}.verdict() == "passes");
}

TEST_CASE("a public operation may be called without a caller, and by one who may do nothing") {
    Asked asked{"GET /v1/items", {}};
    asked.api.operations.resize(asked.api.contract->operations().size());
    asked.api.operations[asked.exchange.decision.operation->index].is_public = true;
    CHECK(asked.verdict() == "passes");
    asked.exchange.decision.caller = nullptr;
    CHECK(asked.verdict() == "passes");
    Asked other{"GET /v1/items/1", {}};
    other.api.operations.resize(other.api.contract->operations().size());
    other.api.operations[asked.exchange.decision.operation->index].is_public = true;
    CHECK(other.verdict() == not_this_operation);
}

} // namespace allow_test

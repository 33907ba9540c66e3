// Which callers have the scopes that a contract asks for, and what the others are told.
#include "plugins/scopes/scopes.h"

#include "tests/unit/pipeline/double.h"

#include "gateway/pipeline/steps.h"

#include <catch2/catch.hpp>

#include <memory>
#include <string>
#include <vector>

namespace scopes_test {

using namespace sallyport;
using namespace sallyport::pipeline;

namespace {

constexpr std::string_view document = R"(
openapi: 3.1.0
info: { title: Test, version: "1" }
security: [ { oauth: [] } ]
paths:
  /v1/items:
    get: { operationId: listItems }
    put: { operationId: putItems, security: [ { oauth: [items.write, items.read] }, { oidc: [admin] }, { basic: [] } ] }
    post: { operationId: addItem, security: [ { basic: [operator] }, { oauth: ["not a token"] } ] }
    delete: { operationId: deleteItems, security: [ { basic: [operator] } ] }
components:
  securitySchemes:
    basic: { type: http, scheme: basic }
    oauth: { type: oauth2, flows: {} }
    oidc: { type: openIdConnect, openIdConnectUrl: "https://a" }
)";

using Words = std::vector<std::string_view>;

struct Asked : pipeline::test::Fixture {
    explicit Asked(std::string_view method, std::string_view path = "/v1/items")
        : Fixture{std::string{method} + ' ' + std::string{path} + " HTTP/1.1\r\nHost: h\r\n\r\n"} {
        auto const loaded = contract::Contract::load_text(document, "test.yaml");
        REQUIRE(loaded.contract);
        api.contract = loaded.contract;
        api.name = "items";
        std::vector<contract::Operation const*> operations;
        for (auto const& operation : api.contract->operations())
            if (operation.security.has_scopes()) operations.push_back(&operation);
        api.scopes = std::make_unique<ScopeRules const>(std::move(operations));
        exchange.decision.caller = &caller;
        auto const refused = find_operation(exchange.request, exchange.decision);
        REQUIRE((path != "/v1/items") == (refused != nullptr));
    }
    // A caller with credentials of this scheme.
    std::string of(std::string_view scheme, Words const& scopes) {
        Words const schemes{scheme};
        caller.within_scope = std::make_shared<std::vector<OperationSet> const>(
            std::vector<OperationSet>{api.scopes->within(schemes, scopes)});
        exchange.decision.authorization.scheme = scheme == "bearer" ? "Bearer" : "Basic";
        return verdict();
    }
    // "passes", or the challenge of the denial.
    std::string verdict() {
        auto const plugin = plugins::make_scopes(api);
        exchange.decision.auth_failure = AuthFailure::none;
        auto verdict = ask(*plugin);
        bool const passes = verdict.kind() == Verdict::Kind::pass;
        CHECK((exchange.decision.auth_failure == AuthFailure::scope) == !passes);
        if (passes) return "passes";
        auto const denial = std::move(verdict).take_denial();
        CHECK(denial->reason == Reason::forbidden);
        CHECK(denial->public_detail == "These credentials lack a scope that this operation needs");
        if (denial->fields.empty()) return "no challenge";
        CHECK(denial->fields.size() == 1);
        CHECK(denial->fields[0].name == "WWW-Authenticate");
        return denial->fields[0].value;
    }

    Identity caller;
};

constexpr auto needs_both = R"(Bearer realm="items", error="insufficient_scope", )"
                            R"(scope="items.read items.write")";

} // namespace

TEST_CASE("an operation without scopes is open to every caller") {
    CHECK(Asked{"GET"}.of("bearer", {}) == "passes");
    Asked alone{"GET"};
    alone.exchange.decision.caller = nullptr;
    CHECK(alone.verdict() == "passes");
    // What the contract does not have is no operation.
    CHECK(Asked("GET", "/v1/none").of("bearer", {}) == "passes");
}

TEST_CASE("one alternative is enough, and all scopes of it are needed") {
    CHECK(Asked{"PUT"}.of("bearer", {"items.read", "items.write"}) == "passes");
    CHECK(Asked{"PUT"}.of("bearer", {"admin"}) == "passes");
    CHECK(Asked{"PUT"}.of("bearer", {"x", "items.write", "items.read"}) == "passes");
    CHECK(Asked{"PUT"}.of("bearer", {"items.write"}) == needs_both);
    CHECK(Asked{"PUT"}.of("bearer", {"items"}) == needs_both);
    CHECK(Asked{"PUT"}.of("bearer", {}) == needs_both);
}

TEST_CASE("an alternative is for callers of its scheme alone") {
    CHECK(Asked{"PUT"}.of("basic", {}) == "passes");
    CHECK(Asked{"POST"}.of("basic", {"operator"}) == "passes");
    CHECK(Asked{"POST"}.of("bearer", {"operator"}) != "passes");
    CHECK(Asked{"DELETE"}.of("basic", {}) == "no challenge");
    CHECK(Asked{"PUT"}.of("client_certificate", {"admin"}) == "no challenge");
}

TEST_CASE("a challenge names scopes if they can stand there") {
    CHECK(Asked{"POST"}.of("bearer", {}) == R"(Bearer realm="items", error="insufficient_scope")");
    CHECK(Asked{"DELETE"}.of("bearer", {})
          == R"(Bearer realm="items", error="insufficient_scope")");
}

TEST_CASE("a caller of whom nothing is known has no scopes") {
    Asked asked{"PUT"};
    CHECK(asked.verdict() == "no challenge");
    asked.exchange.decision.caller = nullptr;
    CHECK(asked.verdict() == "no challenge");
    // Those of another API are not those of this one.
    Asked other{"PUT"};
    other.api.index = 1;
    CHECK(other.of("bearer", {"admin"}) == needs_both);
}

TEST_CASE("an API without scopes has no check") {
    Asked asked{"PUT"};
    asked.api.scopes = nullptr;
    CHECK(plugins::make_scopes(asked.api) == nullptr);
}

} // namespace scopes_test

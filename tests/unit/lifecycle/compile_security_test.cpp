// `security: use`: which callers the contract lets use its operations.
#include "tests/unit/support/snapshot.h"

namespace compile_security_test {

using namespace sallyport;
using namespace sallyport::lifecycle;

namespace {

constexpr std::string_view contract = R"(openapi: 3.1.0
info: { title: Test, version: "1" }
security: [ { token: [] } ]
paths:
  /v1/login: { post: { operationId: login, security: [] } }
  /v1/optional: { get: { operationId: optional, security: [ { basic: [] }, {} ] } }
  /v1/items:
    get: { operationId: listItems }
    put: { operationId: putItems, security: [ { basic: [] }, { token: [] } ] }
    post: { operationId: addItem, security: [ { basic: [] }, { key: [] } ] }
    delete: { operationId: deleteItems, security: [ { basic: [operator, night] }, { token: [write] } ] }
    patch: { operationId: patchItems, security: [ { basic: [operator] }, { token: [write] }, {} ] }
  /v1/keys:
    get: { operationId: getKeys, security: [ { key: [] } ] }
    put: { operationId: putKeys, security: [ { key: [] } ] }
components:
  securitySchemes:
    basic: { type: http, scheme: basic }
    token: { type: oauth2, flows: {} }
    key: { type: apiKey, in: cookie, name: key }
)";

constexpr std::string_view rule_of_keys = "rules: [{ path: /v1/keys, authenticate: [basic] }]";

struct Used {
    explicit Used(std::string const& authenticate, std::string const& keys,
                  std::string const& entry = {}) {
        folder.write("used.yaml", contract);
        folder.write("credentials.yaml",
                     "credentials: [ { name: tester, allow: all, basic: { key_id: tester, secrets: "
                     "[\"sha256:"
                         + sallyport::test::sha256_hex(lifecycle::test::secret) + "\"] } " + entry
                         + " } ]");
        folder.write("sallyport.yaml",
                     "listeners: [ { name: public, address: '127.0.0.1:0', tls: off } ]\n"
                     "credentials: { file: credentials.yaml }\n"
                     "upstreams: { up: { endpoints: ['http://a.example'] } }\n"
                     "apis: { used: { contract: used.yaml, upstream: up, authenticate: ["
                         + authenticate + "], " + keys + " } }\n");
        compiled = load((folder / "sallyport.yaml").string(), sallyport::test::tables(),
                        lifecycle::test::fresh());
    }
    pipeline::Api const& api() const {
        REQUIRE(compiled.snapshot);
        return *compiled.snapshot->apis.all().front();
    }
    // "basic bearer", or "public"; "as the API" where nothing was said.
    std::string of(std::string_view operation) const {
        auto const* const found = api().settings_of(api().contract->find_operation(operation));
        if (found == nullptr || found->authenticate.empty()) return "as the API";
        std::string names = found->is_public ? "public" : "";
        for (auto const& set : found->authenticate)
            if (!found->is_public) names += (names.empty() ? "" : " ") + set.text();
        return names;
    }
    // What the scopes of the only entry are enough for.
    std::string within_scope() const {
        auto const& identity = compiled.snapshot->credentials->all().front()->identity;
        std::string names;
        for (auto const& operation : api().contract->operations())
            if (identity.is_within_scope(api().index, operation.index))
                names += (names.empty() ? "" : " ") + operation.id;
        return names;
    }
    std::string problems() const {
        std::string text;
        for (auto const& problem : compiled.problems) {
            text += std::to_string(problem.where.line) + ": " + problem.path + ": " + problem.what
                    + "\n";
        }
        return text;
    }

    sallyport::test::TemporaryFolder folder;
    Compiled compiled;
};

} // namespace

TEST_CASE("security of the contract narrows who may call, and makes operations public") {
    Used const used{"basic, bearer", std::string{"security: use, "} + std::string{rule_of_keys}};
    CHECK(used.problems().empty());
    CHECK(used.api().authenticates_by_operation);
    CHECK(used.of("login") == "public");
    CHECK(used.of("optional") == "public");
    CHECK(used.of("listItems") == "bearer");
    CHECK(used.of("putItems") == "as the API");
    CHECK(used.of("addItem") == "basic");
    CHECK(used.of("getKeys") == "basic");
    CHECK(config::names_any(used.api().authenticator_sets(), "anonymous"));
}

TEST_CASE("a rule of the configuration counts before the contract") {
    Used const used{"basic, bearer",
                    "security: use, rules: [{ path: /v1/*, authenticate: [bearer] }, "
                    "{ operation: addItem, authenticate: [anonymous] }]"};
    CHECK(used.problems().empty());
    CHECK(used.of("login") == "bearer");
    CHECK(used.of("getKeys") == "bearer");
    CHECK(used.of("addItem") == "public");
}

TEST_CASE("without security: use the contract says nothing of callers") {
    for (std::string const keys : {"security: ignore", "forward_cookies: false"}) {
        Used const used{"basic", keys};
        CHECK(used.problems().empty());
        CHECK(used.of("login") == "as the API");
        CHECK(used.of("getKeys") == "as the API");
        CHECK_FALSE(used.api().authenticates_by_operation);
    }
}

TEST_CASE("scopes of entries are compiled to the operations that they are enough for") {
    std::string const keys = "security: use, " + std::string{rule_of_keys};
    auto const within = [&keys](std::string const& entry) {
        Used const used{"basic, bearer", keys, entry};
        CHECK(used.problems().empty());
        REQUIRE(used.api().scopes);
        return used.within_scope();
    };
    CHECK(within("") == "");
    CHECK(within(", scopes: [operator]") == "");
    CHECK(within(", scopes: [night, operator]") == "deleteItems");
    // A scope of an alternative of another scheme.
    CHECK(within(", scopes: [write]") == "");
    CHECK(within(", client_certificate: { subject: CN=a }, scopes: [operator, night]")
          == "deleteItems");

    // Public operations, and those of a rule, need none.
    Used const ruled{"basic, bearer",
                     "security: use, rules: [{ path: /v1/*, authenticate: [basic] }]"};
    CHECK(ruled.problems().empty());
    CHECK(ruled.api().scopes == nullptr);
    CHECK(Used("basic", "security: ignore").api().scopes == nullptr);
}

TEST_CASE("a scope for which no contract asks is warned of") {
    Used const used{"basic, bearer", "security: use, " + std::string{rule_of_keys},
                    ", scopes: [operatr, night]"};
    CHECK(used.problems()
          == "1: credentials[0].scopes[0]: no contract asks for the scope \"operatr\"\n");
    // Where no contract asks for any it may be meant for another gateway.
    CHECK(Used("basic", "security: ignore", ", scopes: [operatr]").problems().empty());
}

TEST_CASE("an operation that no client could use is an error at its place") {
    CHECK(Used("basic, bearer", "security: use").problems()
          == "14: paths[\"/v1/keys\"].get.security: no client could use getKeys, which takes only "
             "key (apiKey): no authenticator does\n"
             "15: paths[\"/v1/keys\"].put.security: no client could use putKeys, which takes only "
             "key (apiKey): no authenticator does\n");
    std::string const keys = std::string{"security: use, "} + std::string{rule_of_keys};
    CHECK(Used("basic", keys).problems()
          == "3: security: no client could use listItems, which takes only bearer: "
             "`authenticate` of the API \"used\" does not have it\n");
    // A public API has no callers to narrow.
    CHECK(Used("anonymous", "security: use, rules: [{ path: /v1/keys, authenticate: [anonymous] }, "
                            "{ path: /v1/items, authenticate: [anonymous] }]")
              .problems()
              .empty());
    CHECK(Used("anonymous", "security: use").problems().starts_with("3: security: no client"));
}

} // namespace compile_security_test

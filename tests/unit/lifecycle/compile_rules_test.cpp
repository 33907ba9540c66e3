// Rules of an API: which operations they choose, and what they change of them.
#include "tests/unit/support/snapshot.h"

namespace compile_rules_test {

using namespace sallyport;
using namespace sallyport::lifecycle;

namespace {

constexpr std::string_view contract = R"(
openapi: 3.1.0
info: { title: Test, version: "1" }
paths:
  /v1/login: { post: { operationId: login, tags: [public] } }
  /v1/items:
    get: { operationId: listItems, tags: [items, public, 7], x-retry: safe }
    post: { operationId: addItem, tags: [items] }
  /v1/items/{id}:
    parameters: [ { name: id, in: path, required: true, schema: {} } ]
    get: { operationId: getItem, tags: nothing }
)";

// An API of this contract with these rules.
struct Ruled {
    explicit Ruled(std::string const& rules) {
        folder.write("ruled.yaml", contract);
        folder.write("credentials.yaml",
                     "credentials: [ { name: tester, allow: all, basic: { key_id: tester, secrets: "
                     "[\"sha256:"
                         + sallyport::test::sha256_hex(lifecycle::test::secret) + "\"] } } ]");
        folder.write("sallyport.yaml",
                     "listeners: [ { name: public, address: '127.0.0.1:0', tls: off } ]\n"
                     "credentials: { file: credentials.yaml }\n"
                     "upstreams:\n  up: { endpoints: ['http://a.example'] }\n"
                     "  other: { endpoints: ['http://b.example'] }\n"
                     "apis:\n  ruled:\n    contract: ruled.yaml\n    upstream: up\n"
                     "    authenticate: [basic, bearer]\n    rules: ["
                         + rules + "]\n");
        compiled = load((folder / "sallyport.yaml").string(), sallyport::test::tables(),
                        lifecycle::test::fresh());
    }
    pipeline::Api const& api() const {
        REQUIRE(compiled.snapshot);
        return *compiled.snapshot->apis.all().front();
    }
    pipeline::OperationSettings const& of(std::string_view operation) const {
        auto const* const found = api().settings_of(api().contract->find_operation(operation));
        REQUIRE(found != nullptr);
        return *found;
    }
    // The operations at level `off`, in the order of the contract.
    std::string switched_off() const {
        std::string names;
        for (auto const& operation : api().contract->operations()) {
            if (api().levels.of_requests(operation.index) == contract::Level::off)
                names += (names.empty() ? "" : " ") + operation.id;
        }
        return names;
    }
    std::string problems() const {
        std::string text;
        for (auto const& problem : compiled.problems) {
            auto const described = config::yaml::describe(problem);
            text += described.substr(described.find("apis.")) + "\n";
        }
        return text;
    }

    sallyport::test::TemporaryFolder folder;
    Compiled compiled;
};

} // namespace

TEST_CASE("a rule is one of the operations that fit all that it names") {
    auto const chosen = [](std::string const& selectors) {
        return Ruled{"{ level: off, " + selectors + " }"}.switched_off();
    };
    CHECK(chosen("operation: addItem") == "addItem");
    CHECK(chosen("tag: items") == "listItems addItem");
    CHECK(chosen("tag: public") == "login listItems");
    CHECK(chosen("method: GET") == "listItems getItem");
    CHECK(chosen("path: /v1/items") == "listItems addItem");
    CHECK(chosen("path: '/v1/items/*'") == "getItem");
    CHECK(chosen("path: '/v1/*'") == "login listItems addItem getItem");
    CHECK(chosen("path: '/v1/items/{id}'") == "getItem");
    CHECK(chosen("tag: items, method: POST") == "addItem");
    CHECK(chosen("tag: public, path: '/v1/items', method: GET") == "listItems");
}

TEST_CASE("a rule that fits no operation is refused, with what it may have meant") {
    auto const problems = [](std::string const& selectors) {
        return Ruled{"{ level: off, " + selectors + " }"}.problems();
    };
    CHECK(problems("operation: addItems")
          == "apis.ruled.rules[0]: the contract has no operation \"addItems\"; did you mean "
             "\"addItem\"?\n");
    CHECK(problems("tag: item")
          == "apis.ruled.rules[0]: no operation of the contract has the tag \"item\"; did you mean "
             "\"items\"?\n");
    CHECK(problems("method: PUT")
          == "apis.ruled.rules[0]: no operation of the contract has the method \"PUT\"; write "
             "one of GET or POST\n");
    CHECK(
        problems("path: '/v1/login/*'")
            .starts_with(
                "apis.ruled.rules[0]: no operation of the contract has the path \"/v1/login/*\""));
    CHECK(problems("tag: items, path: /v1/login")
          == "apis.ruled.rules[0]: no operation fits all that this rule names; write a rule for "
             "each of them\n");
}

TEST_CASE("a rule changes what it says, and leaves the rest to contract, API and upstream") {
    Ruled const ruled{"{ tag: items, upstream: other, body_limit: 2KiB, retry: never, "
                      "timeouts: { idle: 1s }, log_bodies: { requests: all } }"};
    CHECK(ruled.api().operations.size() == 4);
    auto const& changed = ruled.of("addItem");
    CHECK(changed.upstream == 1);
    CHECK(changed.body_limit == 2048);
    CHECK(changed.retry == config::Retry::never);
    CHECK(changed.timeouts.idle == std::chrono::seconds{1});
    CHECK_FALSE(changed.timeouts.total);
    CHECK(changed.log_bodies.requests == config::BodyLogging::all);
    CHECK_FALSE(changed.log_bodies.responses);
    CHECK(changed.authenticate.empty());
    CHECK_FALSE(ruled.of("getItem").upstream);
    CHECK_FALSE(ruled.api().authenticates_by_operation);
}

TEST_CASE("of rules that say the same of an operation the last one applies") {
    Ruled const ruled{"{ tag: items, upstream: other, body_limit: 2KiB }, "
                      "{ operation: addItem, upstream: up }, { method: POST, body_limit: 1KiB }"};
    CHECK(ruled.of("addItem").upstream == 0);
    CHECK(ruled.of("addItem").body_limit == 1024);
    CHECK(ruled.of("listItems").upstream == 1);
    CHECK(ruled.of("listItems").body_limit == 2048);
    Ruled const levels{"{ tag: public, level: off }, { operation: login, level: report }"};
    CHECK(levels.switched_off() == "listItems");
}

TEST_CASE("levels alone make no settings") {
    Ruled const ruled{"{ tag: items, level: report }"};
    CHECK(ruled.api().operations.empty());
}

TEST_CASE("an operation without credentials is public, one with some of the API's is not") {
    Ruled const ruled{"{ operation: login, authenticate: [anonymous] }, "
                      "{ operation: addItem, authenticate: [bearer] }"};
    CHECK(ruled.api().authenticates_by_operation);
    CHECK(ruled.of("login").is_public);
    CHECK(ruled.of("login").authenticate == config::AuthenticatorSets{"anonymous"});
    CHECK_FALSE(ruled.of("addItem").is_public);
    CHECK(ruled.of("addItem").authenticate == config::AuthenticatorSets{"bearer"});
    CHECK(ruled.of("getItem").authenticate.empty());
    CHECK(config::names_any(ruled.api().authenticator_sets(), "anonymous"));
}

} // namespace compile_rules_test

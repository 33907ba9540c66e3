// Rules of single operations: public ones, other upstreams, limits, and what strangers learn of it.
#include "tests/end_to_end/stage.h"

#include <catch2/catch.hpp>

namespace e30_rules_by_operation {

using namespace sallyport::test;

namespace {

constexpr std::string_view contract = R"yaml(openapi: 3.1.0
info: { title: T, version: "1" }
paths:
  /v1/login:
    post:
      operationId: login
      tags: [public]
      requestBody:
        required: true
        content: { application/json: { schema: { type: object, required: [user] } } }
  /v1/items:
    get: { operationId: listItems }
    post:
      operationId: addItem
      requestBody: { content: { application/json: { schema: { type: object } } } }
)yaml";

struct Ruled {
    explicit Ruled(std::string const& rules)
        : stage{{},
                [this, rules](Configuration& configuration) {
                    with_upstream("credential: pass_issued")(configuration);
                    configuration.upstreams += upstream_yaml("second", second.endpoint());
                    configuration.apis = "  own: { contract: own.yaml, upstream: management, "
                                         "authenticate: [basic], rules: ["
                                         + rules + "] }\n";
                },
                options()} {}

    static Gateway::Options options() {
        Gateway::Options options;
        auto const all = standard_credentials();
        options.credentials = all.substr(0, all.find("  - name: ", all.find("administrator")));
        options.files["own.yaml"] = contract;
        return options;
    }

    // The status and the reason of a request, and whose it was.
    std::string outcome_of(Outgoing const& outgoing) const {
        auto const response = stage.send(outgoing);
        auto const line = stage.log_of(response);
        auto text = std::to_string(response.status);
        if (!line["reason"].is_null()) text += ' ' + line.text("reason");
        return text + (line["credential"].is_null() ? "" : " of " + line.text("credential"));
    }

    RecordingUpstream second;
    Stage stage;
};

Outgoing by_caller(std::string_view method, std::string_view target) {
    return Outgoing{method, target}.authorization(basic(administrator));
}

std::string const user = R"({"user": "a"})";

} // namespace

TEST_CASE("a public operation needs no credentials, and is checked like any other") {
    Ruled ruled{"{ tag: public, authenticate: [anonymous] }"};
    CHECK(ruled.outcome_of(Outgoing{"POST", "/v1/login"}.body(user)) == "200");
    CHECK(ruled.outcome_of(Outgoing{"POST", "/v1/login"}.body("{}")) == "400 contract_violation");
    CHECK(ruled.outcome_of(Outgoing{"POST", "/v1/items"}.body("{}")) == "401 unauthenticated");
    CHECK(ruled.outcome_of(by_caller("POST", "/v1/items").body("{}")) == "200 of administrator");
    // Credentials are not looked at, and do not reach the upstream.
    CHECK(ruled.outcome_of(by_caller("POST", "/v1/login").body(user)) == "200");
    CHECK(ruled.outcome_of(
              Outgoing{"POST", "/v1/login"}.authorization("Basic bm9ib2R5OnguLi4=").body(user))
          == "200");
    for (auto const& request : ruled.stage.upstream.requests())
        CHECK(request.fields.find("Authorization").has_value() == (request.target == "/v1/items"));
    ruled.stage.finish();
}

TEST_CASE("strangers learn of public operations alone") {
    Ruled ruled{"{ tag: public, authenticate: [anonymous] }"};
    for (auto const& [method, target] :
         std::initializer_list<std::pair<std::string, std::string>>{{"GET", "/v1/login"},
                                                                    {"POST", "/v1/login/"},
                                                                    {"POST", "/v1/LOGIN"},
                                                                    {"POST", "/v1/%6Cogin"},
                                                                    {"GET", "/v1/items"},
                                                                    {"GET", "/v1/nothing"}}) {
        CAPTURE(method, target);
        CHECK(ruled.outcome_of(Outgoing{method, target}) == "401 unauthenticated");
    }
    CHECK(ruled.stage.upstream.requests().empty());
    ruled.stage.finish();
}

TEST_CASE("an operation has the upstream of its rule, and the log and the metrics say so") {
    Ruled ruled{"{ method: POST, path: \"/v1/*\", upstream: second }"};
    auto const response = ruled.stage.send(by_caller("POST", "/v1/items").body("{}"));
    CHECK(response.status == 200);
    CHECK(ruled.stage.log_of(response).text("upstream") == ruled.second.endpoint());
    CHECK(ruled.outcome_of(by_caller("GET", "/v1/items")) == "200 of administrator");
    CHECK(ruled.second.requests().size() == 1);
    CHECK(ruled.stage.upstream.requests().size() == 1);
    ruled.stage.finish();
}

TEST_CASE("the last rule of an operation applies, key by key") {
    Ruled ruled{"{ path: \"/v1/*\", body_limit: 4B, upstream: second }, "
                "{ operation: addItem, body_limit: 1KiB }"};
    CHECK(ruled.outcome_of(by_caller("POST", "/v1/items").body(R"({"a": 1})"))
          == "200 of administrator");
    CHECK(ruled.outcome_of(by_caller("POST", "/v1/login").body(user))
          == "413 body_too_large of administrator");
    CHECK(ruled.second.requests().size() == 1);
    ruled.stage.finish();
}

} // namespace e30_rules_by_operation

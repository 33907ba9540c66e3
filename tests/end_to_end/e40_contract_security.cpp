// `security: use`: the contract says who may call its operations; and what `check` says of it.
#include "tests/end_to_end/stage.h"
#include "tests/support/encodings.h"

#include <catch2/catch.hpp>

namespace e40_contract_security {

using namespace sallyport::test;

namespace {

constexpr std::string_view contract = R"yaml(openapi: 3.1.0
info: { title: T, version: "1" }
security: [ { password: [] } ]
paths:
  /v1/login: { post: { operationId: login, security: [] } }
  /v1/maybe: { get: { operationId: maybe, security: [ { token: [] }, {} ] } }
  /v1/items:
    get: { operationId: listItems }
    put: { operationId: putItems, security: [ { token: [ write ] } ] }
  /v1/keys:
    get: { operationId: getKeys, security: [ { key: [] } ] }
components:
  securitySchemes:
    password: { type: http, scheme: basic }
    token: { type: oauth2, flows: {} }
    key: { type: apiKey, in: cookie, name: key }
)yaml";

struct Secured {
    explicit Secured(std::string const& keys)
        : stage{{},
                [&](Configuration& configuration) {
                    configuration.apis = "  own: { contract: own.yaml, upstream: management, "
                                         "authenticate: [basic, bearer], "
                                         + keys + " }\n";
                },
                options()} {}

    static Gateway::Options options() {
        Gateway::Options options;
        auto const all = standard_credentials();
        options.credentials = all.substr(0, all.find("  - name: ", all.find("administrator")))
                              + "  - name: observer\n    bearer: { tokens: [\"sha256:"
                              + sha256_hex(observer_token) + "\"] }\n    allow: all\n";
        options.files["own.yaml"] = contract;
        return options;
    }

    // The statuses without credentials, with Basic and with Bearer.
    std::string statuses(std::string_view method, std::string_view target) const {
        Outgoing const without{method, target};
        std::string all;
        for (auto const& authorization :
             {std::string{}, basic(administrator), bearer(observer_token)}) {
            Outgoing request = without;
            if (!authorization.empty()) request.authorization(authorization);
            all += std::to_string(stage.send(request).status) + ' ';
        }
        return all;
    }

    Stage stage;
};

std::string const rule_of_keys = "rules: [{ operation: getKeys, authenticate: [basic] }]";

} // namespace

TEST_CASE("the contract says which credentials an operation takes, and which needs none") {
    Secured secured{"security: use, " + rule_of_keys};
    CHECK(secured.statuses("POST", "/v1/login") == "200 200 200 ");
    CHECK(secured.statuses("GET", "/v1/maybe") == "200 200 200 ");
    CHECK(secured.statuses("GET", "/v1/items") == "401 200 401 ");
    CHECK(secured.statuses("PUT", "/v1/items") == "401 401 200 ");
    CHECK(secured.statuses("GET", "/v1/keys") == "401 200 401 ");
    // A client without credentials does not learn which paths the contract lacks.
    CHECK(secured.statuses("GET", "/v1/login") == "401 405 405 ");
    CHECK(secured.statuses("GET", "/v1/none") == "401 403 403 ");
    // Credentials of a public operation do not reach the upstream.
    CHECK(secured.stage.upstream.request(1).target == "/v1/login");
    CHECK(secured.stage.upstream.request(1).fields.count("Authorization") == 0);
    auto const login = secured.stage.send(Outgoing{"POST", "/v1/login"});
    CHECK(secured.stage.log_of(login)["credential"].is_null());
    secured.stage.finish();
}

TEST_CASE("by default the contract says nothing of callers") {
    Secured secured{"security: ignore"};
    CHECK(secured.statuses("POST", "/v1/login") == "401 200 200 ");
    CHECK(secured.statuses("PUT", "/v1/items") == "401 200 200 ");
    CHECK(secured.statuses("GET", "/v1/keys") == "401 200 200 ");
    secured.stage.finish();
}

TEST_CASE("check says where the contract differs, and what of it has no effect") {
    auto const checked = [](std::string const& keys) {
        Secured secured{keys};
        auto const folder = secured.stage.gateway.folder();
        auto const result = run_gateway({"check", "--offline", "sallyport.yaml"}, {}, folder);
        secured.stage.finish();
        CHECK(result.exit_code == 0);
        std::string lines;
        for (std::size_t at = 0; at < result.output.size();) {
            auto const end = result.output.find('\n', at);
            auto const line = result.output.substr(at, end - at);
            auto const warning = line.find("warning: ");
            if (warning != std::string::npos) lines += line.substr(warning) + '\n';
            at = end + 1;
        }
        return lines;
    };
    CHECK(checked("requests: enforce")
          == "warning: apis.own.contract: `security` of the contract says otherwise than "
             "`authenticate`: login is public there, maybe is public there, listItems takes only "
             "basic there, and 1 more; write security: use to follow it, or security: ignore\n");
    CHECK(checked("security: ignore").empty());
    CHECK(checked("security: use, " + rule_of_keys)
          == "warning: paths[\"/v1/items\"].put.security: scopes are not checked; restrict "
             "credentials with `allow`\n");
}

} // namespace e40_contract_security

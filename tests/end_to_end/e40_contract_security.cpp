// `security: use`: the contract says who may call its operations; and what `check` says of it.
#include "tests/end_to_end/stage.h"
#include "tests/support/encodings.h"
#include "tests/support/token_signer.h"

#include <catch2/catch.hpp>

#include <ctime>

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
    put: { operationId: putItems, security: [ { token: [] } ] }
    patch: { operationId: patchItems, security: [ { token: [write] }, { password: [operator] } ] }
  /v1/keys:
    get: { operationId: getKeys, security: [ { key: [] } ] }
components:
  securitySchemes:
    password: { type: http, scheme: basic }
    token: { type: oauth2, flows: {} }
    key: { type: apiKey, in: cookie, name: key }
)yaml";

constexpr std::string_view writer_token = "Writer.token.0123456789abcdefghij";

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
    CHECK(secured.statuses("PATCH", "/v1/items") == "401 403 403 ");
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

TEST_CASE("scopes that the contract asks for are those of a token, or of an entry") {
    TokenSigner const signer{"ES256", "k1"};
    auto options = Secured::options();
    options.credentials =
        "roles: { all: { allow: { apis: [own] } } }\n" + options.credentials
        + "  - name: writer\n    bearer: { tokens: [\"sha256:" + sha256_hex(writer_token)
        + "\"] }\n    scopes: [write]\n    allow: all\n";
    options.files["keys.json"] = key_set({signer.jwk()});
    Stage stage{{},
                [](Configuration& configuration) {
                    configuration.apis =
                        "  own: { contract: own.yaml, upstream: management, security: use, "
                        "authenticate: [basic, bearer, jwt], jwt: { issuer: i, audience: a, "
                        "algorithms: [ES256], keys: { file: keys.json }, "
                        "roles: { always: [all] } }, "
                        + rule_of_keys + " }\n";
                },
                options};
    auto const send = [&stage](std::string const& authorization) {
        return stage.send(Outgoing{"PATCH", "/v1/items"}.authorization(authorization));
    };
    auto const token = [&signer](std::string const& scope) {
        return "Bearer "
               + signer.token(R"({"iss":"i","aud":"a","sub":"s","exp":)"
                              + std::to_string(std::time(nullptr) + 600) + scope + '}');
    };
    CHECK(send(bearer(writer_token)).status == 200);
    CHECK(send(token(R"(,"scope":"read write")")).status == 200);
    CHECK(stage.upstream.requests().size() == 2);

    for (auto const& wrong : {token(""), token(R"(,"scope":"read")"), token(R"(,"scope":"writes")"),
                              bearer(observer_token)}) {
        auto const refused = send(wrong);
        CHECK(refused.status == 403);
        CHECK(refused.fields.one("WWW-Authenticate")
              == R"(Bearer realm="own", error="insufficient_scope", scope="write")");
        CHECK(stage.log_of(refused).text("reason") == "forbidden");
        CHECK(stage.log_of(refused).text("auth_failure") == "scope");
        CHECK(stage.log_of(refused).text("auth_rule").ends_with("/own.yaml:10"));
    }
    // A token cannot help a caller with a password.
    auto const refused = send(basic(administrator));
    CHECK(refused.status == 403);
    CHECK(refused.fields.count("WWW-Authenticate") == 0);
    CHECK(stage.log_of(refused).text("auth_failure") == "scope");
    CHECK(stage.log_of(refused).text("credential") == "administrator");
    CHECK(stage.upstream.requests().size() == 2);
    stage.finish();

    auto const folder = stage.gateway.folder();
    auto const who = run_gateway(
        {"access", "-c", "sallyport.yaml", "--operation", "own/patchItems"}, {}, folder);
    CHECK(who.exit_code == 0);
    CHECK(who.output.find("  writer\n") != std::string::npos);
    CHECK(who.output.find("  tokens with the role all and the scope write or operator\n")
          != std::string::npos);
    CHECK(who.output.find("observer") == std::string::npos);
    auto const as_json = run_gateway(
        {"access", "-c", "sallyport.yaml", "--operation", "own/patchItems", "--format", "json"}, {},
        folder);
    auto const found = Json::parse(as_json.output);
    CHECK(found["scopes"][0][0].string == "write");
    CHECK(found["scopes"][1][0].string == "operator");
    CHECK(found["credentials"].items.size() == 1);
    auto const what =
        run_gateway({"access", "-c", "sallyport.yaml", "--credential", "observer"}, {}, folder);
    CHECK(what.output.find("(needs the scope write or operator)") != std::string::npos);
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
    CHECK(checked("security: use, " + rule_of_keys).empty());
    CHECK(checked("security: use, rules: [{ path: /v1/keys, authenticate: [basic] }, "
                  "{ operation: patchItems, authenticate: [basic] }]")
              .empty());
}

} // namespace e40_contract_security

// Callers of one name: whose they are, and what an unauthenticated client cannot tell.
#include "tests/end_to_end/prepared.h"

#include "tests/support/encodings.h"
#include "tests/support/token_signer.h"

#include <catch2/catch.hpp>

#include <ctime>

namespace e55_who_is_who {

using namespace sallyport::test;

namespace {

constexpr std::string_view roles = "roles:\n  user: { allow: { apis: [one, two] } }\n";

// Two APIs of one upstream, each with an issuer of its own.
Change two_issuers(std::string const& identity) {
    return [identity](Configuration& configuration) {
        for (std::string const name : {"one", "two"})
            configuration.apis +=
                "  " + name + ": { paths: [\"/" + name
                + "/\"], upstream: management, authenticate: [jwt], jwt: { issuer: \"https://"
                + name + ".example\", audience: x, algorithms: [ES256], keys: { file: keys.json }, "
                  "roles: { always: [user] } } }\n";
        if (!identity.empty()) with_upstream("identity: " + identity)(configuration);
    };
}

std::string token_of(TokenSigner const& signer, std::string const& issuer) {
    return signer.token(R"({"iss":"https://)" + issuer + R"(.example","aud":"x","sub":"ann","exp":)"
                        + std::to_string(std::time(nullptr) + 600) + '}');
}

} // namespace

TEST_CASE("an upstream can tell callers of one name by their issuers, in a field and in a claim") {
    TokenSigner const signer{"ES256", "k1"};
    Stage stage{{},
                both(two_issuers("{ header: X-Caller, labels: { X-Caller-Issuer: issuer }, "
                                 "assertion: { issuer: gateway, audience: up } }"),
                     [](Configuration& configuration) {
                         configuration.rest += "admin: { address: 127.0.0.1:0 }\n";
                     }),
                {.credentials = std::string{roles} + standard_credentials(),
                 .files = {{"keys.json", key_set({signer.jwk()})}}}};
    std::size_t number = 0;
    for (std::string const name : {"one", "two"}) {
        auto const response =
            stage.send(Outgoing{"GET", "/" + name + "/"}
                           .add("Authorization", "Bearer " + token_of(signer, name))
                           .add("X-Caller-Issuer", "https://another.example"));
        CHECK(response.status == 200);
        auto const fields = stage.upstream.request(number++).fields;
        CHECK(fields.one("X-Caller") == "jwt:ann");
        CHECK(fields.one("X-Caller-Issuer") == "https://" + name + ".example");
        auto const assertion = fields.one("X-Sallyport-Assertion");
        auto const payload = assertion.substr(assertion.find('.') + 1);
        auto const claims = Json::parse(base64url_decoded(payload.substr(0, payload.find('.'))));
        CHECK(claims.text("sub") == "jwt:ann");
        CHECK(claims["labels"].text("issuer") == "https://" + name + ".example");
    }
    // Of an entry of the gateway's own there is no issuer.
    CHECK(stage.send(request_for("getPipe").add("X-Caller-Issuer", "x")).status == 200);
    CHECK(stage.upstream.request(number).fields.count("X-Caller-Issuer") == 0);
    stage.finish();
}

TEST_CASE("check warns where nothing tells the callers of two issuers apart") {
    auto const output = [](std::string const& identity) {
        Prepared prepared;
        two_issuers(identity)(prepared.configuration);
        prepared.write();
        prepared.folder.write("credentials.yaml", std::string{roles} + standard_credentials());
        prepared.folder.write("keys.json", key_set({TokenSigner{"ES256", "k1"}.jwk()}));
        return prepared.check().output;
    };
    constexpr std::string_view warning = "callers of 2 issuers may have one name";
    CHECK(output("{ header: X-Caller }").find(warning) != std::string::npos);
    CHECK(output("{ header: X-Caller, labels: { X-Issuer: issuer } }").find(warning)
          == std::string::npos);
    CHECK(output("").find(warning) == std::string::npos);
}

TEST_CASE("an unauthenticated client cannot tell by the realm which API has a path") {
    auto const contract = [](std::string const& last) {
        return "openapi: 3.1.0\ninfo: { title: T, version: '1' }\npaths:\n  /shared/{id}/" + last
               + ":\n    get:\n      operationId: get\n      parameters: [ { name: id, in: path, "
                 "required: true, schema: {} } ]\n      responses: { '200': { description: OK } "
                 "}\n";
    };
    Stage stage{{},
                [](Configuration& configuration) {
                    for (std::string const name : {"one", "two"})
                        configuration.apis += "  " + name + ": { contract: " + name
                                              + ".yaml, upstream: management, authenticate: "
                                                "[basic] }\n";
                    configuration.apis += "  apart: { paths: [\"/apart/\"], upstream: management, "
                                          "authenticate: [basic] }\n";
                },
                {.files = {{"one.yaml", contract("one")}, {"two.yaml", contract("two")}}}};
    auto const realm_at = [&stage](std::string_view path) {
        return stage.send(Outgoing{"GET", path}).fields.one("WWW-Authenticate");
    };
    for (auto const* const path : {"/shared/1/one", "/shared/1/two", "/shared/1/three"})
        CHECK(realm_at(path) == "Basic realm=\"one\", charset=\"UTF-8\"");
    CHECK(realm_at("/apart/a") == "Basic realm=\"apart\", charset=\"UTF-8\"");
    auto const refused = stage.send(Outgoing{"GET", "/apart/a"});
    CHECK(refused.body.find("Valid credentials are required: in Authorization (Basic)")
          != std::string::npos);
    stage.finish();
}

} // namespace e55_who_is_who

// What a document says of the credentials that its operations take.
#include "gateway/contract/contract.h"

#include <catch2/catch.hpp>

#include <string>

namespace security_test {

using namespace sallyport::contract;

namespace {

// "public", "basic bearer" or "!key (apiKey)" of an operation with these lines, of a document with
// those.
std::string security_of(std::string const& operation, std::string const& document = {}) {
    auto const loaded = Contract::load_text(
        "openapi: 3.1.0\n"
        "info: { title: T, version: '1' }\n"
            + document + "\npaths:\n  /a:\n    get:\n      operationId: a\n" + operation + R"(
components:
  securitySchemes:
    basic: { type: http, scheme: BASIC }
    token: { type: http, scheme: bearer, bearerFormat: JWT }
    oauth: { type: oauth2, flows: {} }
    oidc: { type: openIdConnect, openIdConnectUrl: "https://a" }
    key: { type: apiKey, in: cookie, name: k }
    field: { type: apiKey, in: header, name: X-Key }
    pair: { type: apiKey, in: query, name: key }
    mtls: { type: mutualTLS }
    digest: { type: http, scheme: digest }
    other: { $ref: "#/components/securitySchemes/token" }
    cycle: { $ref: "#/components/securitySchemes/cycle" }
    broken: 5
)",
        "c.yaml");
    REQUIRE(loaded.contract);
    CHECK(loaded.problems.empty());
    auto const& security = loaded.contract->operations()[0].security;
    if (!security.is_stated) return "nothing";
    std::string text = security.is_public ? "public " : "";
    for (auto const& name : security.takes)
        text += name + " ";
    for (auto const& name : security.unsupported)
        text += "!" + name + " ";
    for (auto const& one : security.alternatives) {
        if (one.scopes.empty()) continue;
        text += one.takes + '(';
        for (auto const& scope : one.scopes)
            text += (text.ends_with('(') ? "" : " ") + scope;
        text += ") ";
    }
    text.pop_back();
    return text + " at " + security.document_path;
}

std::string of(std::string const& requirements) {
    auto const text = security_of("      security: [" + requirements + "]");
    return text.substr(0, text.find(" at "));
}

} // namespace

TEST_CASE("security of an operation is taken before that of the document") {
    CHECK(security_of("") == "nothing");
    CHECK(security_of("", "security: [{ basic: [] }]") == "basic at security");
    CHECK(security_of("      security: [{ token: [] }]", "security: [{ basic: [] }]")
          == "bearer at paths[\"/a\"].get.security");
    CHECK(security_of("      security: []", "security: [{ basic: [] }]")
          == "public at paths[\"/a\"].get.security");
    CHECK(security_of("", "security: []") == "public at security");
}

TEST_CASE("schemes are those that an authenticator takes, or unsupported") {
    CHECK(of("{ basic: [] }") == "basic");
    CHECK(of("{ token: [] }, { oauth: [read] }, { oidc: [] }, { other: [] }")
          == "bearer bearer(read)");
    CHECK(of("{ basic: [] }, { token: [] }") == "basic bearer");
    CHECK(of("{ field: [] }, { pair: [] }") == "api_key");
    CHECK(of("{ '#/components/securitySchemes/basic': [] }") == "basic");
    CHECK(of("{ key: [] }, { mtls: [] }, { digest: [] }")
          == "!key (apiKey) !mtls (mutualTLS) !digest (http digest)");
    CHECK(of("{ none: [] }, { cycle: [] }, { broken: [] }")
          == "!none (no such scheme) !cycle (no such scheme) !broken (no such scheme)");
    CHECK(of("{}") == "public");
    CHECK(of("{ key: [] }, {}") == "public !key (apiKey)");
}

TEST_CASE("schemes that are needed together fit if one authenticator takes them all") {
    CHECK(of("{ token: [], oauth: [] }") == "bearer");
    CHECK(of("{ basic: [], token: [] }") == "!basic (http BASIC) with token (http bearer)");
    // All of them: the scopes of each.
    CHECK(of("{ oauth: [write, read], oidc: [read, admin] }") == "bearer bearer(admin read write)");
    CHECK(of("{ token: [], key: [] }") == "!token (http bearer) with key (apiKey)");
    CHECK(of("{ key: [], token: [] }") == "!key (apiKey) with token (http bearer)");
}

TEST_CASE("each alternative has its own scopes") {
    CHECK(of("{ oauth: [read] }, { basic: [operator] }, { oidc: [admin] }, { field: [] }")
          == "bearer basic api_key bearer(read) basic(operator) bearer(admin)");
    CHECK(of("{ oauth: null }") == "bearer");
    // What cannot be had is not left out in favour of the caller.
    for (std::string const scopes : {"read", "5", "[read, 5]", "{ read: true }"})
        CHECK(of("{ oauth: " + scopes + " }")
              == "!oauth (oauth2) with scopes that are no list of texts");
    CHECK(of("{ key: [read] }") == "!key (apiKey)");
}

TEST_CASE("what is no list of requirements takes nothing, and the document loads") {
    CHECK(security_of("      security: { basic: [] }").starts_with("!what is no list"));
    CHECK(security_of("      security: null").starts_with("!what is no list"));
    CHECK(of("basic") == "!what is no mapping");
}

} // namespace security_test

// Which rule has refused a caller: the file and the line that the access log names.
#include "tests/end_to_end/stage.h"
#include "tests/support/authority.h"
#include "tests/support/encodings.h"
#include "tests/support/recording_upstream.h"
#include "tests/support/token_signer.h"

#include <catch2/catch.hpp>

#include <ctime>

namespace e53_refusing_rules {

using namespace sallyport::test;

namespace {

constexpr std::string_view callers = R"(roles:
  reader:
    allow: { operations: [management/getPipe] }
  own-organization:
    allow:
      operations: [management/getPipe, management/updatePipeSettings]
      organizationId: "${label:org}"
    deny:
      - operations: [management/updateOrganization]
)";

std::string entry(std::string const& name, Key const& key, std::string const& more) {
    return "  - name: " + name + "\n    basic: { key_id: " + std::string{key.id}
           + ", secrets: [\"sha256:" + sha256_hex(std::string{key.secret}) + "\"] }\n" + more;
}

std::string own_rules(std::string const& comment) {
    return R"(    allow: { apis: [management, plain] }
    deny:
      - { operations: [management/updatePipeSettings] } )"
           + comment + R"(
      - { operations: [management/getPipe], organizationId: [)"
           + std::string{organization_id} + R"(] }
      - { apis: [plain], methods: [DELETE] }
)";
}

std::string credentials() {
    return std::string{callers} + "credentials:\n"
           + entry("by-role", reader, "    labels: { org: none }\n    roles: [own-organization]\n")
           + entry("same-rules", mover, own_rules("# of another"))
           + entry("own-rules", enterprise, own_rules("# of this one"))
           + entry("nothing", scale,
                   "    allow: { operations: [management/updateOrganization] }\n");
}

std::string rule_of(Stage const& stage, Response const& response) {
    return stage.rule_of(stage.log_of(response));
}

} // namespace

TEST_CASE("the log names the rule that does not let a known caller pass") {
    Stage stage{{},
                [](Configuration& configuration) {
                    configuration.apis =
                        api_yaml("management")
                        + "  plain: { paths: [/plain/], upstream: management, authenticate: "
                          "[basic], methods: [GET, DELETE] }\n";
                },
                {.credentials = credentials()}};
    auto const refused = [&stage](Key const& key, Outgoing request) {
        auto const response = stage.send(request.authorization(basic(key)));
        CHECK(response.status == 403);
        CHECK(stage.log_of(response).text("auth_failure") == "permission");
        return rule_of(stage, response);
    };
    // Of a role: the parameter that it allows, and what it denies.
    CHECK(refused(reader, request_for("getPipe"))
          == "operations: [management/getPipe, management/updatePipeSettings]");
    CHECK(refused(reader, request_for("updateOrganization"))
          == "- operations: [management/updateOrganization]");
    // Of an entry: what it denies whatever the path has, and by a parameter.
    CHECK(refused(enterprise, request_for("updatePipeSettings"))
          == "- { operations: [management/updatePipeSettings] } # of this one");
    CHECK(refused(mover, request_for("updatePipeSettings"))
          == "- { operations: [management/updatePipeSettings] } # of another");
    CHECK(refused(enterprise, request_for("getPipe"))
          == "- { operations: [management/getPipe], organizationId: ["
                 + std::string{organization_id} + "] }");
    CHECK(refused(enterprise, Outgoing{"DELETE", "/plain/a"})
          == "- { apis: [plain], methods: [DELETE] }");
    // No rule is about it: the entry.
    CHECK(refused(scale, request_for("getPipe")) == "- name: nothing");
    CHECK(refused(scale, Outgoing{"GET", "/plain/a"}) == "- name: nothing");
    auto const passed = stage.send(Outgoing{"GET", "/plain/a"}.authorization(basic(enterprise)));
    CHECK(rule_of(stage, passed) == "none");
    stage.finish();
}

TEST_CASE("the log names the key of the settings that a token does not keep") {
    TokenSigner const signer{"ES256", "k1"};
    TokenSigner const other{"ES256", "k1"};
    Stage stage{{},
                [](Configuration& configuration) {
                    configuration.apis = R"(  plain:
    paths: [/plain/]
    upstream: management
    authenticate: [jwt]
    jwt:
      algorithms: [ES256]
      issuer: i
      audience: a
      keys: { file: keys.json }
      typ: [JWT, absent]
      required_claims:
        tier: [gold]
        region: [eu]
      scopes:
        required: [pipes]
      labels:
        org: org_id
      name_claim: name
      roles:
        claim: groups
        mapping: { staff: [reader] }
)";
                },
                {.credentials = "roles: { reader: { allow: { apis: [plain], methods: [GET] } } }\n"
                                + administrator_credentials(),
                 .files = {{"keys.json", key_set({signer.jwk()})}}}};
    std::string const right = R"({"iss":"i","aud":"a","tier":"gold","region":"eu","scope":"pipes",)"
                              R"("org_id":"o","name":"ann","groups":["staff"],"exp":4000000000})";
    auto const rule = [&](std::string const& token, std::string const& method = "GET") {
        auto const response = stage.send(Outgoing{method, "/plain/a"}.authorization(bearer(token)));
        CHECK(response.status == (method == "GET" ? 401 : 403));
        return rule_of(stage, response);
    };
    auto const without = [&](std::string_view claim) {
        auto claims = right;
        return signer.token(claims.replace(claims.find(claim), claim.size(), "z"));
    };
    CHECK(stage.send(Outgoing{"GET", "/plain/a"}.authorization(bearer(signer.token(right)))).status
          == 200);
    CHECK(rule(signer.token(R"({"alg":"ES256","kid":"k1","typ":"at+jwt"})", right))
          == "typ: [JWT, absent]");
    CHECK(rule(without("iss")) == "issuer: i");
    CHECK(rule(without("aud")) == "audience: a");
    CHECK(rule(without("tier")) == "tier: [gold]");
    CHECK(rule(without("region")) == "region: [eu]");
    CHECK(rule(without("scope")) == "required: [pipes]");
    CHECK(rule(without("org_id")) == "org: org_id");
    CHECK(rule(without("name")) == "name_claim: name");
    auto numbers = right;
    numbers.replace(numbers.find("\"staff\""), 7, "1");
    CHECK(rule(signer.token(numbers)) == "claim: groups");
    // Of what no key says anything: the section.
    CHECK(rule(other.token(right)) == "algorithms: [ES256]");
    CHECK(rule(without("exp")) == "algorithms: [ES256]");
    // What a known caller may do is what the roles say.
    CHECK(rule(signer.token(right), "PUT") == "claim: groups");
    stage.finish();
}

TEST_CASE("the log names the key that the answer of an issuer does not keep") {
    // The token is the name of the claim that is not as it is expected.
    RecordingUpstream issuer{
        [](UpstreamExchange& exchange) {
            auto const& body = exchange.request.body;
            auto const wrong = body.substr(6, body.find('&') - 6);
            auto const claim = [&](std::string const& name, std::string const& right) {
                return ",\"" + name + "\":\"" + (name == wrong ? "other" : right) + '"';
            };
            exchange.send(response_text(
                wrong == "active" ? R"({"active":false})"
                                  : R"({"active":true,"sub":"ann")" + claim("iss", "i")
                                        + claim("aud", "a") + claim("scope", "pipes") + '}'));
        },
        {.certificate = certificates().server}};
    Stage stage{{},
                [&issuer](Configuration& configuration) {
                    configuration.apis = R"(  plain:
    paths: [/plain/]
    upstream: management
    authenticate: [introspection]
    introspection:
      url: "https://localhost:)" + std::to_string(issuer.port())
                                         + R"(/introspect"
      client: { id: sallyport, secret: "${env:INTROSPECTION}" }
      ca: issuer.pem
      issuer: i
      audience: a
      scopes: { required: [pipes] }
      roles: { always: [reader] }
)";
                },
                {.credentials = "roles: { reader: { allow: { apis: [plain], methods: [GET] } } }\n"
                                + administrator_credentials(),
                 .environment = {{"INTROSPECTION", "an-introspection-secret"}},
                 .files = {{"issuer.pem", read_file(certificates().authority)}}}};
    auto const rule = [&](std::string const& token, std::string const& method = "GET") {
        return rule_of(stage,
                       stage.send(Outgoing{method, "/plain/a"}.authorization(bearer(token))));
    };
    CHECK(rule("anything") == "none");
    CHECK(rule("anything", "PUT") == "roles: { always: [reader] }");
    CHECK(rule("iss") == "issuer: i");
    CHECK(rule("aud") == "audience: a");
    CHECK(rule("scope") == "scopes: { required: [pipes] }");
    // Of what no key says anything: the section.
    CHECK(rule("active").starts_with("url: "));
    stage.finish();
}

} // namespace e53_refusing_rules

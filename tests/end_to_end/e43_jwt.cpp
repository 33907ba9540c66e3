// JSON Web Tokens over the wire: callers, roles and labels, one response for all wrong tokens, the
// keys of an issuer that change, and tokens that another library has signed.
#include "tests/end_to_end/expectations.h"
#include "tests/end_to_end/stage.h"
#include "tests/support/admin.h"
#include "tests/support/encodings.h"
#include "tests/support/text.h"
#include "tests/support/token_signer.h"

#include <catch2/catch.hpp>

#include <ctime>
#include <sstream>

namespace e43_jwt {

using namespace sallyport::test;

namespace {

constexpr std::string_view roles = R"(roles:
  reader:
    allow: { operations: [management/getPipe, management/listServiceBackups] }
  owner:
    allow: { operations: ["management/*"], organizationId: "${label:org}" }
    deny:
      - { operations: [management/updateOrganization] }
)";

std::string jwt_section(std::string const& more = {}) {
    return R"(jwt: { issuer: "https://issuer.example", audience: management, algorithms: [ES256], )"
           R"(keys: { file: keys.json }, labels: { org: org_id }, )"
           R"(roles: { claim: /realm_access/roles, )"
           R"(mapping: { "pipe reader": [reader], owner: [owner] } })"
           + more + " }";
}

/// An issuer with one key, and a gateway that knows it.
struct Issuer {
    TokenSigner signer{"ES256", "k1"};

    [[nodiscard]] std::string keys() const { return key_set({signer.jwk()}); }
    [[nodiscard]] Change change(std::string authenticate = "jwt, bearer",
                                std::string const& more = {}) const {
        return [=](Configuration& configuration) {
            configuration.apis = "  management: { contract: \"" + contracts_folder()
                                 + "/management.yaml\", upstream: management, authenticate: ["
                                 + authenticate + "], " + jwt_section(more) + " }\n"
                                 + api_yaml("observability");
        };
    }
    [[nodiscard]] Gateway::Options options(std::string const& more_credentials = {}) const {
        return {.credentials = std::string{roles} + standard_credentials() + more_credentials,
                .files = {{"keys.json", keys()}}};
    }
};

std::string in(int seconds) {
    return std::to_string(std::time(nullptr) + seconds);
}

/// Right claims, and more of them; a claim that is given twice counts once, as the last.
std::string claims(std::string const& more = {}, std::string const& role = "pipe reader") {
    return R"({"iss":"https://issuer.example","aud":["management","x"],"sub":"alice","org_id":")"
           + std::string{organization_id} + R"(","realm_access":{"roles":["z",")" + role + "\"]}"
           + (more.find("\"exp\"") == std::string::npos ? ",\"exp\":" + in(600) : "")
           + (more.empty() ? "" : "," + more) + '}';
}

// Of the API management, with tokens.
ExpectedProblem unauthenticated() {
    auto problem = refused(401, "unauthenticated");
    problem.fields = {{"WWW-Authenticate", "Bearer realm=\"management\""}};
    return problem;
}

Outgoing get_pipe(std::string_view token) {
    return request_for("getPipe").authorization(bearer(token));
}

} // namespace

TEST_CASE("a token leads to its caller, who may do what its roles allow, with its labels") {
    Issuer const issuer;
    Stage stage{{}, issuer.change(), issuer.options()};
    auto const token = issuer.signer.token(claims());
    for (int i = 0; i < 2; ++i) { // verified, and known
        auto const response = stage.send(get_pipe(token));
        CHECK(response.status == 200);
        auto const line = stage.log_of(response);
        CHECK(line.text("credential") == "jwt:alice");
        CHECK(line["auth_failure"].is_null());
    }
    CHECK(stage.upstream.request(0).fields.one("Authorization") == bearer(token));
    auto const as = [&](std::string_view operation_id, std::string const& role,
                        std::string_view organization) {
        auto target = operation(operation_id).target;
        target.replace(target.find(organization_id), organization_id.size(), organization);
        return stage
            .send(request_for(operation_id)
                      .target(target)
                      .authorization(bearer(issuer.signer.token(claims({}, role)))))
            .status;
    };
    CHECK(as("updatePipeSettings", "pipe reader", organization_id) == 403);
    CHECK(as("getPipe", "pipe reader", other_organization_id) == 200);
    CHECK(as("updatePipeSettings", "owner", organization_id) == 200);
    CHECK(as("updatePipeSettings", "owner", other_organization_id) == 403);
    CHECK(as("getPipe", "another", organization_id) == 403);
    stage.finish();
}

TEST_CASE("all wrong tokens get one response, and the log says what was wrong with each") {
    Issuer const issuer;
    TokenSigner const other{"ES256", "k1"};
    TokenSigner const unknown{"ES256", "k2"};
    Stage stage{{},
                issuer.change("jwt, bearer", ", scopes: { required: [pipes] }, leeway: 0s"),
                issuer.options()};
    auto const scope = std::string{R"("scope":"a pipes")"};
    auto const right = issuer.signer.token(claims(scope));
    CHECK(stage.send(get_pipe(right)).status == 200);
    auto const of = [&](std::string const& payload) { return issuer.signer.token(payload); };
    struct Row {
        char const* what;
        std::string token;
        char const* word;
    };
    auto const text = right.substr(0, right.rfind('.') + 1);
    std::vector<Row> const rows{
        {"no scope", of(claims()), "scope"},
        {"another scope", of(claims(R"("scope":"pipes2")")), "scope"},
        {"another issuer", of(replaced(claims(scope), "issuer.example", "issuer.example:443")),
         "claim"},
        {"another audience", of(replaced(claims(scope), "management", "observability")), "claim"},
        {"no label", of(replaced(claims(scope), "org_id", "org")), "claim"},
        {"no name", of(replaced(claims(scope), "alice", "")), "claim"},
        {"a name with a control character", of(replaced(claims(scope), "alice", "a\\u0000")),
         "claim"},
        {"roles of another type", of(replaced(claims(scope), "\"z\"", "1")), "claim"},
        {"expired", of(claims(scope + ",\"exp\":" + in(-1))), "expired"},
        {"not valid yet", of(claims(scope + ",\"nbf\":" + in(300))), "not_yet_valid"},
        {"a claim twice", of(claims(scope + R"(,"sub":"bob")")), "malformed"},
        {"no JSON", of("alice"), "malformed"},
        {"signed by another", other.token(claims(scope)), "signature"},
        {"an unknown kid", unknown.token(claims(scope)), "signature"},
        {"without a signature", text, "signature"},
        {"zeros", text + encode_base64url(std::string(64, '\0')), "signature"},
        {"alg none",
         encode_base64url(R"({"alg":"none"})") + right.substr(right.find('.'), 20) + '.',
         "signature"},
        {"another algorithm", TokenSigner{"RS256", "k1"}.token(claims(scope)), "signature"},
        {"crit", issuer.signer.token(R"({"alg":"ES256","kid":"k1","crit":["exp"]})", claims(scope)),
         "malformed"},
        {"encrypted", encode_base64url(R"({"alg":"dir","enc":"A128GCM"})") + "..a.b.c",
         "malformed"},
        {"another type",
         issuer.signer.token(R"({"alg":"ES256","kid":"k1","typ":"logout+jwt"})", claims(scope)),
         "claim"},
    };
    auto const reference = stage.send(get_pipe("an-unknown-token"));
    check_problem(reference, unauthenticated());
    CHECK(stage.log_of(reference).text("auth_failure") == "unknown");
    for (auto const& row : rows) {
        CAPTURE(row.what);
        auto const response = stage.send(get_pipe(row.token));
        auto expected = unauthenticated();
        // RFC 6750, 3.1: a client that has one of the issuer's gets another.
        if (std::string_view{row.what} == "expired")
            expected.fields = {{"WWW-Authenticate",
                                R"(Bearer realm="management", error="invalid_token", )"
                                R"(error_description="The token has expired")"}};
        check_problem(response, expected);
        auto const line = stage.log_of(response);
        CHECK(line.text("auth_failure") == row.word);
        CHECK(line["credential"].is_null());
        CHECK(line.text("auth_rule").find("/sallyport.yaml:") != std::string::npos);
    }
    CHECK(stage.upstream.requests().size() == 1);
    // In detail for operators, only of tokens that the issuer has signed, and without the token.
    auto const output = stage.gateway.standard_error();
    CHECK(output.find("its `aud` is not that of this API") != std::string::npos);
    CHECK(output.find("its signature is wrong") == std::string::npos);
    for (std::string_view const detail :
         {R"(`iss` is \"https://issuer.example:443\", expected \"https://issuer.example\")",
          R"(`alg` is \"none\", expected \"ES256\")"})
        CHECK(output.find(detail) != std::string::npos);
    CHECK(stage.gateway.every_written_byte().find(right.substr(right.rfind('.') + 1))
          == std::string::npos);
    stage.finish();
}

TEST_CASE(
    "with jwt and bearer, a token that looks like a JWT is for jwt alone, others for bearer") {
    Issuer const issuer;
    TokenSigner const other{"ES256", "k1"};
    auto const foreign = other.token(claims());
    auto const entry = [](std::string_view name, std::string_view token) {
        return "  - name: " + std::string{name} + "\n    bearer: { tokens: [\"sha256:"
               + sha256_hex(std::string{token}) + "\"] }\n    allow: all\n";
    };
    Stage stage{{},
                issuer.change(),
                issuer.options(entry("opaque", "SG.opaque.token") + entry("foreign", foreign))};
    auto const opaque = stage.send(get_pipe("SG.opaque.token"));
    CHECK(opaque.status == 200);
    CHECK(stage.log_of(opaque).text("credential") == "opaque");
    auto const refused = stage.send(get_pipe(foreign));
    CHECK(refused.status == 401);
    CHECK(stage.log_of(refused).text("auth_failure") == "signature");
    CHECK(stage.send(get_pipe(issuer.signer.token(claims()))).status == 200);
    // Neither takes Basic credentials.
    auto const basic_one = stage.send(request_for("getPipe").authorization(basic(administrator)));
    CHECK(basic_one.status == 401);
    CHECK(stage.log_of(basic_one).text("auth_failure") == "no_credentials");
    stage.finish();
}

TEST_CASE("an API of tokens alone has no use for one that is none") {
    Issuer const issuer;
    Stage stage{{}, issuer.change("jwt"), issuer.options()};
    auto const response = stage.send(get_pipe("an-opaque-token"));
    check_problem(response, unauthenticated());
    CHECK(stage.log_of(response).text("auth_failure") == "no_credentials");
    auto const token = issuer.signer.token(claims());
    auto const twice = stage.send(get_pipe(token).add("Authorization", bearer(token)));
    CHECK(twice.status == 401);
    CHECK(stage.log_of(twice).text("auth_failure") == "malformed");
    CHECK(stage.send(request_for("getPipe").authorization("bEARER  " + token)).status == 200);
    stage.finish();
}

TEST_CASE("keys that change are in force after the reload, and known tokens are verified anew") {
    Issuer const issuer;
    TokenSigner const next{"ES256", "k2"};
    Stage stage{{}, issuer.change(), issuer.options()};
    auto const old_token = issuer.signer.token(claims());
    auto const new_token = next.token(claims());
    CHECK(stage.send(get_pipe(old_token)).status == 200);
    CHECK(stage.send(get_pipe(new_token)).status == 401);
    stage.gateway.replace("keys.json", key_set({issuer.signer.jwk(), next.jwk()}));
    stage.gateway.wait_for_reloads(1);
    CHECK(stage.send(get_pipe(old_token)).status == 200);
    CHECK(stage.send(get_pipe(new_token)).status == 200);
    stage.gateway.replace("keys.json", key_set({next.jwk()}));
    stage.gateway.wait_for_reloads(2);
    CHECK(stage.send(get_pipe(old_token)).status == 401);
    CHECK(stage.send(get_pipe(new_token)).status == 200);
    // A set with an error leaves the one in force.
    stage.gateway.replace("keys.json", "{\"keys\":[{}]}");
    stage.gateway.wait_for_rejected_reloads(1);
    CHECK(stage.send(get_pipe(new_token)).status == 200);
    CHECK(stage.gateway.standard_error().find("its key 1 has no `kty`") != std::string::npos);
    // One without keys takes the last one away.
    stage.gateway.replace("keys.json", "{\"keys\":[]}");
    stage.gateway.wait_for_reloads(3);
    CHECK(stage.send(get_pipe(new_token)).status == 401);
    CHECK(stage.gateway.standard_error().find("has no key: every token is refused")
          != std::string::npos);
    // All tokens are refused by an issuer that none has.
    stage.gateway.replace("keys.json", key_set({next.jwk()}));
    stage.gateway.wait_for_reloads(4);
    CHECK(stage.send(get_pipe(new_token)).status == 200);
    auto const file = read_file(stage.gateway.folder() / "sallyport.yaml");
    stage.gateway.replace("sallyport.yaml",
                          replaced(file, "https://issuer.example", "none.invalid"));
    TimeLimit const limit;
    while (stage.send(get_pipe(new_token)).status == 200)
        REQUIRE_FALSE(limit.has_passed());
    auto const refused = stage.send(get_pipe(new_token));
    CHECK(stage.log_of(refused).text("auth_failure") == "claim");
    stage.finish();
}

TEST_CASE("a known token is refused once it has expired, and once it is denied") {
    Issuer const issuer;
    Stage stage{{},
                both(issuer.change("jwt", ", leeway: 0s"),
                     [](Configuration& configuration) {
                         configuration.credentials = "credentials.yaml, denied: denied.txt";
                     }),
                [&issuer] {
                    auto options = issuer.options();
                    options.files["denied.txt"] = {};
                    return options;
                }()};
    auto const short_one = issuer.signer.token(claims("\"exp\":" + in(3)));
    auto first = stage.send(get_pipe(short_one));
    CHECK(first.status == 200);
    TimeLimit const limit;
    auto last = first;
    while (last.status == 200 && !limit.has_passed())
        last = stage.send(get_pipe(short_one));
    CHECK(last.status == 401);
    CHECK(stage.log_of(last).text("auth_failure") == "expired");

    auto const token = issuer.signer.token(claims());
    CHECK(stage.send(get_pipe(token)).status == 200);
    stage.gateway.replace("denied.txt", "sha256:" + sha256_hex(token) + '\n');
    stage.gateway.wait_for_error_output([](std::string const& output) {
        return output.find("denied_secrets_loaded count=1") != std::string::npos;
    });
    auto const refused = stage.send(get_pipe(token));
    CHECK(refused.status == 401);
    CHECK(stage.log_of(refused).text("auth_failure") == "denied");
    stage.finish();
}

TEST_CASE("check reports keys, roles and labels of tokens that cannot be used, with their places") {
    Issuer const issuer;
    auto const check = [&](std::string const& jwt, std::string const& keys,
                           std::string const& credentials) {
        TemporaryFolder const folder;
        RecordingUpstream const upstream;
        auto configuration = standard_configuration(upstream);
        configuration.apis =
            "  files: { paths: [/f/], upstream: management, authenticate: [jwt], " + jwt + " }\n";
        folder.write("sallyport.yaml", configuration.text());
        folder.write("credentials.yaml", credentials);
        if (!keys.empty()) folder.write("keys.json", keys);
        return run_gateway({"check", "-c", "sallyport.yaml"}, {}, folder.path()).output;
    };
    auto const has = [](std::string const& output, std::string_view words) {
        INFO(output);
        CHECK(output.find(words) != std::string::npos);
    };
    std::string const some_roles =
        "roles:\n  reader: { allow: { apis: [files] } }\n  owner: { allow: { apis: [files] } }\n";
    has(check(jwt_section(), issuer.keys(), some_roles), ": OK (");
    has(check(jwt_section(), {}, some_roles), "keys.json\" cannot be read: No such file");
    has(check(jwt_section(), "{}", some_roles), "apis.files.jwt.keys.file");
    has(check(jwt_section(), key_set({TokenSigner{"RS256", "a", 1024}.jwk()}), some_roles),
        "has no key that can be used");
    has(check(jwt_section(), issuer.keys(), "roles:\n  reader: { allow: { apis: [files] } }\n"),
        "no role is called \"owner\"");
    has(check(jwt_section(), issuer.keys(),
              some_roles + "  unused: { allow: { apis: [files] } }\n"),
        "no credential has this role");
    auto const without_label = replaced(jwt_section(), "labels: { org: org_id }, ", "");
    has(check(without_label, issuer.keys(),
              replaced(some_roles, "owner: { allow: {",
                       "owner: { allow: { organizationId: \"${label:org}\",")),
        "tokens have no label \"org\"");
    has(check(replaced(jwt_section(), "keys: { file: keys.json }, ", ""), issuer.keys(),
              some_roles),
        "apis.files.jwt.keys: is missing");
}

TEST_CASE("tokens that PyJWT has signed are verified, with each algorithm") {
    constexpr auto script = R"(
import json, sys, time, jwt
from cryptography.hazmat.primitives.serialization import load_pem_private_key
given = json.load(sys.stdin)
claims = {"iss": "https://issuer.example", "aud": "management", "sub": "robot",
          "exp": int(time.time()) + 600, "iat": int(time.time())}
for alg, key in given.items():
    secret = bytes.fromhex(key) if alg == "HS256" else load_pem_private_key(key.encode(), None)
    print(jwt.encode(claims, secret, algorithm=alg, headers={"kid": alg}))
)";
    std::vector<std::string> const algorithms{"RS256", "PS256", "ES256", "ES384", "EdDSA", "HS256"};
    std::vector<TokenSigner> signers;
    std::string given = "{";
    std::string keys = "{\"keys\":[";
    for (auto const& algorithm : algorithms) {
        auto const& signer = signers.emplace_back(algorithm, algorithm);
        bool const is_first = signers.size() == 1;
        keys += (is_first ? "" : ",") + signer.jwk();
        auto secret = algorithm == "HS256" ? std::string{} : signer.private_pem();
        for (auto at = secret.find('\n'); at != std::string::npos; at = secret.find('\n', at))
            secret.replace(at, 1, "\\n");
        if (algorithm == "HS256") {
            constexpr std::string_view digits = "0123456789abcdef";
            for (char const c : signer.secret()) {
                auto const byte = static_cast<unsigned char>(c);
                secret.append({digits[byte / 16], digits[byte % 16]});
            }
        }
        given += (is_first ? "\"" : ",\"") + algorithm + "\":\"" + secret + '"';
    }
    auto const signed_by = run({.arguments = {"/usr/bin/python3", "-c", script}}, given + '}');
    if (signed_by.exit_code != 0) {
        WARN("skipped: this machine has no python3-jwt with python3-cryptography");
        return;
    }
    Stage stage{
        {},
        [](Configuration& configuration) {
            configuration.apis =
                "  things: { paths: [/f/], upstream: management, authenticate: [jwt], jwt: { "
                "issuer: \"https://issuer.example\", audience: management, keys: { file: "
                "keys.json }, algorithms: [RS256, PS256, ES256, ES384, EdDSA, HS256], "
                "roles: { always: [reader] } } }\n";
        },
        {.credentials = "roles:\n  reader: { allow: { apis: [things] } }\n",
         .files = {{"keys.json", keys + "]}"}}}};
    std::istringstream lines{signed_by.output};
    std::size_t count = 0;
    for (std::string token; std::getline(lines, token); ++count) {
        CAPTURE(algorithms[count]);
        auto request = request_for("getPipe").target("/f/a").authorization(bearer(token));
        auto const response = stage.send(request);
        CHECK(response.status == 200);
        CHECK(stage.log_of(response).text("credential") == "jwt:robot");
        auto changed = token;
        changed[changed.rfind('.') + 5] = changed[changed.rfind('.') + 5] == 'A' ? 'B' : 'A';
        CHECK(stage.send(request.authorization(bearer(changed))).status == 401);
    }
    CHECK(count == algorithms.size());
    stage.finish();
}

TEST_CASE("new tokens of an address with many wrong ones are not verified, known ones pass") {
    Issuer issuer;
    auto const change = both(issuer.change(), [](Configuration& configuration) {
        configuration.rest += "failed_authentication: { per_address: 3, first_block: 1h, "
                              "longest_block: 1h, except: [] }\n";
    });
    Stage stage{{}, change, issuer.options()};
    auto const known = issuer.signer.token(claims());
    CHECK(stage.send(get_pipe(known)).status == 200);
    TokenSigner const other{"ES256", "k1"};
    for (int i = 0; i < 3; ++i)
        CHECK(stage.send(get_pipe(other.token(claims()))).status == 401);
    CHECK(stage.send(get_pipe(other.token(claims()))).status == 429);
    auto const refused = stage.send(get_pipe(issuer.signer.token(claims(R"("jti":"new")"))));
    CHECK(refused.status == 429);
    CHECK_FALSE(refused.fields.one("Retry-After").empty());
    auto const line = stage.log_of(refused);
    CHECK(line.text("auth_failure") == "unavailable");
    CHECK(stage.rule_of(line).find("jwt") != std::string::npos);
    CHECK(stage.send(get_pipe(known)).status == 200);
    stage.finish();
}

TEST_CASE("tokens of a costly key are verified by the threads that verify passwords, once") {
    auto const [algorithm, bits] = GENERATE(std::pair{"ES384", 0U}, std::pair{"RS256", 4096U},
                                            std::pair{"RS256", 2048U});
    CAPTURE(algorithm, bits);
    Issuer issuer{TokenSigner{algorithm, "k1", bits}};
    auto const change = both(issuer.change(), [&](Configuration& configuration) {
        configuration.rest += admin_section;
        auto const at = configuration.apis.find("[ES256]");
        configuration.apis.replace(at, 7, "[" + std::string{algorithm} + "]");
    });
    Stage stage{{}, change, issuer.options()};
    auto const checks = [&stage](std::string_view result) {
        return metrics_of(stage.gateway)["sallyport_password_checks_total{result=\""
                                         + std::string{result} + "\"}"];
    };
    bool const is_costly = bits != 2048;
    auto const token = issuer.signer.token(claims());
    for (int i = 0; i < 3; ++i)
        CHECK(stage.send(get_pipe(token)).status == 200);
    CHECK(checks("right") == (is_costly ? 1 : 0));
    TokenSigner const other{algorithm, "k1", bits};
    auto const wrong = stage.send(get_pipe(other.token(claims())));
    check_problem(wrong, unauthenticated());
    CHECK(stage.log_of(wrong).text("auth_failure") == "signature");
    CHECK(stage.send(get_pipe(issuer.signer.token(claims(R"("exp":1)")))).status == 401);
    CHECK(checks("wrong") == (is_costly ? 1 : 0));
    stage.finish();
}

} // namespace e43_jwt

// Each verdict about JSON Web Tokens, from a configuration with its files to a caller.
#include "plugins/jwt/jwt.h"

#include "gateway/jose/same_token.h"
#include "gateway/pipeline/client_certificate.h"
#include "plugins/bearer/bearer.h"
#include "plugins/registry.h"
#include "tests/support/encodings.h"
#include "tests/support/token_signer.h"
#include "tests/unit/pipeline/double.h"
#include "tests/unit/support/snapshot.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <chrono>

namespace jwt_test {

using namespace sallyport;
using namespace sallyport::plugins;
using pipeline::AuthFailure;
using sallyport::test::TokenSigner;

namespace {

TokenSigner const& signer() {
    static TokenSigner const one{"ES256", "k1"};
    return one;
}

std::string payload(std::string const& more = {}, int seconds = 600) {
    using namespace std::chrono;
    auto const now = duration_cast<std::chrono::seconds>(system_clock::now().time_since_epoch());
    return R"({"iss":"https://issuer.example","aud":"items","sub":"alice","org":"o-1","exp":)"
           + std::to_string(now.count() + seconds) + (more.empty() ? "" : ',' + more) + '}';
}

constexpr std::string_view roles = R"(roles:
  reader: { allow: { operations: [items/getItem] } }
  writer: { allow: { apis: [items] }, deny: [ { id: "${label:org}" } ] }
)";

constexpr std::string_view jwt_keys =
    R"(issuer: "https://issuer.example", audience: items, keys: { file: keys.json }, )"
    R"(algorithms: [ES256], labels: { org: org }, )"
    R"(roles: { always: [reader], claim: groups, mapping: { writers: [writer] } })";

// With an operation that needs a scope.
std::string contract_with_scopes() {
    std::string text{lifecycle::test::contract_text};
    std::string const before = "operationId: getItem\n";
    text.insert(text.find(before) + before.size(), "      security: [ { oauth: [items.read] } ]\n");
    return text + "components: { securitySchemes: { oauth: { type: oauth2, flows: {} } } }\n";
}

enum class Scopes { ignored, used };

/// A gateway's snapshot, and requests to its API `items`.
class Gateway {
public:
    explicit Gateway(std::string const& more = {}, Scopes scopes = Scopes::ignored) {
        folder_.write("keys.json", sallyport::test::key_set({signer().jwk()}));
        lifecycle::test::Sections sections;
        sections.items = ", jwt: { " + std::string{jwt_keys} + more + " }";
        if (scopes == Scopes::used) sections.items += ", security: use";
        auto const path = lifecycle::test::write(folder_, sections);
        if (scopes == Scopes::used) folder_.write("items.yaml", contract_with_scopes());
        auto text = lifecycle::test::configuration_text(sections);
        text.replace(text.find("authenticate: [basic]"), 21, "authenticate: [jwt, bearer]");
        folder_.write("sallyport.yaml", text);
        auto credentials = sallyport::test::read_file(folder_ / "credentials.yaml");
        folder_.write("credentials.yaml", std::string{roles} + credentials);
        snapshot_ = lifecycle::test::load(path);
        plugin_ = make_jwt(api());
    }

    pipeline::Api const& api() const { return *snapshot_->apis.all().front(); }
    pipeline::Plugin& plugin() { return *plugin_; }

private:
    sallyport::test::TemporaryFolder folder_;
    std::shared_ptr<lifecycle::Snapshot const> snapshot_;
    std::unique_ptr<pipeline::Plugin> plugin_;
};

Gateway& gateway() {
    static Gateway one;
    return one;
}

/// A request with these Authorization fields.
struct Asked : pipeline::test::Fixture {
    Asked(Gateway& at, std::initializer_list<std::string> fields)
        : Fixture{[&fields] {
              std::string text = "GET / HTTP/1.1\r\nHost: h\r\n";
              for (auto const& field : fields)
                  text += "Authorization: " + field + "\r\n";
              return text + "\r\n";
          }()},
          gateway{at} {
        exchange.decision.api = &at.api();
    }
    std::string ask() {
        auto& decision = exchange.decision;
        decision.caller = nullptr;
        decision.own_caller = nullptr;
        decision.auth_failure = AuthFailure::none;
        auto verdict = Fixture::ask(gateway.plugin());
        switch (verdict.kind()) {
        case pipeline::Verdict::Kind::abstain: return "abstains";
        case pipeline::Verdict::Kind::deny:
            note = std::move(verdict).take_denial()->log_note;
            return std::string{to_string(decision.auth_failure)};
        default: break;
        }
        CHECK(decision.caller == decision.own_caller.get());
        CHECK(decision.authorization.scheme == "Bearer");
        return decision.caller->name;
    }

    Gateway& gateway;
    std::string note;
};

std::string ask(std::initializer_list<std::string> fields) {
    return Asked{gateway(), fields}.ask();
}
std::string ask_token(std::string const& token) {
    return ask({"Bearer " + token});
}

} // namespace

TEST_CASE("jwt abstains without a field, of another scheme, and of a token that is none") {
    CHECK(ask({}) == "abstains");
    CHECK(ask({"Basic aWQ6c2VjcmV0"}) == "abstains");
    CHECK(ask({"Negotiate abc"}) == "abstains");
    CHECK(ask_token("an-opaque-token") == "abstains");
    CHECK(ask_token("SG.opaque.token") == "abstains");
}

TEST_CASE("a JSON Web Token that came as a subprotocol is one of the Authorization field") {
    auto const token = "Bearer " + signer().token(payload());
    auto const ask_with = [&token](std::initializer_list<std::string> fields) {
        Asked request{gateway(), fields};
        request.exchange.request.subprotocol_authorization =
            std::make_unique<config::Secret const>(token);
        auto const first = request.ask();
        CHECK(request.ask() == first); // also if it is known
        return first;
    };
    CHECK(ask_with({}) == "jwt:alice");
    CHECK(ask_with({token}) == "malformed");
}

TEST_CASE("a bound token is denied without its certificate, known or not") {
    auto const bytes = std::string(32, '\7');
    auto const token = signer().token(
        payload(R"("cnf":{"x5t#S256":")" + sallyport::test::encode_base64url(bytes) + "\"}"));
    Asked request{gateway(), {"Bearer " + token}};
    auto const show = [&request](char byte) {
        net::PeerCertificate facts;
        facts.fingerprint.fill(static_cast<std::uint8_t>(byte));
        request.client.certificate = std::make_shared<pipeline::ClientCertificate>();
        request.client.certificate->facts =
            std::make_unique<net::PeerCertificate const>(std::move(facts));
    };
    CHECK(request.ask() == "binding");
    CHECK(request.note == "the token is bound to a certificate that the client has not shown");
    CHECK(request.exchange.decision.caller == nullptr);
    show('\7');
    CHECK(request.ask() == "jwt:alice");
    show('\10');
    CHECK(request.ask() == "binding");
    CHECK(request.exchange.decision.caller == nullptr);
    request.client.certificate.reset();
    CHECK(request.ask() == "binding");
    show('\7');
    CHECK(request.ask() == "jwt:alice");
    CHECK(ask_token(signer().token(payload(R"("cnf":{"jkt":"a"})"))) == "binding");

    Gateway saying_so{", certificate_bound: if_present"};
    CHECK(Asked{saying_so, {"Bearer " + signer().token(payload())}}.ask() == "jwt:alice");
}

TEST_CASE("a field that is malformed, or is there twice, is denied") {
    auto const token = signer().token(payload());
    CHECK(ask({"Bearer"}) == "malformed");
    CHECK(ask({"Bearer " + token + " x"}) == "malformed");
    CHECK(ask({"Bearer " + token, "Bearer " + token}) == "malformed");
    CHECK(ask({"Basic x", "Bearer " + token}) == "malformed");
}

TEST_CASE("a token of the issuer leads to its caller, in whatever spelling of the scheme") {
    auto const token = signer().token(payload());
    for (std::string const scheme : {"Bearer ", "bearer ", "BEARER  "}) {
        Asked asked{gateway(), {scheme + token}};
        CHECK(asked.ask() == "jwt:alice");
        CHECK(asked.exchange.decision.authorization.proof == token);
        CHECK((asked.services.known_tokens != nullptr) == (scheme == "Bearer "));
    }
}

TEST_CASE("a wrong token is denied for its own reason, with a note if the issuer has signed it") {
    TokenSigner const other{"ES256", "k1"};
    auto const note_of = [](std::string const& token, std::string const& failure) {
        Asked asked{gateway(), {"Bearer " + token}};
        CHECK(asked.ask() == failure);
        CHECK(asked.exchange.decision.caller == nullptr);
        CHECK(asked.services.known_tokens == nullptr);
        return asked.note;
    };
    CHECK(note_of(other.token(payload()), "signature").empty());
    CHECK(note_of("eyJ.x.y", "malformed").empty());
    CHECK(note_of(signer().token(payload({}, -60)), "expired") == "it has expired");
    CHECK_FALSE(note_of(signer().token("[]"), "malformed").empty());
    CHECK_FALSE(note_of(signer().token(R"({"iss":"x"})"), "claim").empty());
    auto const without_org = [] {
        auto text = payload();
        return text.erase(text.find(R"("org":"o-1",)"), 12);
    }();
    CHECK(note_of(signer().token(without_org), "claim") == "the token lacks the claim of a label");
}

TEST_CASE("labels have the types of their claims, and a claim that is none refuses") {
    auto const label_of = [](std::string const& value) -> std::string {
        auto text = payload();
        text.replace(text.find("\"o-1\""), 5, value);
        Asked asked{gateway(), {"Bearer " + signer().token(text)}};
        auto const result = asked.ask();
        if (result != "jwt:alice") return result;
        return pipeline::text_of(asked.exchange.decision.caller->labels.front().value);
    };
    CHECK(label_of("\"x\"") == "x");
    CHECK(label_of("true") == "true");
    CHECK(label_of("5") == "5");
    for (auto const* const value :
         {"null", "\"\"", "[]", "[\"o-1\"]", "{}", "\"a\\u0000b\"", "18446744073709551615"}) {
        CAPTURE(value);
        CHECK(label_of(value) == "claim");
    }
}

TEST_CASE("roles by a claim are added to those of every token, and what they deny counts") {
    auto const permissions_of = [](std::string const& more) {
        Asked asked{gateway(), {"Bearer " + signer().token(payload(more))}};
        REQUIRE(asked.ask() == "jwt:alice");
        auto const& caller = *asked.exchange.decision.caller;
        auto const& permissions = *caller.permissions_at(gateway().api().index);
        std::string text;
        for (auto const& operation : gateway().api().contract->operations()) {
            if (permissions.allowed.has(operation.index)) text += operation.id + ' ';
            if (permissions.tested.has(operation.index)) text += operation.id + "? ";
        }
        for (auto const& values : caller.values)
            for (auto const& value : *values)
                text += '=' + value.text();
        return text;
    };
    CHECK(permissions_of({}) == "getItem ");
    CHECK(permissions_of(R"("groups":["others"])") == "getItem ");
    CHECK(permissions_of(R"("groups":["others","writers"])")
          == "getItem? putItem? uploadItem? =o-1");
    CHECK(permissions_of(R"("groups":"writers x")") == "getItem? putItem? uploadItem? =o-1");
    CHECK(ask_token(signer().token(payload(R"("groups":[1])"))) == "claim");
    CHECK(ask_token(signer().token(payload(R"("groups":{"writers":1})"))) == "claim");
}

TEST_CASE("a known token is found without a look at it, until it is denied or has expired") {
    Asked asked{gateway(), {"Bearer " + signer().token(payload())}};
    REQUIRE(asked.ask() == "jwt:alice");
    auto const* const first = asked.exchange.decision.caller;
    auto const kept = asked.exchange.decision.own_caller;
    CHECK(asked.ask() == "jwt:alice");
    CHECK(asked.exchange.decision.caller == first);
    // Another configuration has another verifier.
    Gateway second;
    auto const again = make_jwt(second.api());
    asked.exchange.decision.api = &second.api();
    REQUIRE(asked.Fixture::ask(*again).kind() == pipeline::Verdict::Kind::pass);
    CHECK(asked.exchange.decision.caller != first);
    // A denied one is refused when it is verified again.
    asked.exchange.decision.api = &gateway().api();
    auto const token = std::string{asked.exchange.decision.authorization.proof};
    asked.services.denied_secrets = std::make_shared<pipeline::DeniedSecrets const>(
        pipeline::DeniedSecrets::read("sha256:" + sallyport::test::sha256_hex(token)).list);
    CHECK(asked.ask() == "jwt:alice");
    asked.services.known_tokens.reset();
    CHECK(asked.ask() == "denied");
}

TEST_CASE("a denied token is refused with the other signature of its text, and by its text alone") {
    auto const token = signer().token(payload());
    auto const signed_part = token.substr(0, token.rfind('.'));
    auto const deny = [](std::string_view text) {
        return std::make_shared<pipeline::DeniedSecrets const>(
            pipeline::DeniedSecrets::read("sha256:" + sallyport::test::sha256_hex(text)).list);
    };
    std::string other;
    CHECK_FALSE(jose::any_text_of_same_token(token, [&](std::string_view text) {
        if (text != token && text != signed_part) other = text;
        return false;
    }));
    for (auto const& denied : {token, other, signed_part}) {
        for (auto const& sent : {token, other}) {
            Asked asked{gateway(), {"Bearer " + sent}};
            CHECK(asked.ask() == "jwt:alice");
            asked.services.known_tokens.reset();
            asked.services.denied_secrets = deny(denied);
            CHECK(asked.ask() == "denied");
        }
    }
    Asked another{gateway(), {"Bearer " + token}};
    another.services.denied_secrets = deny("another token");
    CHECK(another.ask() == "jwt:alice");
}

TEST_CASE("scopes that are required are all there") {
    Gateway strict{", scopes: { required: [a, b] }"};
    auto const of = [&](std::string const& more) {
        return Asked{strict, {"Bearer " + signer().token(payload(more))}}.ask();
    };
    CHECK(of({}) == "scope");
    CHECK(of(R"("scope":"a")") == "scope");
    CHECK(of(R"("scope":"ab")") == "scope");
    CHECK(of(R"("scope":{"a":1,"b":1})") == "scope");
    CHECK(of(R"("scope":"b x a")") == "jwt:alice");
    CHECK(of(R"("scope":["a","b"])") == "jwt:alice");
}

TEST_CASE("scopes of a token are compared with those that the contract asks for") {
    Gateway at{", scopes: { claim: scp }", Scopes::used};
    auto const within = [&at](std::string const& claims) {
        Asked asked{at, {"Bearer " + signer().token(payload(claims))}};
        CHECK(asked.ask() == "jwt:alice");
        std::string names;
        for (auto const& operation : at.api().contract->operations())
            if (asked.exchange.decision.caller->is_within_scope(at.api().index, operation.index))
                names += operation.id + ' ';
        return names;
    };
    CHECK(within("") == "");
    CHECK(within(R"("scp":"items.read other")") == "getItem ");
    CHECK(within(R"("scp":["items.read"])") == "getItem ");
    CHECK(within(R"("scp":"items")") == "");
    CHECK(within(R"("scp":5)") == "");
    // Of another claim.
    CHECK(within(R"("scope":"items.read")") == "");
}

TEST_CASE("jwt is asked before bearer, which denies every token that it does not know") {
    auto const rows = registry();
    auto const at = [&](std::string_view name) {
        return std::find_if(rows.begin(), rows.end(),
                            [name](auto const& row) { return row.name == name; });
    };
    CHECK(at(jwt_name) < at(bearer_name));
    // Two authenticators of one scheme have one challenge.
    pipeline::Pipeline pipeline{gateway().api(), rows};
    Asked asked{gateway(), {"Bearer eyJ.x.y"}};
    auto admission = pipeline.admit(asked.exchange, pipeline::Until::body);
    auto const denial = std::move(admission).take_denial();
    REQUIRE(denial != nullptr);
    REQUIRE(denial->fields.size() == 1);
    CHECK(denial->fields.front().value == "Bearer realm=\"items\"");
}

} // namespace jwt_test

// What authentication costs: of Basic, a token and a JSON Web Token that were seen before, and of
// a new JSON Web Token of each algorithm.
#include "gateway/http/head.h"
#include "gateway/pipeline/decision.h"
#include "gateway/pipeline/known_tokens.h"
#include "plugins/basic/basic.h"
#include "plugins/bearer/bearer.h"
#include "plugins/jwt/jwt.h"
#include "plugins/jwt/settings.h"
#include "tests/support/token_signer.h"
#include "tests/unit/pipeline/double.h"

#include <benchmark/benchmark.h>

#include <array>
#include <chrono>
#include <memory>
#include <string>

namespace {

using namespace sallyport;
using sallyport::test::TokenSigner;

// As an identity provider makes them: a token of about 500 bytes with ES256.
std::string claims() {
    using namespace std::chrono;
    auto const now = duration_cast<seconds>(system_clock::now().time_since_epoch()).count();
    return R"({"iss":"https://id.example.com/realms/main","aud":"files","sub":)"
           R"("f81d4fae-7dec-11d0-a765-00a0c91e6bf6","azp":"web","org":"o-1","exp":)"
           + std::to_string(now + 36'000) + ",\"iat\":" + std::to_string(now)
           + R"(,"scope":"openid profile","realm_access":{"roles":["reader","offline_access"]}})";
}

struct Verified {
    explicit Verified(std::string_view algorithm, std::string const& scheme = "Bearer ")
        : signer{algorithm, "key-1"}, fixture{"GET / HTTP/1.1\r\nHost: h\r\nAuthorization: "
                                              + scheme + signer.token(claims()) + "\r\n\r\n"} {
        std::array<jose::Algorithm, 1> const algorithms{*jose::find_algorithm(algorithm)};
        plugins::JwtVerifier verifier;
        verifier.expected.issuers = {"https://id.example.com/realms/main"};
        verifier.expected.audiences = {"files"};
        verifier.mapping.labels = {{{"org", {}}, "org"}};
        verifier.mapping.roles.always = {{"reader", {}}};
        auto const read = jose::read_key_set(sallyport::test::key_set({signer.jwk()}), algorithms);
        verifier.keys.fixed = std::make_shared<plugins::IssuerKeys const>(
            plugins::IssuerKeys{read.keys, pipeline::next_verifier_number()});
        verifier.number = pipeline::next_verifier_number();
        pipeline::Role reader;
        reader.permissions = std::make_shared<std::vector<pipeline::Permissions>>(1);
        fixture.api.roles =
            std::make_shared<pipeline::RoleTable>(pipeline::RoleTable{{"reader", reader}});
        fixture.api.settings.emplace_back(plugins::jwt_name,
                                          config::Opaque::of(std::move(verifier)));
        plugin = plugins::make_jwt(fixture.api);
    }

    TokenSigner signer;
    pipeline::test::Fixture fixture;
    std::unique_ptr<pipeline::Plugin> plugin;
};

void check(benchmark::State& state, pipeline::Verdict const& verdict) {
    if (verdict.kind() != pipeline::Verdict::Kind::pass) state.SkipWithError("it is refused");
}

// A caller of the file of credentials, with a secret that has a fast hash.
struct Stored {
    explicit Stored(std::string_view authenticator, std::string_view field)
        : fixture{"GET / HTTP/1.1\r\nHost: h\r\nAuthorization: " + std::string{field}
                  + "\r\n\r\n"} {
        auto const table = std::make_shared<pipeline::CredentialTable>();
        for (int number = 0; number < 1'000; ++number)
            table->add("basic", {"other-" + std::to_string(number)}, credential("a-secret"));
        if (authenticator == plugins::basic_name) {
            table->add(authenticator, {"id"}, credential("a-right-secret"));
        } else {
            auto const digest = fixture.services.sha256("a-right-secret");
            table->add(authenticator, {std::string{pipeline::as_text(digest)}},
                       credential("a-right-secret"));
        }
        fixture.api.credentials = table;
    }

    pipeline::Credential credential(std::string_view secret) {
        pipeline::Credential out;
        out.digests.fill(fixture.services.sha256(secret));
        return out;
    }

    pipeline::test::Fixture fixture;
};

void known(benchmark::State& state, pipeline::test::Fixture& fixture, pipeline::Plugin& plugin) {
    check(state, fixture.ask(plugin));
    for (auto _ : state) {
        auto const verdict = fixture.ask(plugin);
        check(state, verdict);
    }
}

void basic_seen_before(benchmark::State& state) {
    Stored stored{plugins::basic_name, "Basic aWQ6YS1yaWdodC1zZWNyZXQ="}; // id:a-right-secret
    known(state, stored.fixture, *plugins::make_basic(stored.fixture.api));
}

void bearer_seen_before(benchmark::State& state) {
    Stored stored{plugins::bearer_name, "Bearer a-right-secret"};
    known(state, stored.fixture, *plugins::make_bearer(stored.fixture.api));
}

void jwt_seen_before(benchmark::State& state) {
    Verified verified{"ES256"};
    known(state, verified.fixture, *verified.plugin);
}

// Only the canonical spelling of a field is remembered.
void new_jwt(benchmark::State& state, char const* algorithm) {
    Verified verified{algorithm, "bearer "};
    for (auto _ : state) {
        auto const verdict = verified.fixture.ask(*verified.plugin);
        check(state, verdict);
    }
}

} // namespace

BENCHMARK(basic_seen_before);
BENCHMARK(bearer_seen_before);
BENCHMARK(jwt_seen_before);
BENCHMARK_CAPTURE(new_jwt, ES256, "ES256");
BENCHMARK_CAPTURE(new_jwt, ES384, "ES384");
BENCHMARK_CAPTURE(new_jwt, RS256, "RS256");
BENCHMARK_CAPTURE(new_jwt, PS256, "PS256");
BENCHMARK_CAPTURE(new_jwt, EdDSA, "EdDSA");
BENCHMARK_CAPTURE(new_jwt, HS256, "HS256");

BENCHMARK_MAIN();

// Each verdict about API keys.
#include "plugins/api_key/api_key.h"

#include "plugins/api_key/settings.h"
#include "tests/unit/pipeline/double.h"

#include <catch2/catch.hpp>

namespace api_key_test {

using namespace sallyport;
using namespace sallyport::plugins;
using pipeline::AuthFailure;

namespace {

constexpr std::string_view right_key = "a/right+key=";

// A request to an API with one caller that has a key.
struct WithKey : pipeline::test::Fixture {
    WithKey(std::string_view target, std::string_view fields,
            config::SecretPlace place = api_key_place(nullptr))
        : Fixture{"GET " + std::string{target} + " HTTP/1.1\r\nHost: h\r\n" + std::string{fields}
                  + "\r\n"} {
        pipeline::Credential credential;
        credential.identity.name = "by key";
        auto const digest = services.sha256(right_key);
        credential.digests = {digest, digest};
        auto const table = std::make_shared<pipeline::CredentialTable>();
        table->add(api_key_name, {std::string{pipeline::as_text(digest)}}, std::move(credential));
        api.credentials = table;
        api.settings.emplace_back(api_key_name, config::Opaque::of(std::move(place)));
        plugin = make_api_key(api);
    }

    // "by key", "abstains", or the word of why it is denied.
    std::string ask() {
        exchange.decision.caller = nullptr;
        auto const verdict = plugin->check(exchange.request, exchange.decision, services);
        switch (verdict.kind()) {
        case pipeline::Verdict::Kind::pass: return exchange.decision.caller->name;
        case pipeline::Verdict::Kind::abstain: return "abstains";
        default: return std::string{to_string(exchange.decision.auth_failure)};
        }
    }

    std::unique_ptr<pipeline::Plugin> plugin;
};

std::string in_head(std::string_view fields) {
    return WithKey{"/", fields}.ask();
}

std::string in_query(std::string_view target) {
    return WithKey{target, {}, {"", "api_key"}}.ask();
}

} // namespace

TEST_CASE("a key in the field leads to its caller, in any letter case of the field's name") {
    CHECK(in_head("X-Api-Key: a/right+key=\r\n") == "by key");
    CHECK(in_head("x-api-key: a/right+key=\r\n") == "by key");
    CHECK(in_head("X-Api-Key: wrong\r\n") == "unknown");
    CHECK(in_head("X-Other: a/right+key=\r\n") == "abstains");
    CHECK(in_head("") == "abstains");
}

TEST_CASE("a field that is empty or there twice proves nothing") {
    CHECK(in_head("X-Api-Key:\r\n") == "malformed");
    CHECK(in_head("X-Api-Key: a/right+key=\r\nX-API-KEY: a/right+key=\r\n") == "malformed");
    CHECK(in_head("X-Api-Key: a/right+key=\r\nX-Api-Key:\r\n") == "malformed");
}

TEST_CASE("a key in the query is unescaped, and its name may be escaped") {
    CHECK(in_query("/?api_key=a%2Fright%2Bkey%3D") == "by key");
    CHECK(in_query("/?a=b&api%5Fkey=a/right%2Bkey=&c") == "by key");
    CHECK(in_query("/?api_key=wrong") == "unknown");
    CHECK(in_query("/?API_KEY=a%2Fright%2Bkey%3D") == "abstains");
    CHECK(in_query("/") == "abstains");
}

TEST_CASE("what two readers of a query could take for different keys proves nothing") {
    CHECK(in_query("/?api_key=a/right+key=") == "malformed");
    CHECK(in_query("/?api_key=a%2Fright%2Bkey%3D&api_key=") == "malformed");
    CHECK(in_query("/?api_key=a%2Fright%2Bkey%3D&%61pi_key=x") == "malformed");
    CHECK(in_query("/?api_key") == "malformed");
}

TEST_CASE("a key that was right is remembered, and its place is known to what forwards") {
    WithKey request{"/", "X-Api-Key: a/right+key=\r\n"};
    CHECK(request.ask() == "by key");
    auto const known =
        request.services.known_callers.find(*request.api.credentials, api_key_name, right_key);
    REQUIRE(known.credential != nullptr);
    CHECK(known.credential->identity.name == "by key");
    CHECK(request.ask() == "by key");
    CHECK(request.exchange.decision.authorization.field == "X-Api-Key");
    CHECK(request.exchange.decision.auth_failure == AuthFailure::none);
}

TEST_CASE("a key that is remembered from a field is no other text of a query") {
    WithKey in_field{"/", "X-Api-Key: a/right+key=\r\n"};
    CHECK(in_field.ask() == "by key");
    auto const ask_with_the_same_memory = [&in_field](std::string_view target) {
        WithKey request{target, {}, {"", "api_key"}};
        request.api.credentials = in_field.api.credentials;
        std::swap(request.services.known_callers, in_field.services.known_callers);
        auto const out = request.ask();
        std::swap(request.services.known_callers, in_field.services.known_callers);
        return out;
    };
    CHECK(ask_with_the_same_memory("/?api_key=a/right+key=") == "malformed");
    CHECK(ask_with_the_same_memory("/?api_key=a/right%2Bkey=") == "by key");
    auto const& known = in_field.services.known_callers;
    CHECK(known.find(*in_field.api.credentials, api_key_name, "a/right%2Bkey=").credential
          == nullptr);
}

TEST_CASE("a challenge names the realm") {
    CHECK(api_key_challenge("things") == "ApiKey realm=\"things\"");
}

} // namespace api_key_test

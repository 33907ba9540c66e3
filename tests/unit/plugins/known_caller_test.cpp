// A field that was verified before leads to the same caller; no other field is remembered.
#include "plugins/basic/basic.h"
#include "plugins/bearer/bearer.h"
#include "tests/unit/plugins/caller.h"

#include <catch2/catch.hpp>

#include <memory>
#include <utility>

namespace known_caller_test {

using namespace sallyport;
using namespace sallyport::plugins;
using plugins::test::Caller;
using plugins::test::right_basic;
using plugins::test::right_bearer;
using plugins::test::WallClock;

namespace {

std::string basic(Caller& caller) {
    return caller.ask(make_basic(caller.api));
}
std::string bearer(Caller& caller) {
    return caller.ask(make_bearer(caller.api));
}

void remember(Caller& caller, std::string_view field) {
    caller.services.known_callers.remember(
        *caller.api.credentials, basic_name, field,
        {pipeline::AuthFailure::none, caller.api.credentials->all().front().get()});
}

} // namespace

TEST_CASE("an invalid field is not cached") {
    Caller caller{"Basic aWQ6d3Jvbmc="}; // id:wrong
    CHECK(basic(caller) == "denied: unauthenticated");
    CHECK_FALSE(caller.is_remembered(basic_name, "Basic aWQ6d3Jvbmc="));
}

TEST_CASE("a verified field of an expired credential is denied, and the credential is reported") {
    Caller caller{{right_basic}, WallClock::now() - std::chrono::hours{1}};
    remember(caller, right_basic);
    CHECK(basic(caller) == "denied: unauthenticated");
    CHECK(caller.exchange.decision.auth_failure == pipeline::AuthFailure::expired);
    REQUIRE(caller.exchange.decision.meant != nullptr);
    CHECK(caller.exchange.decision.meant->identity.name == "by secret");
}

TEST_CASE("a right secret that is in the list of denied ones is refused, and not remembered") {
    auto const deny = [](Caller& caller, std::string_view secret) {
        // As the list has it: SHA-256 of the secret.
        auto const* const text =
            secret == "a-right-secret"
                ? "sha256:209c63f3f1a3e47839e1b2f72747e31e1d6bf544d3d6a23320fdbfd3e647aa67"
                : "sha256:e5263436388394b551a69f03d2c907cc7f9961c51866ea115a4e53639a413cea";
        auto read = pipeline::DeniedSecrets::read(text);
        REQUIRE(read.list.size() == 1);
        caller.services.denied_secrets =
            std::make_shared<pipeline::DeniedSecrets const>(std::move(read.list));
    };
    Caller denied{right_basic};
    deny(denied, "a-right-secret");
    CHECK(basic(denied) == "denied: unauthenticated");
    CHECK(denied.exchange.decision.auth_failure == pipeline::AuthFailure::denied);
    REQUIRE(denied.exchange.decision.meant != nullptr);
    CHECK(denied.exchange.decision.meant->identity.name == "by secret");
    CHECK_FALSE(denied.is_remembered(basic_name, right_basic));
    Caller by_token{right_bearer};
    deny(by_token, "a-right-token");
    CHECK(bearer(by_token) == "denied: unauthenticated");
    Caller other{right_basic};
    deny(other, "a-right-token");
    CHECK(basic(other) == "by secret, " + std::string{right_basic});
}

TEST_CASE("what was verified can be forgotten") {
    Caller caller{right_basic};
    CHECK(basic(caller) == "by secret, " + std::string{right_basic});
    CHECK(caller.is_remembered(basic_name, right_basic));
    caller.services.known_callers.forget();
    CHECK_FALSE(caller.is_remembered(basic_name, right_basic));
}

TEST_CASE("a repeated field is denied, even where the first line has been verified") {
    Caller caller{right_basic, "Basic aWQ6d3Jvbmc="};
    remember(caller, right_basic);
    CHECK(basic(caller) == "denied: unauthenticated");
}

TEST_CASE("a field that one authenticator has verified is not verified for another") {
    Caller by_secret{right_basic};
    CHECK(basic(by_secret) == "by secret, " + std::string{right_basic});
    CHECK(bearer(by_secret) == "abstains");
    CHECK_FALSE(by_secret.is_remembered(bearer_name, right_basic));
    Caller by_token{right_bearer};
    CHECK(bearer(by_token) == "by token, " + std::string{right_bearer});
    CHECK(basic(by_token) == "abstains");
    CHECK_FALSE(by_token.is_remembered(basic_name, right_bearer));
}

TEST_CASE("the caller is the same at the first request and when its field is cached") {
    Caller by_secret{{right_basic}, WallClock::now() + std::chrono::hours{1}};
    auto const first = basic(by_secret);
    CHECK(first == "by secret, " + std::string{right_basic});
    CHECK(by_secret.is_remembered(basic_name, right_basic));
    CHECK(basic(by_secret) == first);

    Caller by_token{right_bearer};
    auto const first_of_token = bearer(by_token);
    CHECK(first_of_token == "by token, " + std::string{right_bearer});
    CHECK(by_token.is_remembered(bearer_name, right_bearer));
    CHECK(bearer(by_token) == first_of_token);
}

TEST_CASE("a scheme that is spelled otherwise is parsed each time") {
    Caller caller{"bASIC  aWQ6YS1yaWdodC1zZWNyZXQ="};
    CHECK(basic(caller) == "by secret, " + std::string{right_basic});
    CHECK(basic(caller) == "by secret, " + std::string{right_basic});
    CHECK_FALSE(caller.is_remembered(basic_name, "bASIC  aWQ6YS1yaWdodC1zZWNyZXQ="));
}

} // namespace known_caller_test

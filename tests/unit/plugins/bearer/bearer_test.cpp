// Each verdict about Bearer tokens.
#include "plugins/bearer/bearer.h"

#include "tests/unit/plugins/caller.h"

#include <catch2/catch.hpp>

namespace bearer_test {

using namespace sallyport;
using namespace sallyport::plugins;
using sallyport::plugins::test::Caller;
using sallyport::plugins::test::right_bearer;
using sallyport::plugins::test::WallClock;

namespace {

std::string ask(Caller& caller) {
    return caller.ask(make_bearer(caller.api));
}

} // namespace

TEST_CASE("an unknown token is denied") {
    for (std::string_view const field : {"Bearer a-wrong-token", "Bearer a-right-token x", "Bearer",
                                         "Bearer ", "Bearer a-right-token,"}) {
        INFO(field);
        Caller caller{field};
        CHECK(ask(caller) == "denied: unauthenticated");
        CHECK(caller.exchange.decision.caller == nullptr);
    }
}

TEST_CASE("an expired token is denied, and its credential is reported to the operator") {
    Caller caller{{right_bearer}, WallClock::now() - std::chrono::hours{1}};
    CHECK(ask(caller) == "denied: unauthenticated");
    CHECK(caller.exchange.decision.auth_failure == pipeline::AuthFailure::expired);
    REQUIRE(caller.exchange.decision.meant != nullptr);
    CHECK(caller.exchange.decision.meant->identity.name == "by token");
}

TEST_CASE("Bearer abstains if there is no field, or another scheme") {
    Caller none{};
    CHECK(ask(none) == "abstains");
    Caller basic{"Basic aWQ6YS1yaWdodC1zZWNyZXQ="};
    CHECK(ask(basic) == "abstains");
}

TEST_CASE("a known token leads to its caller") {
    Caller caller{right_bearer};
    CHECK(ask(caller) == "by token, " + std::string{right_bearer});
}

TEST_CASE("a known token that came as a subprotocol is one of the Authorization field") {
    auto const with_subprotocol = [](Caller& caller, std::string_view value) {
        caller.exchange.request.subprotocol_authorization =
            std::make_unique<config::Secret const>(value);
    };
    Caller alone{};
    with_subprotocol(alone, right_bearer);
    CHECK(ask(alone) == "by token, " + std::string{right_bearer});
    CHECK(ask(alone) == "by token, " + std::string{right_bearer}); // also if it is known
    Caller wrong{};
    with_subprotocol(wrong, "Bearer a-wrong-token");
    CHECK(ask(wrong) == "denied: unauthenticated");
    Caller beside{right_bearer};
    with_subprotocol(beside, right_bearer);
    CHECK(ask(beside) == "denied: unauthenticated");
}

TEST_CASE("a Bearer challenge names the realm as a quoted string") {
    CHECK(bearer_challenge(R"(a "b\c)") == R"(Bearer realm="a \"b\\c")");
}

} // namespace bearer_test

// Each verdict about Basic credentials.
#include "plugins/basic/basic.h"

#include "tests/unit/plugins/caller.h"

#include <catch2/catch.hpp>

namespace basic_test {

using namespace sallyport;
using namespace sallyport::plugins;
using sallyport::plugins::test::Caller;
using sallyport::plugins::test::right_basic;
using sallyport::plugins::test::WallClock;

namespace {

std::string ask(Caller& caller) {
    return caller.ask(make_basic(caller.api));
}

} // namespace

TEST_CASE("a field without a known key id and its secret is denied") {
    using pipeline::AuthFailure;
    struct Refused {
        std::string_view field;
        AuthFailure failure;
    };
    for (auto const& [field, failure] : {
             Refused{"Basic aWQ6d3Jvbmc=", AuthFailure::wrong_secret},              // id:wrong
             Refused{"Basic b3RoZXI6YS1yaWdodC1zZWNyZXQ=", AuthFailure::unknown},   // other:...
             Refused{"Basic aWQ=", AuthFailure::malformed},                         // no colon
             Refused{"Basic aWQ6YS1yaWdodC1zZWNyZXQ", AuthFailure::malformed},      // no padding
             Refused{"Basic aWQ6YS1yaWdodC1zZWNyZXQ= x", AuthFailure::malformed},
             Refused{"Basic", AuthFailure::malformed},
             Refused{"Basic ", AuthFailure::malformed},
             Refused{"Bas(c x", AuthFailure::malformed},
         }) {
        INFO(field);
        Caller caller{field};
        CHECK(ask(caller) == "denied: unauthenticated");
        CHECK(caller.exchange.decision.caller == nullptr);
        CHECK(caller.exchange.decision.auth_failure == failure);
    }
}

TEST_CASE("expired Basic credentials are denied, and reported to the operator") {
    Caller caller{{right_basic}, WallClock::now() - std::chrono::hours{1}};
    CHECK(ask(caller) == "denied: unauthenticated");
    CHECK(caller.exchange.decision.auth_failure == pipeline::AuthFailure::expired);
    REQUIRE(caller.exchange.decision.meant != nullptr);
    CHECK(caller.exchange.decision.meant->identity.name == "by secret");
}

TEST_CASE("Basic abstains if there is no field, or another scheme") {
    Caller none{};
    CHECK(ask(none) == "abstains");
    Caller bearer{"Bearer a-right-token"};
    CHECK(ask(bearer) == "abstains");
    Caller digest{"Digest username=x"};
    CHECK(ask(digest) == "abstains");
}

TEST_CASE("a known key id with its secret leads to its caller") {
    Caller caller{right_basic};
    CHECK(ask(caller) == "by secret, " + std::string{right_basic});
}

TEST_CASE("a Basic challenge names the realm as a quoted string, and UTF-8") {
    CHECK(basic_challenge("management") == R"(Basic realm="management", charset="UTF-8")");
    CHECK(basic_challenge(R"(a "b\c)") == R"(Basic realm="a \"b\\c", charset="UTF-8")");
}

} // namespace basic_test

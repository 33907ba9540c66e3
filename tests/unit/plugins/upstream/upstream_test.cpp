// Requests whose credentials are left to the upstream.
#include "plugins/upstream/upstream.h"

#include "plugins/allow/allow.h"
#include "tests/unit/plugins/caller.h"

#include <catch2/catch.hpp>

namespace upstream_test {

using namespace sallyport;
using namespace sallyport::plugins;
using sallyport::plugins::test::Caller;

TEST_CASE("several Authorization fields are refused, because the upstream could read either") {
    Caller caller{"Basic YTpi", "Bearer token"};
    CHECK(caller.ask(make_upstream(caller.api)) == "denied: bad_request");
}

TEST_CASE("any other request passes without a caller, and its credentials are the upstream's") {
    Caller none{};
    CHECK(none.ask(make_upstream(none.api)) == "passes without a caller");
    CHECK(none.exchange.decision.authorization.issuer == pipeline::Issuer::other);
    for (auto const* const field : {"Basic YTpi", "Bearer ey", "basic  =", "Custom a=b, c=d"}) {
        Caller caller{field};
        CHECK(caller.ask(make_upstream(caller.api)) == "passes without a caller");
        CHECK(caller.exchange.decision.authorization.issuer == pipeline::Issuer::other);
    }
}

TEST_CASE("where the upstream knows its callers there is nothing to authorize") {
    Caller caller{};
    caller.api.authenticate = {"upstream"};
    CHECK(make_allow(caller.api) == nullptr);
}

} // namespace upstream_test

// An API for every client has requests without a caller.
#include "plugins/anonymous/anonymous.h"

#include "plugins/allow/allow.h"
#include "tests/unit/plugins/caller.h"

#include <catch2/catch.hpp>

namespace anonymous_test {

using namespace sallyport::plugins;
using sallyport::plugins::test::Caller;

TEST_CASE("anonymous passes every request, and takes no field for a caller") {
    Caller none{};
    CHECK(none.ask(make_anonymous(none.api)) == "passes without a caller");
    Caller basic{"Basic aWQ6YS1yaWdodC1zZWNyZXQ="};
    CHECK(basic.ask(make_anonymous(basic.api)) == "passes without a caller");
    Caller malformed{"Basic ="};
    CHECK(malformed.ask(make_anonymous(malformed.api)) == "passes without a caller");
}

TEST_CASE("only where an API is anonymous there is nothing to authorize") {
    Caller caller{};
    caller.api.authenticate = {"basic"};
    CHECK(make_allow(caller.api) != nullptr);
    caller.api.authenticate = {"anonymous"};
    CHECK(make_allow(caller.api) == nullptr);
}

} // namespace anonymous_test

// The store's promises: bounded, whole replacements, lists by owner.
#include "deploy/sandbox/store.h"

#include <boost/json/value.hpp>
#include <catch2/catch.hpp>

using namespace sallyport::sandbox;
using boost::json::object;

TEST_CASE("what does not fit is not stored, and what stood there stays") {
    Store store{600};
    Key const key{Kind::service, "o", "s"};
    REQUIRE(store.put(key, object{{"a", 1}}) == Stored::yes);
    CHECK(store.put(key, object{{"a", std::string(400, 'x')}}) == Stored::full);
    CHECK(store.put({Kind::service, "o", "t"}, object{{"a", std::string(100, 'x')}})
          == Stored::full);
    CHECK(store.find(key) == object{{"a", 1}});
}

TEST_CASE("a replacement gives back the room of what it replaces") {
    Store store{600};
    Key const key{Kind::service, "o", "s"};
    for (int i = 0; i < 100; ++i)
        REQUIRE(store.put(key, object{{"a", i}}) == Stored::yes);
    CHECK(store.find(key) == object{{"a", 99}});
}

TEST_CASE("a list holds what has this kind and this owner") {
    Store store{10'000};
    REQUIRE(store.put({Kind::backup, "s", "2"}, object{{"n", 2}}) == Stored::yes);
    REQUIRE(store.put({Kind::backup, "s", "1"}, object{{"n", 1}}) == Stored::yes);
    REQUIRE(store.put({Kind::backup, "other", "1"}, object{{"n", 3}}) == Stored::yes);
    REQUIRE(store.put({Kind::pipe, "s", "1"}, object{{"n", 4}}) == Stored::yes);
    CHECK(store.list(Kind::backup, "nobody").empty());
    CHECK(store.list(Kind::backup, "s") == std::vector{object{{"n", 1}}, object{{"n", 2}}});
    CHECK_FALSE(store.find({Kind::pipe, "other", "1"}));
}

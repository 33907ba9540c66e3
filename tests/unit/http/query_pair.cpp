// The pairs of a query, and a query without some of them.
#include "gateway/http/query_pair.h"

#include <catch2/catch.hpp>

namespace query_pair {

using namespace sallyport::http;

TEST_CASE("pairs are taken one after the other") {
    std::string_view query = "a=1=2&b&=c&";
    auto pair = take_query_pair(query);
    CHECK(pair.name == "a");
    CHECK(pair.value == "1=2");
    pair = take_query_pair(query);
    CHECK(pair.name == "b");
    CHECK(pair.value.empty());
    pair = take_query_pair(query);
    CHECK(pair.name.empty());
    CHECK(pair.value == "c");
    CHECK(query.empty());
}

TEST_CASE("a name is the same however it is escaped") {
    CHECK(is_query_name("key", "key"));
    CHECK(is_query_name("%6bey", "key"));
    CHECK(is_query_name("%6B%65%79", "key"));
    CHECK_FALSE(is_query_name("Key", "key"));
    CHECK_FALSE(is_query_name("%256bey", "key"));
    CHECK_FALSE(is_query_name("%6", "key"));
}

TEST_CASE("a query without a name's pairs is as it was but for them") {
    CHECK(without_query_pairs("?key=1", "key").empty());
    CHECK(without_query_pairs("?a=%41&key=1&b=+", "key") == "?a=%41&b=+");
    CHECK(without_query_pairs("?%6bey=1&a&key", "key") == "?a");
    CHECK(without_query_pairs("?a=key&b", "key") == "?a=key&b");
    CHECK(without_query_pairs("", "key").empty());
}

} // namespace query_pair

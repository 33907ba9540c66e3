// How long a response may be kept.
#include "gateway/fetch/freshness.h"

#include <catch2/catch.hpp>

#include <string>

namespace freshness_test {

using namespace sallyport;
using namespace std::chrono_literals;

namespace {

std::optional<std::chrono::seconds> freshness(std::string_view fields) {
    auto const text = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n" + std::string{fields} + "\r\n";
    http::ResponseHead head;
    REQUIRE(http::parse_response_head(text, {}, http::ResponseTo::other, head) == nullptr);
    return fetch::freshness_of(head.fields);
}

} // namespace

TEST_CASE("without max-age nothing is said") {
    CHECK(freshness("") == std::nullopt);
    for (auto const* value :
         {"public", "max-age", "max-age=", "max-age=-1", "max-age=1.5", "max-age=\"60\"",
          "s-maxage=60", "x-max-age=60", "private=\"a, max-age=60\""}) {
        INFO(value);
        CHECK(freshness("Cache-Control: " + std::string{value} + "\r\n") == std::nullopt);
    }
}

TEST_CASE("max-age is how long a response is fresh, less its age") {
    CHECK(freshness("Cache-Control: max-age=300\r\n") == 300s);
    CHECK(freshness("cache-control: public ,\tMAX-AGE = 300 , must-revalidate\r\n") == 300s);
    CHECK(freshness("Cache-Control: private=\"a\\\", b\", max-age=5\r\n") == 5s);
    CHECK(freshness("Cache-Control: max-age=300\r\nAge: 100\r\n") == 200s);
    CHECK(freshness("Age: 301\r\nCache-Control: max-age=300\r\n") == 0s);
    CHECK(freshness("Cache-Control: max-age=300\r\nAge: x\r\n") == 300s);
}

TEST_CASE("the shortest of several counts, and a response that must not be kept has none") {
    CHECK(freshness("Cache-Control: max-age=300, max-age=20\r\n") == 20s);
    CHECK(freshness("Cache-Control: max-age=20\r\nCache-Control: max-age=300\r\n") == 20s);
    CHECK(freshness("Cache-Control: max-age=300, no-store\r\n") == 0s);
    CHECK(freshness("Cache-Control: no-cache\r\n") == 0s);
}

TEST_CASE("a number that is too large is a long time") {
    auto const found = freshness("Cache-Control: max-age=99999999999999999999999999\r\n");
    REQUIRE(found);
    CHECK(*found == std::chrono::seconds{std::int64_t{1} << 31});
}

} // namespace freshness_test

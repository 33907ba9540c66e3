// Times in the format of HTTP.
#include "gateway/http/date.h"

#include <catch2/catch.hpp>

#include <chrono>
#include <string>
#include <string_view>

namespace date {

using namespace sallyport::http;

TEST_CASE("a date is an IMF-fixdate") {
    using namespace std::chrono;
    auto const written = [](system_clock::time_point time) {
        return std::string{std::string_view{Date{time}}};
    };
    CHECK(written(system_clock::time_point{784111777s}) == "Sun, 06 Nov 1994 08:49:37 GMT");
    CHECK(written(sys_days{2024y / February / 29} + 23h + 59min + 59s + 999ms)
          == "Thu, 29 Feb 2024 23:59:59 GMT");
    CHECK(written(sys_days{2026y / December / 31}) == "Thu, 31 Dec 2026 00:00:00 GMT");
    // Its text is cached for one second only.
    CHECK(written(sys_days{2026y / December / 31} + 999ms) == "Thu, 31 Dec 2026 00:00:00 GMT");
    CHECK(written(sys_days{2026y / December / 31} + 1s) == "Thu, 31 Dec 2026 00:00:01 GMT");
    CHECK(written(sys_days{2026y / December / 31}) == "Thu, 31 Dec 2026 00:00:00 GMT");
}

} // namespace date

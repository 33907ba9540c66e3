// How long a peak is remembered.
#include "gateway/upstream/recent_peak.h"

#include <catch2/catch.hpp>

namespace recent_peak_test {

using namespace sallyport;
using namespace sallyport::upstream;
using namespace std::chrono_literals;

namespace {

constexpr auto span = 10s;
constexpr auto window = span / 2;
constexpr net::Clock::time_point begin{1000 * window};

// As it is at `now`, at which there is nothing.
std::size_t value_at(RecentPeak peak, net::Clock::time_point now) {
    peak.note(0, now);
    return peak.value();
}

} // namespace

TEST_CASE("without a note there was no peak") {
    CHECK(RecentPeak{span}.value() == 0);
}

TEST_CASE("a peak counts for the span, and for half of it more at most") {
    auto const into_window = GENERATE(0ns, 1'000'000'000ns, 4'999'999'999ns);
    RecentPeak peak{span};
    auto const noted = begin + into_window;
    peak.note(7, noted);
    CHECK(peak.value() == 7);
    CHECK(value_at(peak, noted + span) == 7);
    CHECK(value_at(peak, begin + 3 * window - 1ns) == 7);
    CHECK(value_at(peak, begin + 3 * window) == 0);
    CHECK(value_at(peak, begin + 4 * window) == 0);
    CHECK(value_at(peak, begin + 1000 * window) == 0);
}

TEST_CASE("each window has its own peak, and the highest counts") {
    RecentPeak peak{span};
    peak.note(9, begin);
    peak.note(5, begin + window);
    peak.note(3, begin + 2 * window);
    peak.note(4, begin + 2 * window + 1s);
    peak.note(2, begin + 2 * window + 2s);
    CHECK(peak.value() == 9);
    peak.note(1, begin + 3 * window);
    CHECK(peak.value() == 5);
    CHECK(value_at(peak, begin + 4 * window) == 4);
    CHECK(value_at(peak, begin + 5 * window) == 1);
}

TEST_CASE("an empty window is skipped") {
    RecentPeak peak{span};
    peak.note(9, begin);
    peak.note(1, begin + 2 * window);
    CHECK(peak.value() == 9);
    peak.note(1, begin + 4 * window);
    CHECK(peak.value() == 1);
}

TEST_CASE("a peak does not fall before falls_at()") {
    RecentPeak peak{span};
    peak.note(9, begin + 1s);
    CHECK(peak.falls_at() == begin + window);
    peak.note(0, begin + 3 * window - 1ns);
    CHECK(peak.value() == 9);
    CHECK(peak.falls_at() == begin + 3 * window);
}

TEST_CASE("a time before the last one counts as that") {
    RecentPeak peak{span};
    peak.note(1, begin);
    peak.note(9, begin - window);
    CHECK(value_at(peak, begin + 3 * window - 1ns) == 9);
}

} // namespace recent_peak_test

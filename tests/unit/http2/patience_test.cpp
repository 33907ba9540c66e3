// The points of each annoyance, at the limit and one beyond.
#include "gateway/http2/patience.h"

#include <catch2/catch.hpp>

namespace patience_test {

using namespace sallyport::http2;
namespace net = sallyport::net;
using namespace std::chrono_literals;

namespace {

constexpr sallyport::net::Clock::time_point start{};

// How often it can be done at once.
unsigned most(Annoyance what, PatienceLimits const& limits = {}) {
    Patience patience{limits, start};
    unsigned count = 0;
    while (patience.spend(what, start) == Patient::yes)
        ++count;
    return count;
}

} // namespace

TEST_CASE("each annoyance has its points, and a bucket of 1,000 ends at its last") {
    CHECK(most(Annoyance::reset) == 500);
    CHECK(most(Annoyance::late_reset) == 1'000);
    CHECK(most(Annoyance::fault) == 500);
    CHECK(most(Annoyance::refused_stream) == 500);
    CHECK(most(Annoyance::continuation) == 200);
    CHECK(most(Annoyance::window_update) == 1'100); // 100 are free
    CHECK(most(Annoyance::small_data) == 66'536);   // 65,536 are free
    CHECK(most(Annoyance::empty_data) == 500);
    CHECK(most(Annoyance::settings) == 101); // the first is free
    CHECK(most(Annoyance::ping) == 1'000);
    CHECK(most(Annoyance::priority) == 1'000);
    CHECK(most(Annoyance::unknown_frame) == 1'000);
    CHECK(most(Annoyance::stray_frame) == 1'000);
    CHECK(most(Annoyance::ping, {.points = 7}) == 7);
    CHECK(most(Annoyance::reset, {.points = 7}) == 3);
    CHECK(most(Annoyance::window_update, {.points = 1, .free_window_updates = 3}) == 4);
}

TEST_CASE("two updates of a window are free for each DATA frame, a stray frame for each stream") {
    Patience patience{{.points = 1, .free_window_updates = 0}, start};
    patience.note_data_sent();
    CHECK(patience.spend(Annoyance::window_update, start) == Patient::yes);
    CHECK(patience.spend(Annoyance::window_update, start) == Patient::yes);
    CHECK(patience.left() == 1);
    patience.note_stream_ended();
    CHECK(patience.spend(Annoyance::stray_frame, start) == Patient::yes);
    CHECK(patience.left() == 1);
    CHECK(patience.spend(Annoyance::stray_frame, start) == Patient::yes);
    CHECK(patience.spend(Annoyance::window_update, start) == Patient::no);
}

TEST_CASE("a hundred points come back each second, up to the whole bucket") {
    Patience patience{{}, start};
    for (int i = 0; i < 1'000; ++i)
        REQUIRE(patience.spend(Annoyance::ping, start) == Patient::yes);
    CHECK(patience.left() == 0);
    CHECK(patience.spend(Annoyance::ping, start + 9ms) == Patient::no);
    CHECK(patience.spend(Annoyance::ping, start + 10ms) == Patient::yes);
    CHECK(patience.spend(Annoyance::ping, start + 19ms) == Patient::no);
    CHECK(patience.spend(Annoyance::ping, start + 20ms) == Patient::yes);
    CHECK(patience.spend(Annoyance::ping, start + 1'020ms) == Patient::yes);
    CHECK(patience.left() == 99);
    CHECK(patience.spend(Annoyance::ping, start + 1h) == Patient::yes);
    CHECK(patience.left() == 999);
    // A clock that stands still gives nothing.
    CHECK(patience.spend(Annoyance::ping, start) == Patient::yes);
    CHECK(patience.left() == 998);
}

TEST_CASE("short DATA frames that nobody reads are free up to a number a second") {
    Patience patience{{.points = 2, .per_second = 0, .free_small_data = 3}, start};
    auto const spend = [&](net::Clock::time_point now) {
        return patience.spend(Annoyance::small_data, now) == Patient::yes;
    };
    for (int i = 0; i < 4; ++i)
        CHECK(spend(start));
    CHECK(patience.spent(Annoyance::small_data) == 1);
    // What a second leaves is not saved up for the next.
    for (int i = 0; i < 3; ++i)
        CHECK(spend(start + 10s));
    CHECK(patience.spent(Annoyance::small_data) == 1);
    CHECK(spend(start + 10'999ms));
    CHECK_FALSE(spend(start + 10'999ms));
    CHECK(spend(start + 11s));
}

TEST_CASE("what each kind has cost is counted") {
    Patience patience{{}, start};
    CHECK(patience.spend(Annoyance::settings, start) == Patient::yes);
    CHECK(patience.spend(Annoyance::settings, start) == Patient::yes);
    CHECK(patience.spend(Annoyance::reset, start) == Patient::yes);
    CHECK(patience.spend(Annoyance::reset, start) == Patient::yes);
    CHECK(patience.spent(Annoyance::settings) == 10);
    CHECK(patience.spent(Annoyance::reset) == 4);
    CHECK(patience.spent(Annoyance::ping) == 0);
    CHECK(name_of(Annoyance::reset) == "reset");
    CHECK(name_of(Annoyance::unknown_frame) == "unknown_frame");
}

} // namespace patience_test

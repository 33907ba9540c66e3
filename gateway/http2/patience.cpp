// What a client may do that costs us more than it (floods): one bucket of points a connection.
#include "gateway/http2/patience.h"

#include <algorithm>
#include <utility>

namespace sallyport::http2 {

namespace {

struct Row {
    std::string_view name;
    unsigned points;
};

// In the order of the enumerators.
constexpr std::array<Row, annoyances> rows{{
    {"reset", 2},          // the upstream connection of its exchange is lost with it
    {"late_reset", 1},     // the same, but a client whose time is over does it for each request
    {"fault", 2},          //
    {"refused_stream", 2}, // its head was decoded
    {"continuation", 5},   // no client needs it
    {"window_update", 1},  //
    {"small_data", 1},     //
    {"empty_data", 2},     //
    {"settings", 10},      // each is acknowledged, and may touch every stream
    {"ping", 1},           // each is answered
    {"priority", 1},       //
    {"unknown_frame", 1},  //
    {"stray_frame", 1},    //
}};

constexpr Row const& row_of(Annoyance what) noexcept {
    return rows[static_cast<std::size_t>(what)];
}

static_assert(row_of(Annoyance::reset).name == "reset");
static_assert(row_of(Annoyance::continuation).name == "continuation");
static_assert(row_of(Annoyance::stray_frame).name == "stray_frame");

} // namespace

std::string_view name_of(Annoyance what) noexcept {
    return row_of(what).name;
}

unsigned points_of(Annoyance what) noexcept {
    return row_of(what).points;
}

// One second is as good as the next: the allowance is not saved up.
bool Patience::is_free_data(net::Clock::time_point now) noexcept {
    if (now - small_data_since_ >= std::chrono::seconds{1}) {
        small_data_since_ = now;
        small_data_ = 0;
    }
    return small_data_++ < limits_.free_small_data;
}

bool Patience::is_free(Annoyance what, net::Clock::time_point now) noexcept {
    auto const take_one = [](std::uint64_t& of) { return of != 0 && of-- != 0; };
    switch (what) {
    case Annoyance::window_update: return take_one(free_window_updates_);
    case Annoyance::stray_frame: return take_one(free_strays_);
    case Annoyance::small_data: return is_free_data(now);
    case Annoyance::settings: return !std::exchange(had_settings_, true);
    default: return false;
    }
}

Patient Patience::spend(Annoyance what, net::Clock::time_point now) noexcept {
    if (is_free(what, now)) return Patient::yes;
    auto const points = points_of(what);
    all_spent_ += points;
    spent_[static_cast<std::size_t>(what)] += points;
    refill(now);
    if (points > left_) {
        left_ = 0;
        return Patient::no;
    }
    left_ -= points;
    return Patient::yes;
}

void Patience::refill(net::Clock::time_point now) noexcept {
    if (limits_.per_second == 0 || now <= refilled_) return;
    auto const a_point = std::chrono::nanoseconds{std::chrono::seconds{1}} / limits_.per_second;
    auto const gained = static_cast<std::uint64_t>((now - refilled_) / a_point);
    refilled_ += a_point * static_cast<std::int64_t>(gained);
    left_ = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(limits_.points, std::uint64_t{left_} + gained));
}

} // namespace sallyport::http2

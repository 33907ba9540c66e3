// What a client may do that costs us more than it (floods): one bucket of points a connection.
#pragma once

#include "gateway/net/executor.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sallyport::http2 {

/// What costs points. An honest client does each of them now and then.
enum class Annoyance : std::uint8_t {
    reset,          // a stream right behind its head (CVE-2023-44487)
    late_reset,     // a stream before our END_STREAM, but later
    fault,          // a stream that we had to reset because of the client (CVE-2025-8671)
    refused_stream, // beyond the connection's limit of streams
    continuation,   // CONTINUATION behind frames that had room for it (VU#421644)
    window_update,  // beyond two for each DATA frame sent, and 100
    small_data,     // DATA of less than 128 bytes that nobody reads, beyond 65,536 a second
    empty_data,     // DATA without content that ends nothing
    settings,       // beyond the first
    ping,           //
    priority,       // PRIORITY, PRIORITY_UPDATE
    unknown_frame,  // of an unknown type, and GOAWAY
    stray_frame,    // on a stream that has ended, beyond one for each stream
};
inline constexpr std::size_t annoyances = 13;

/// As in metrics: the name of the enumerator.
[[nodiscard]] std::string_view name_of(Annoyance what) noexcept;
/// The points of one.
[[nodiscard]] unsigned points_of(Annoyance what) noexcept;

struct PatienceLimits {
    std::uint32_t points = 1'000;
    std::uint32_t per_second = 100; // come back, up to `points`
    std::uint32_t free_window_updates = 100;
    // A second: what is on its way when a body is refused, as many lines of 16 bytes as the largest
    // window holds. They take less than a hundredth of a second.
    std::uint32_t free_small_data = 65'536;
};

enum class Patient : std::uint8_t { yes, no };

class Patience {
public:
    Patience(PatienceLimits const& limits, net::Clock::time_point now) noexcept
        : limits_{limits}, left_{limits.points}, refilled_{now}, free_window_updates_{
                                                                     limits.free_window_updates} {}

    /// `no`: the bucket is empty, the connection ends with ENHANCE_YOUR_CALM.
    [[nodiscard]] Patient spend(Annoyance what, net::Clock::time_point now) noexcept;

    /// A DATA frame was sent: its bytes come back in up to two updates.
    void note_data_sent() noexcept { free_window_updates_ += 2; }
    /// A stream has ended: one frame may have crossed with its end.
    void note_stream_ended() noexcept { ++free_strays_; }

    [[nodiscard]] std::uint32_t left() const noexcept { return left_; }
    /// The points that all kinds have taken so far.
    [[nodiscard]] std::uint64_t all_spent() const noexcept { return all_spent_; }
    /// Those that one kind has taken.
    [[nodiscard]] std::uint64_t spent(Annoyance what) const noexcept {
        return spent_[static_cast<std::size_t>(what)];
    }

private:
    [[nodiscard]] bool is_free(Annoyance what, net::Clock::time_point now) noexcept;
    [[nodiscard]] bool is_free_data(net::Clock::time_point now) noexcept;
    void refill(net::Clock::time_point now) noexcept;

    PatienceLimits limits_;
    std::uint32_t left_;
    net::Clock::time_point refilled_;
    std::uint64_t free_window_updates_;
    std::uint64_t free_strays_ = 0;
    net::Clock::time_point small_data_since_{};
    std::uint32_t small_data_ = 0; // since then
    bool had_settings_ = false;
    std::uint64_t all_spent_ = 0;
    std::array<std::uint64_t, annoyances> spent_{};
};

} // namespace sallyport::http2

// Durations, sizes and points in time as people write them: `10s`, `16KiB`, `2027-06-30T00:00:00Z`.
#pragma once

#include "config/types.h"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace sallyport::config {

/// Digits and a unit: ms, s, m or h. At most 12 digits; no sign, no fraction, no space.
[[nodiscard]] std::optional<Duration> parse_duration(std::string_view text);
/// Digits and a unit: B, KiB, MiB or GiB.
[[nodiscard]] std::optional<ByteCount> parse_size(std::string_view text);

/// In the largest unit that needs no fraction (minutes aside: 60s, not 1m).
[[nodiscard]] std::string format_duration(Duration duration);
[[nodiscard]] std::string format_size(ByteCount size);

/// Regular expressions of the durations and sizes of a range, as patterns.h has them.
[[nodiscard]] std::string duration_pattern(Duration minimum, Duration maximum);
[[nodiscard]] std::string size_pattern(ByteCount minimum, ByteCount maximum);

/// RFC 3339, 5.6: a date-time with `Z` or an offset; years 1970 to 2261. Leap seconds are refused.
[[nodiscard]] std::optional<std::chrono::system_clock::time_point>
parse_date_time(std::string_view text);
/// To the second, in UTC: `2027-06-30T00:00:00Z`.
[[nodiscard]] std::string format_date_time(std::chrono::system_clock::time_point time);

} // namespace sallyport::config

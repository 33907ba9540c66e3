// Which response a client wants first (RFC 9218).
#pragma once

#include <cstdint>
#include <string_view>

namespace sallyport::http2 {

/// RFC 9218, 4: the parameters of a priority.
struct Urgency {
    static constexpr std::uint8_t levels = 8;

    std::uint8_t level = 3;   // 0 to 7; 0 is the most urgent
    bool incremental = false; // of use while it comes: shares its turn with others

    friend bool operator==(Urgency const&, Urgency const&) = default;
};

/// Reads the value of a `Priority` field, or of PRIORITY_UPDATE: a dictionary (RFC 8941, 3.2). Only
/// `u` and `i` are used. A parameter that is missing, or has another type or range, keeps the value
/// of `otherwise` (RFC 9218, 4 and 8); a value that is no dictionary says nothing.
[[nodiscard]] Urgency parse_urgency(std::string_view value, Urgency otherwise = {}) noexcept;

} // namespace sallyport::http2

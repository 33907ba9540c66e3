// Decimal numbers: written for the texts of each request, and read where zeros in front are
// refused.
#pragma once

#include <array>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <system_error>

namespace sallyport::text {

namespace detail {

[[nodiscard]] consteval std::array<char, 200> make_pairs() {
    std::array<char, 200> pairs{};
    for (std::size_t i = 0; i < 100; ++i) {
        pairs[2 * i] = static_cast<char>('0' + i / 10);
        pairs[2 * i + 1] = static_cast<char>('0' + i % 10);
    }
    return pairs;
}

inline constexpr std::array<char, 200> pairs = make_pairs();

inline char* put_pair(char* at, std::uint32_t value) noexcept {
    std::memcpy(at, pairs.data() + 2 * std::size_t{value}, 2);
    return at + 2;
}

inline char* put_digit(char* at, std::uint32_t value) noexcept {
    *at = static_cast<char>('0' + value);
    return at + 1;
}

} // namespace detail

/// The most bytes that put_digits() writes.
inline constexpr std::size_t most_digits = 20;

/// Writes `value` at `at`, without leading zeros, and returns the end. Sizes, counts and durations
/// are usually below a million: for those a loop over the digits costs less than std::to_chars
/// takes to count them.
inline char* put_digits(char* at, std::uint64_t value) noexcept {
    using detail::put_digit, detail::put_pair;
    if (value >= 1'000'000) return std::to_chars(at, at + most_digits, value).ptr;
    auto rest = static_cast<std::uint32_t>(value);
    if (rest < 10) return put_digit(at, rest);
    if (rest < 100) return put_pair(at, rest);
    if (rest >= 10'000) {
        auto const first = rest / 10'000;
        at = first >= 10 ? put_pair(at, first) : put_digit(at, first);
        rest %= 10'000;
        at = put_pair(at, rest / 100);
    } else {
        auto const first = rest / 100;
        at = first >= 10 ? put_pair(at, first) : put_digit(at, first);
    }
    return put_pair(at, rest % 100);
}

/// The number that the whole text is, without zeros in front. Empty: it is anything else, or does
/// not fit.
template <std::unsigned_integral T>
[[nodiscard]] std::optional<T> parse_digits(std::string_view text) noexcept {
    if (text.size() > 1 && text.front() == '0') return std::nullopt;
    T number = 0;
    auto const* const end = text.data() + text.size();
    auto const read = std::from_chars(text.data(), end, number);
    if (read.ec != std::errc{} || read.ptr != end) return std::nullopt;
    return number;
}

} // namespace sallyport::text

// Durations, sizes and points in time: see units.h.
#include "config/units.h"

#include "config/patterns.h"
#include "gateway/text/ascii.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <ctime>

namespace sallyport::config {

namespace {

using text::is_digit;

struct Unit {
    std::string_view name;
    std::uint64_t factor;
};

// Largest first, for formatting.
constexpr std::array duration_units{Unit{"h", 3'600'000}, Unit{"m", 60'000}, Unit{"s", 1'000},
                                    Unit{"ms", 1}};
constexpr std::array size_units{Unit{"GiB", std::uint64_t{1} << 30U},
                                Unit{"MiB", std::uint64_t{1} << 20U},
                                Unit{"KiB", std::uint64_t{1} << 10U}, Unit{"B", 1}};

constexpr std::size_t most_digits = 12;
constexpr std::uint64_t largest_number = 999'999'999'999;

template <std::size_t n>
std::optional<std::uint64_t> parse_quantity(std::string_view text,
                                            std::array<Unit, n> const& units) {
    std::size_t digits = 0;
    while (digits < text.size() && is_digit(text[digits]))
        ++digits;
    if (digits == 0 || digits > most_digits)
        return std::nullopt; // 10^12 hours still fit a Duration
    std::uint64_t number = 0;
    std::from_chars(text.data(), text.data() + digits, number);
    for (Unit const& unit : units) {
        if (text.substr(digits) != unit.name) continue;
        std::uint64_t out = 0;
        if (__builtin_mul_overflow(number, unit.factor, &out)) return std::nullopt;
        return out;
    }
    return std::nullopt;
}

template <std::size_t n>
std::string format_quantity(std::uint64_t number, std::array<Unit, n> const& units,
                            std::string_view skipped) {
    for (Unit const& unit : units) {
        bool const is_whole = number % unit.factor == 0 && (number != 0 || unit.factor == 1);
        if (unit.name == skipped || !is_whole) continue;
        return std::to_string(number / unit.factor).append(unit.name);
    }
    return std::to_string(number);
}

// In each unit the numbers that lie in the range.
template <std::size_t n>
std::string quantity_pattern(std::uint64_t minimum, std::uint64_t maximum,
                             std::array<Unit, n> const& units) {
    std::string out;
    for (Unit const& unit : units) {
        std::uint64_t const least = minimum / unit.factor + (minimum % unit.factor != 0 ? 1 : 0);
        std::uint64_t const most = std::min(maximum / unit.factor, largest_number);
        if (least > most) continue;
        out += (out.empty() ? "" : "|") + decimal_pattern(least, most) + std::string{unit.name};
    }
    return "^0*(" + out + ")$";
}

// Reads a date-time from left to right; `failed` stays set once something did not fit.
struct Scanner {
    std::string_view rest;
    bool failed = false;

    int digits(std::size_t count) {
        int value = 0;
        for (std::size_t i = 0; i < count; ++i) {
            if (rest.empty() || !is_digit(rest.front())) {
                failed = true;
                return 0;
            }
            value = value * 10 + (rest.front() - '0');
            rest.remove_prefix(1);
        }
        return value;
    }
    void expect(char lower, char upper) {
        if (rest.empty() || (rest.front() != lower && rest.front() != upper)) {
            failed = true;
            return;
        }
        rest.remove_prefix(1);
    }
};

std::chrono::nanoseconds read_fraction(Scanner& scanner) {
    if (scanner.rest.empty() || scanner.rest.front() != '.') return {};
    scanner.rest.remove_prefix(1);
    std::int64_t nanoseconds = 0;
    std::int64_t unit = 100'000'000;
    std::size_t count = 0;
    for (; !scanner.rest.empty() && is_digit(scanner.rest.front()); ++count) {
        nanoseconds += (scanner.rest.front() - '0') * unit;
        unit /= 10;
        scanner.rest.remove_prefix(1);
    }
    if (count == 0) scanner.failed = true;
    return std::chrono::nanoseconds{nanoseconds};
}

std::chrono::minutes read_offset(Scanner& scanner) {
    if (scanner.rest == "Z" || scanner.rest == "z") {
        scanner.rest = {};
        return {};
    }
    bool const is_negative = !scanner.rest.empty() && scanner.rest.front() == '-';
    scanner.expect('-', '+');
    int const hours = scanner.digits(2);
    scanner.expect(':', ':');
    int const minutes = scanner.digits(2);
    if (hours > 23 || minutes > 59) scanner.failed = true;
    std::chrono::minutes const offset{hours * 60 + minutes};
    return is_negative ? -offset : offset;
}

} // namespace

std::optional<Duration> parse_duration(std::string_view text) {
    auto const number = parse_quantity(text, duration_units);
    if (!number) return std::nullopt;
    return Duration{static_cast<Duration::rep>(*number)};
}

std::optional<ByteCount> parse_size(std::string_view text) {
    auto const number = parse_quantity(text, size_units);
    if (!number) return std::nullopt;
    return ByteCount{*number};
}

std::string format_duration(Duration duration) {
    return format_quantity(static_cast<std::uint64_t>(duration.count()), duration_units, "m");
}

std::string format_size(ByteCount size) {
    return format_quantity(size.bytes, size_units, {});
}

std::string duration_pattern(Duration minimum, Duration maximum) {
    return quantity_pattern(static_cast<std::uint64_t>(minimum.count()),
                            static_cast<std::uint64_t>(maximum.count()), duration_units);
}

std::string size_pattern(ByteCount minimum, ByteCount maximum) {
    return quantity_pattern(minimum.bytes, maximum.bytes, size_units);
}

std::optional<std::chrono::system_clock::time_point> parse_date_time(std::string_view text) {
    Scanner scanner{text};
    std::chrono::year const year{scanner.digits(4)};
    scanner.expect('-', '-');
    std::chrono::month const month{static_cast<unsigned>(scanner.digits(2))};
    scanner.expect('-', '-');
    std::chrono::day const day{static_cast<unsigned>(scanner.digits(2))};
    scanner.expect('t', 'T');
    std::chrono::hours const hours{scanner.digits(2)};
    scanner.expect(':', ':');
    std::chrono::minutes const minutes{scanner.digits(2)};
    scanner.expect(':', ':');
    std::chrono::seconds const seconds{scanner.digits(2)};
    std::chrono::nanoseconds const fraction = read_fraction(scanner);
    std::chrono::minutes const offset = read_offset(scanner);

    std::chrono::year_month_day const date{year, month, day};
    // system_clock counts nanoseconds in 64 bits: beyond 2261 they overflow.
    bool const is_in_range = year >= std::chrono::year{1970} && year <= std::chrono::year{2261};
    if (scanner.failed || !scanner.rest.empty() || !date.ok() || !is_in_range || hours.count() > 23
        || minutes.count() > 59 || seconds.count() > 59) {
        return std::nullopt;
    }
    return std::chrono::sys_days{date} + hours + minutes + seconds + fraction - offset;
}

std::string format_date_time(std::chrono::system_clock::time_point time) {
    std::time_t const seconds = std::chrono::system_clock::to_time_t(time);
    std::tm parts{};
    ::gmtime_r(&seconds, &parts);
    std::string out(32, '\0');
    out.resize(std::strftime(out.data(), out.size(), "%Y-%m-%dT%H:%M:%SZ", &parts));
    return out;
}

} // namespace sallyport::config

// The formats that are asserted, each exactly as its standard says.
#include "gateway/contract/schema/format.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace sallyport::contract {

namespace {

struct FormatName {
    std::string_view name;
    Format format;
    std::string_view words;
};

constexpr std::array format_names{
    FormatName{"uuid", Format::uuid, "a uuid"},
    FormatName{"date-time", Format::date_time, "a date and time (RFC 3339)"},
    FormatName{"date", Format::date, "a date (RFC 3339)"},
    FormatName{"time", Format::time, "a time with offset (RFC 3339)"},
    FormatName{"ipv4", Format::ipv4, "an IPv4 address"},
    FormatName{"ipv6", Format::ipv6, "an IPv6 address"},
    FormatName{"uri", Format::uri, "a URI"},
    FormatName{"int32", Format::int32, "an integer of 32 bits"},
    FormatName{"int64", Format::int64, "an integer of 64 bits"},
};

// The OpenAPI Format Registry's hints about how a value is shown or stored, which say nothing about
// what it may be.
constexpr std::array annotations{std::string_view{"password"}, std::string_view{"float"},
                                 std::string_view{"double"}, std::string_view{"byte"},
                                 std::string_view{"binary"}};

[[nodiscard]] constexpr bool is_digit(char c) noexcept {
    return c >= '0' && c <= '9';
}
[[nodiscard]] constexpr bool is_hex(char c) noexcept {
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
constexpr auto hex_digits = [] {
    std::array<std::uint8_t, 256> table{};
    for (char const c : std::string_view{"0123456789abcdefABCDEF"}) {
        table[static_cast<unsigned char>(c)] = 1;
    }
    return table;
}();
[[nodiscard]] constexpr bool is_letter(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

[[nodiscard]] bool is_uuid(std::string_view text) noexcept {
    if (text.size() != 36) return false;
    if (text[8] != '-' || text[13] != '-' || text[18] != '-' || text[23] != '-') return false;
    // Every path has some: no branch a digit.
    std::size_t hex = 0;
    for (char const c : text)
        hex += hex_digits[static_cast<unsigned char>(c)];
    return hex == 32;
}

// The value of `count` digits at `at`; -1: they are not there.
[[nodiscard]] int digits(std::string_view text, std::size_t at, std::size_t count) noexcept {
    if (at + count > text.size()) return -1;
    int value = 0;
    for (char const c : text.substr(at, count)) {
        if (!is_digit(c)) return -1;
        value = value * 10 + (c - '0');
    }
    return value;
}

[[nodiscard]] bool is_date(std::string_view text) noexcept {
    // RFC 3339, 5.6: full-date; 5.7: days of the month
    if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
    int const year = digits(text, 0, 4);
    int const month = digits(text, 5, 2);
    int const day = digits(text, 8, 2);
    if (year < 0 || month < 1 || month > 12 || day < 1) return false;
    constexpr std::array<int, 12> days{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool const is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    int const last = days[static_cast<std::size_t>(month - 1)] + (month == 2 && is_leap ? 1 : 0);
    return day <= last;
}

[[nodiscard]] bool is_time(std::string_view text) noexcept {
    // RFC 3339, 5.6: full-time
    int const hour = digits(text, 0, 2);
    int const minute = digits(text, 3, 2);
    int const second = digits(text, 6, 2);
    if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60
        || text[2] != ':' || text[5] != ':') {
        return false;
    }
    std::size_t at = 8;
    if (at < text.size() && text[at] == '.') {
        std::size_t const fraction = ++at;
        while (at < text.size() && is_digit(text[at]))
            ++at;
        if (at == fraction) return false;
    }
    if (at == text.size()) return false;
    int offset = 0; // minutes
    if (text[at] == 'Z' || text[at] == 'z') {
        ++at;
    } else if (text[at] == '+' || text[at] == '-') {
        int const hours = digits(text, at + 1, 2);
        int const minutes = digits(text, at + 4, 2);
        if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59 || text[at + 3] != ':') {
            return false;
        }
        offset = (text[at] == '-' ? -1 : 1) * (hours * 60 + minutes);
        at += 6;
    } else {
        return false;
    }
    if (at != text.size()) return false;
    // RFC 3339, 5.7: a leap second is the last one of a day in UTC.
    int const utc = ((hour * 60 + minute - offset) % 1440 + 1440) % 1440;
    return second < 60 || utc == 1439;
}

[[nodiscard]] bool is_date_time(std::string_view text) noexcept {
    // RFC 3339, 5.6: the letters may be lower case.
    return text.size() > 11 && (text[10] == 'T' || text[10] == 't') && is_date(text.substr(0, 10))
           && is_time(text.substr(11));
}

[[nodiscard]] bool is_ipv4(std::string_view text) noexcept {
    // RFC 2673, 3.2: dotted quad; leading zeros, which some read as octal, are none of it.
    for (int part = 0; part < 4; ++part) {
        std::size_t const end = part < 3 ? text.find('.') : text.size();
        if (end == std::string_view::npos || end == 0 || end > 3) return false;
        if (digits(text, 0, end) < 0 || digits(text, 0, end) > 255) return false;
        if (end > 1 && text.front() == '0') return false;
        text.remove_prefix(part < 3 ? end + 1 : end);
    }
    return text.empty();
}

[[nodiscard]] bool is_ipv6(std::string_view text) noexcept {
    // RFC 4291, 2.2: eight groups, `::` once for at least one of them, the last two perhaps as
    // IPv4.
    std::size_t groups = 0;
    bool is_shortened = false;
    if (text.substr(0, 2) == "::") {
        is_shortened = true;
        text.remove_prefix(2);
        if (text.empty()) return true;
    }
    for (;;) {
        std::size_t const end = std::min(text.find(':'), text.size());
        std::string_view const group = text.substr(0, end);
        if (group.find('.') != std::string_view::npos) {
            if (end != text.size() || !is_ipv4(group)) return false;
            groups += 2;
            break;
        }
        if (group.empty() || group.size() > 4 || !std::all_of(group.begin(), group.end(), is_hex)) {
            return false;
        }
        ++groups;
        text.remove_prefix(end);
        if (text.empty()) break;
        text.remove_prefix(1);
        if (text.empty()) return false;
        if (text.front() != ':') continue;
        if (is_shortened) return false;
        is_shortened = true;
        text.remove_prefix(1);
        if (text.empty()) break;
    }
    return is_shortened ? groups < 8 : groups == 8;
}

// RFC 3986, 2: characters of `extra`, unreserved and sub-delims ones, and whole percent escapes.
[[nodiscard]] bool has_only(std::string_view text, std::string_view extra) noexcept {
    constexpr std::string_view marks = "-._~!$&'()*+,;=";
    for (std::size_t i = 0; i < text.size(); ++i) {
        char const c = text[i];
        if (c == '%') {
            if (i + 2 >= text.size() || !is_hex(text[i + 1]) || !is_hex(text[i + 2])) return false;
            i += 2;
            continue;
        }
        bool const is_good = is_letter(c) || is_digit(c) || marks.find(c) != std::string_view::npos
                             || extra.find(c) != std::string_view::npos;
        if (!is_good) return false;
    }
    return true;
}

[[nodiscard]] bool is_ip_future(std::string_view text) noexcept {
    // RFC 3986, 3.2.2: "v" 1*HEXDIG "." 1*( unreserved / sub-delims / ":" )
    if (text.empty() || (text.front() != 'v' && text.front() != 'V')) return false;
    std::size_t const dot = text.find('.');
    if (dot == std::string_view::npos || dot < 2 || dot + 1 == text.size()) return false;
    auto const version = text.substr(1, dot - 1);
    return std::all_of(version.begin(), version.end(), is_hex)
           && text.find('%') == std::string_view::npos && has_only(text.substr(dot + 1), ":");
}

[[nodiscard]] bool is_authority(std::string_view text) noexcept {
    // RFC 3986, 3.2: [ userinfo "@" ] host [ ":" port ]
    if (auto const at = text.find('@'); at != std::string_view::npos) {
        if (!has_only(text.substr(0, at), ":")) return false;
        text.remove_prefix(at + 1);
    }
    if (!text.empty() && text.front() == '[') {
        auto const close = text.find(']');
        if (close == std::string_view::npos) return false;
        auto const literal = text.substr(1, close - 1);
        if (!is_ipv6(literal) && !is_ip_future(literal)) return false;
        text.remove_prefix(close + 1);
        if (!text.empty() && text.front() != ':') return false;
    } else {
        std::size_t const colon = std::min(text.find(':'), text.size());
        if (!has_only(text.substr(0, colon), "")) return false;
        text.remove_prefix(colon);
    }
    if (!text.empty()) text.remove_prefix(1);
    return std::all_of(text.begin(), text.end(), is_digit);
}

[[nodiscard]] bool is_uri(std::string_view text) noexcept {
    // RFC 3986, 3: scheme ":" hier-part [ "?" query ] [ "#" fragment ]
    std::size_t const colon = text.find(':');
    if (colon == std::string_view::npos || colon == 0 || !is_letter(text.front())) return false;
    for (char const c : text.substr(0, colon)) {
        if (!is_letter(c) && !is_digit(c) && c != '+' && c != '-' && c != '.') return false;
    }
    text.remove_prefix(colon + 1);
    if (auto const hash = text.find('#'); hash != std::string_view::npos) {
        if (!has_only(text.substr(hash + 1), ":@/?")) return false;
        text = text.substr(0, hash);
    }
    if (auto const mark = text.find('?'); mark != std::string_view::npos) {
        if (!has_only(text.substr(mark + 1), ":@/?")) return false;
        text = text.substr(0, mark);
    }
    if (text.substr(0, 2) == "//") {
        text.remove_prefix(2);
        std::size_t const slash = std::min(text.find('/'), text.size());
        if (!is_authority(text.substr(0, slash))) return false;
        text.remove_prefix(slash);
    }
    return has_only(text, ":@/");
}

} // namespace

std::optional<Format> format_from(std::string_view name) noexcept {
    for (auto const& one : format_names) {
        if (one.name == name) return one.format;
    }
    return std::nullopt;
}

std::string_view name_of(Format format) noexcept {
    return format_names[static_cast<std::size_t>(format)].name;
}

std::string_view describe(Format format) noexcept {
    return format_names[static_cast<std::size_t>(format)].words;
}

bool is_annotation(std::string_view name) noexcept {
    return std::find(annotations.begin(), annotations.end(), name) != annotations.end();
}

bool has_format(Format format, std::string_view text) noexcept {
    switch (format) {
    case Format::uuid: return is_uuid(text);
    case Format::date_time: return is_date_time(text);
    case Format::date: return is_date(text);
    case Format::time: return is_time(text);
    case Format::ipv4: return is_ipv4(text);
    case Format::ipv6: return is_ipv6(text);
    case Format::uri: return is_uri(text);
    case Format::int32:
    case Format::int64: break;
    }
    return false;
}

} // namespace sallyport::contract

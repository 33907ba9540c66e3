// The formats of RFC 3339: dates, times and durations.
#include "gateway/contract/schema/format_checks.h"

#include <algorithm>
#include <array>

namespace sallyport::contract::formats {

namespace {

// RFC 3339, appendix A: digits and a unit, with the units in the order of `units` and without gaps
// between the first and the last one.
[[nodiscard]] bool is_row_of(std::string_view text, std::string_view units) noexcept {
    bool is_begun = false;
    for (char const unit : units) {
        std::size_t end = 0;
        while (end < text.size() && is_digit(text[end]))
            ++end;
        bool const is_here = end > 0 && end < text.size() && text[end] == unit;
        if (is_here) {
            text.remove_prefix(end + 1);
            if (text.empty()) return true;
        } else if (is_begun) {
            return false;
        }
        is_begun = is_begun || is_here;
    }
    return false;
}

} // namespace

bool is_date(std::string_view text) noexcept {
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

bool is_time(std::string_view text) noexcept {
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
    // RFC 3339, 5.7: a leap second is the last second of a day in UTC.
    int const utc = ((hour * 60 + minute - offset) % 1440 + 1440) % 1440;
    return second < 60 || utc == 1439;
}

bool is_date_time(std::string_view text) noexcept {
    // RFC 3339, 5.6: the letters may be lower case.
    return text.size() > 11 && (text[10] == 'T' || text[10] == 't') && is_date(text.substr(0, 10))
           && is_time(text.substr(11));
}

bool is_duration(std::string_view text) noexcept {
    // RFC 3339, appendix A: duration
    if (text.empty() || text.front() != 'P') return false;
    text.remove_prefix(1);
    if (!text.empty() && text.back() == 'W') return is_row_of(text, "W");
    std::size_t const mark = text.find('T');
    if (mark == std::string_view::npos) return is_row_of(text, "YMD");
    bool const has_good_date = mark == 0 || is_row_of(text.substr(0, mark), "YMD");
    return has_good_date && is_row_of(text.substr(mark + 1), "HMS");
}

} // namespace sallyport::contract::formats

// The Date field: a time in the format of HTTP.
#include "gateway/http/date.h"

#include <algorithm>
#include <cstddef>

namespace sallyport::http {

namespace {

// The second that a thread formatted last, and its text: most dates repeat it.
struct Written {
    std::chrono::sys_seconds second;
    std::array<char, 29> text;
};

void write(std::chrono::sys_seconds second, std::array<char, 29>& text) noexcept {
    constexpr std::string_view days = "SunMonTueWedThuFriSat";
    constexpr std::string_view months = "JanFebMarAprMayJunJulAugSepOctNovDec";
    constexpr std::string_view pattern = "Sun, 00 Jan 0000 00:00:00 GMT";
    auto const day = std::chrono::floor<std::chrono::days>(second);
    std::chrono::year_month_day const date{day};
    std::chrono::hh_mm_ss const clock{second - day};
    auto const year = static_cast<unsigned>(static_cast<int>(date.year()));

    std::copy(pattern.begin(), pattern.end(), text.begin());
    auto const put_name = [&text](std::size_t at, std::string_view names, std::size_t which) {
        std::copy_n(names.begin() + static_cast<std::ptrdiff_t>(3 * which), 3, text.begin() + at);
    };
    auto const put_number = [&text](std::size_t at, unsigned value) {
        text[at] = static_cast<char>('0' + value / 10 % 10);
        text[at + 1] = static_cast<char>('0' + value % 10);
    };
    put_name(0, days, std::chrono::weekday{day}.c_encoding());
    put_number(5, static_cast<unsigned>(date.day()));
    put_name(8, months, static_cast<unsigned>(date.month()) - 1);
    put_number(12, year / 100);
    put_number(14, year);
    put_number(17, static_cast<unsigned>(clock.hours().count()));
    put_number(20, static_cast<unsigned>(clock.minutes().count()));
    put_number(23, static_cast<unsigned>(clock.seconds().count()));
}

} // namespace

Date::Date(std::chrono::system_clock::time_point time) noexcept {
    constinit thread_local Written written{std::chrono::sys_seconds::min(), {}};
    auto const second = std::chrono::floor<std::chrono::seconds>(time);
    if (second != written.second) {
        write(second, written.text);
        written.second = second;
    }
    text_ = written.text;
}

} // namespace sallyport::http

// The Date field: a time in the format of HTTP.
#pragma once

#include <array>
#include <chrono>
#include <string_view>

namespace sallyport::http {

/// IMF-fixdate, RFC 9110, 5.6.7: "Sun, 06 Nov 1994 08:49:37 GMT".
class Date {
public:
    /// Formats a time; the fraction of the second is dropped.
    explicit Date(std::chrono::system_clock::time_point time) noexcept;
    operator std::string_view() const noexcept { return {text_.data(), text_.size()}; }

private:
    std::array<char, 29> text_;
};

} // namespace sallyport::http

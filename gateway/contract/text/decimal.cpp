// Exact decimal numbers over JSON texts.
#include "gateway/contract/text/decimal.h"

#include "gateway/contract/text/digits.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace sallyport::contract {

namespace {

// Far more than the number of digits that a text in memory can have, so that clamping does not
// affect comparisons.
constexpr std::int64_t exponent_limit = std::int64_t{1} << 60;

[[nodiscard]] std::int64_t read_exponent(std::string_view text) noexcept {
    bool const negative = text.front() == '-';
    if (negative || text.front() == '+') text.remove_prefix(1);
    std::int64_t value = 0;
    for (char const c : text) {
        if (value >= exponent_limit / 10) {
            value = exponent_limit;
            break;
        }
        value = value * 10 + (c - '0');
    }
    return negative ? -value : value;
}

[[nodiscard]] std::uint64_t multiply_modulo(std::uint64_t left, std::uint64_t right,
                                            std::uint64_t modulus) noexcept {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>(Wide{left} * right % modulus);
}

} // namespace

std::size_t number_length(std::string_view text) noexcept {
    // RFC 8259, 6: number = [ minus ] int [ frac ] [ exp ]
    std::size_t at = 0;
    if (at < text.size() && text[at] == '-') ++at;
    if (at >= text.size() || !is_digit(text[at])) return 0;
    // int = zero / ( digit1-9 *DIGIT ): no leading zeros.
    at = text[at] == '0' ? at + 1 : digits_from(text, at);
    if (at < text.size() && is_digit(text[at])) return 0;
    if (at < text.size() && text[at] == '.') {
        std::size_t const end = digits_from(text, at + 1);
        if (end == at + 1) return 0;
        at = end;
    }
    if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
        std::size_t start = at + 1;
        if (start < text.size() && (text[start] == '+' || text[start] == '-')) ++start;
        std::size_t const end = digits_from(text, start);
        if (end == start) return 0;
        at = end;
    }
    return at;
}

Decimal::Decimal(std::string_view text) noexcept {
    if (text.empty()) return;
    negative_ = text.front() == '-';
    if (negative_) text.remove_prefix(1);
    std::size_t at = digits_from(text, 0);
    whole_ = text.substr(0, at);
    if (at < text.size() && text[at] == '.') {
        std::size_t const end = digits_from(text, at + 1);
        fraction_ = text.substr(at + 1, end - at - 1);
        at = end;
    }
    if (at + 1 < text.size()) exponent_ = read_exponent(text.substr(at + 1));
    last_ = whole_.size() + fraction_.size();
    exponent_ -= static_cast<std::int64_t>(fraction_.size());
    while (first_ < last_ && digit(first_) == '0')
        ++first_;
    while (last_ > first_ && digit(last_ - 1) == '0') {
        --last_;
        ++exponent_;
    }
    if (is_zero()) {
        negative_ = false;
        exponent_ = 0;
    }
}

bool Decimal::is_multiple_of(std::uint64_t divisor, std::int64_t divisor_exponent) const noexcept {
    if (is_zero()) return true;
    std::int64_t power = exponent_ - divisor_exponent;
    // The last digit is not 0, so that a negative power of ten cannot be compensated: d * 10^-k is
    // a multiple of m only if d is one of m * 10^k.
    if (power < 0) return false;
    std::uint64_t rest = 0;
    for (std::size_t i = first_; i < last_; ++i) {
        rest = (multiply_modulo(rest, 10, divisor) + static_cast<std::uint64_t>(digit(i) - '0'))
               % divisor;
    }
    std::uint64_t factor = 10 % divisor;
    for (; power > 0; power >>= 1) {
        if ((power & 1) != 0) rest = multiply_modulo(rest, factor, divisor);
        factor = multiply_modulo(factor, factor, divisor);
    }
    return rest % divisor == 0;
}

void Decimal::append_canonical(std::string& out) const {
    if (is_zero()) {
        out += '0';
        return;
    }
    if (negative_) out += '-';
    for (std::size_t i = first_; i < last_; ++i)
        out += digit(i);
    out += 'e';
    out += IntegerText{exponent_}.text();
}

int Decimal::compare(Decimal const& left, Decimal const& right) noexcept {
    int const left_sign = left.is_zero() ? 0 : left.negative_ ? -1 : 1;
    int const right_sign = right.is_zero() ? 0 : right.negative_ ? -1 : 1;
    if (left_sign != right_sign) return left_sign < right_sign ? -1 : 1;
    if (left_sign == 0) return 0;
    auto const left_top = left.exponent_ + static_cast<std::int64_t>(left.digits());
    auto const right_top = right.exponent_ + static_cast<std::int64_t>(right.digits());
    if (left_top != right_top) return (left_top < right_top) == (left_sign > 0) ? -1 : 1;
    std::size_t const common = std::min(left.digits(), right.digits());
    for (std::size_t i = 0; i < common; ++i) {
        char const a = left.digit(left.first_ + i);
        char const b = right.digit(right.first_ + i);
        if (a != b) return (a < b) == (left_sign > 0) ? -1 : 1;
    }
    if (left.digits() == right.digits()) return 0;
    return (left.digits() < right.digits()) == (left_sign > 0) ? -1 : 1;
}

bool Decimal::coefficient(std::uint64_t& out) const noexcept {
    // 19 digits always fit; divisors with more have no practical use.
    if (digits() > 19) return false;
    out = 0;
    for (std::size_t i = first_; i < last_; ++i) {
        out = out * 10 + static_cast<std::uint64_t>(digit(i) - '0');
    }
    return true;
}

bool Decimal::whole(std::int64_t& out) const noexcept {
    std::uint64_t value = 0;
    if (is_zero()) {
        out = 0;
        return true;
    }
    if (exponent_ < 0 || exponent_ > 18 || !coefficient(value)) return false;
    // There is one more negative integer than positive ones.
    std::uint64_t const limit = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())
                                + (negative_ ? 1 : 0);
    for (std::int64_t i = 0; i < exponent_; ++i) {
        if (value > limit / 10) return false;
        value *= 10;
    }
    if (value > limit) return false;
    // In two's complement: the least integer has no positive counterpart.
    out = static_cast<std::int64_t>(negative_ ? 0 - value : value);
    return true;
}

IntegerText::IntegerText(std::int64_t value) noexcept {
    auto const result = std::to_chars(text_.data(), text_.data() + text_.size(), value);
    length_ = static_cast<std::size_t>(result.ptr - text_.data());
}

IntegerText::IntegerText(std::uint64_t value) noexcept {
    auto const result = std::to_chars(text_.data(), text_.data() + text_.size(), value);
    length_ = static_cast<std::size_t>(result.ptr - text_.data());
}

} // namespace sallyport::contract

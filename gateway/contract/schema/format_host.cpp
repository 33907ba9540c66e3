// The formats of host names and mail addresses.
#include "gateway/contract/schema/format_checks.h"

#include <algorithm>
#include <cstdint>
#include <string>

namespace sallyport::contract::formats {

namespace {

// RFC 3492, 5
constexpr std::uint32_t base = 36;
constexpr std::uint32_t least_threshold = 1;
constexpr std::uint32_t most_threshold = 26;
constexpr std::uint32_t skew = 38;
constexpr std::uint32_t damp = 700;
constexpr std::uint32_t initial_bias = 72;
constexpr std::uint32_t initial_code_point = 0x80;

// The value of a digit; base: it is not a digit.
[[nodiscard]] std::uint32_t punycode_digit(char c) noexcept {
    if (is_digit(c)) return static_cast<std::uint32_t>(c - '0') + 26;
    return is_letter(c) ? static_cast<std::uint32_t>((c | 0x20) - 'a') : base;
}

// RFC 3492, 6.1
[[nodiscard]] std::uint32_t adapt(std::uint32_t delta, std::uint32_t length,
                                  bool is_first) noexcept {
    delta = is_first ? delta / damp : delta / 2;
    delta += delta / length;
    std::uint32_t k = 0;
    for (; delta > (base - least_threshold) * most_threshold / 2; k += base)
        delta /= base - least_threshold;
    return k + (base - least_threshold + 1) * delta / (delta + skew);
}

// RFC 3492, 6.2, for a label of at most 63 bytes; empty: it is invalid, or contains only ASCII,
// which is not an A-label.
[[nodiscard]] std::u32string decode_punycode(std::string_view text) {
    std::u32string out;
    if (std::size_t const hyphen = text.rfind('-'); hyphen != std::string_view::npos) {
        out.assign(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(hyphen));
        text.remove_prefix(hyphen + 1);
    }
    if (text.empty()) return {};
    std::uint64_t code_point = initial_code_point;
    std::uint32_t bias = initial_bias;
    std::uint64_t i = 0;
    while (!text.empty()) {
        std::uint64_t const before = i;
        std::uint64_t weight = 1;
        for (std::uint32_t k = base;; k += base) {
            std::uint32_t const digit = text.empty() ? base : punycode_digit(text.front());
            if (digit >= base) return {};
            text.remove_prefix(1);
            i += digit * weight;
            if (i > UINT32_MAX) return {};
            std::uint32_t const threshold =
                std::clamp(k > bias ? k - bias : 0, least_threshold, most_threshold);
            if (digit < threshold) break;
            weight *= base - threshold;
            if (weight > UINT32_MAX) return {};
        }
        auto const length = static_cast<std::uint32_t>(out.size() + 1);
        bias = adapt(static_cast<std::uint32_t>(i - before), length, before == 0);
        code_point += i / length;
        i %= length;
        if (code_point > 0x10FFFF || (code_point >= 0xD800 && code_point <= 0xDFFF)) return {};
        out.insert(static_cast<std::size_t>(i), 1, static_cast<char32_t>(code_point));
        ++i;
    }
    return out;
}

// RFC 5890, 2.3.2.1: after `xn--` is the Punycode of a label that is not all ASCII. RFC 5891,
// 4.2.3.1: it neither begins nor ends with a hyphen, nor has two at the third and fourth position.
// Which code points are allowed and which combinations of them (4.2.3.2 and following) is not
// checked: that requires Unicode tables, in the version of the registry.
[[nodiscard]] bool is_a_label(std::string_view label) {
    auto const decoded = decode_punycode(label.substr(4));
    auto const is_control = [](char32_t c) { return c >= 0x80 && c < 0xA0; };
    return !decoded.empty() && std::none_of(decoded.begin(), decoded.end(), is_control)
           && decoded.front() != U'-' && decoded.back() != U'-'
           && decoded.compare(std::min<std::size_t>(2, decoded.size()), 2, U"--") != 0;
}

[[nodiscard]] bool has_a_prefix(std::string_view label) noexcept {
    return label.size() >= 4 && (label[0] | 0x20) == 'x' && (label[1] | 0x20) == 'n'
           && label.substr(2, 2) == "--";
}

// RFC 5321, 4.1.2: Quoted-string
[[nodiscard]] bool is_quoted_string(std::string_view text) noexcept {
    if (text.size() < 2 || text.front() != '"' || text.back() != '"') return false;
    text = text.substr(1, text.size() - 2);
    auto const is_printed = [](char c) { return c >= ' ' && c <= '~'; };
    while (!text.empty()) {
        // quoted-pairSMTP is a backslash and any of these, qtextSMTP all except backslash and
        // quote.
        bool const is_pair = text.front() == '\\';
        if (is_pair) text.remove_prefix(1);
        if (text.empty() || !is_printed(text.front())) return false;
        if (!is_pair && text.front() == '"') return false;
        text.remove_prefix(1);
    }
    return true;
}

[[nodiscard]] bool is_local_part(std::string_view text) noexcept {
    // RFC 5321, 4.1.2: Dot-string or Quoted-string; 4.5.3.1.1: at most 64 bytes.
    if (text.empty() || text.size() > 64) return false;
    if (text.front() == '"') return is_quoted_string(text);
    constexpr std::string_view marks = "!#$%&'*+-/=?^_`{|}~.";
    return text.front() != '.' && text.back() != '.' && text.find("..") == std::string_view::npos
           && std::all_of(text.begin(), text.end(), [marks](char c) {
                  return is_letter(c) || is_digit(c) || marks.find(c) != std::string_view::npos;
              });
}

} // namespace

bool is_hostname(std::string_view text) {
    // RFC 1123, 2.1 and RFC 1034, 3.1: labels of letters, digits and hyphens.
    if (text.empty() || text.size() > 253) return false;
    for (;;) {
        std::size_t const end = std::min(text.find('.'), text.size());
        auto const label = text.substr(0, end);
        auto const is_good = [](char c) { return is_letter(c) || is_digit(c) || c == '-'; };
        if (label.empty() || label.size() > 63 || label.front() == '-' || label.back() == '-'
            || !std::all_of(label.begin(), label.end(), is_good)
            || (has_a_prefix(label) && !is_a_label(label))) {
            return false;
        }
        if (end == text.size()) return true;
        text.remove_prefix(end + 1);
    }
}

bool is_email(std::string_view text) {
    // RFC 5321, 4.1.2: Mailbox
    std::size_t const at = text.rfind('@');
    if (at == std::string_view::npos || !is_local_part(text.substr(0, at))) return false;
    auto const domain = text.substr(at + 1);
    if (domain.size() < 2 || domain.front() != '[' || domain.back() != ']') {
        return is_hostname(domain);
    }
    auto const literal = domain.substr(1, domain.size() - 2);
    if (literal.substr(0, 5) == "IPv6:") return is_ipv6(literal.substr(5));
    return is_ipv4(literal);
}

} // namespace sallyport::contract::formats

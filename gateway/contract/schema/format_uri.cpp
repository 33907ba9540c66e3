// The formats of RFC 3986 and of addresses in it.
#include "gateway/contract/schema/format_checks.h"

#include <algorithm>
#include <array>

namespace sallyport::contract::formats {

bool is_ipv4(std::string_view text) noexcept {
    // RFC 2673, 3.2: dotted quad; leading zeros, which some parsers read as octal, are not allowed.
    for (int part = 0; part < 4; ++part) {
        std::size_t const end = part < 3 ? text.find('.') : text.size();
        if (end == std::string_view::npos || end == 0 || end > 3) return false;
        if (digits(text, 0, end) < 0 || digits(text, 0, end) > 255) return false;
        if (end > 1 && text.front() == '0') return false;
        text.remove_prefix(part < 3 ? end + 1 : end);
    }
    return text.empty();
}

bool is_ipv6(std::string_view text) noexcept {
    // RFC 4291, 2.2: eight groups, `::` once for one or more of them, the last two optionally as
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

namespace {

// RFC 3986, 2: only characters of `extra`, unreserved, sub-delims and complete percent escapes.
[[nodiscard]] bool has_only(std::string_view text, std::string_view extra) noexcept {
    static constexpr auto is_plain = [] {
        std::array<bool, 256> plain{};
        for (int c = 0; c < 128; ++c) {
            auto const letter = static_cast<char>(c);
            constexpr std::string_view marks = "-._~!$&'()*+,;=";
            plain[static_cast<std::size_t>(c)] = is_letter(letter) || is_digit(letter)
                                                 || marks.find(letter) != std::string_view::npos;
        }
        return plain;
    }();
    for (std::size_t i = 0; i < text.size(); ++i) {
        char const c = text[i];
        if (c == '%') {
            if (i + 2 >= text.size() || !is_hex(text[i + 1]) || !is_hex(text[i + 2])) return false;
            i += 2;
            continue;
        }
        if (is_plain[static_cast<unsigned char>(c)]) continue;
        if (extra.find(c) == std::string_view::npos) return false;
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

// RFC 3986, 3 and 4.2: the part after the scheme, or a reference without scheme.
[[nodiscard]] bool is_rest(std::string_view text) noexcept {
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

bool is_uri(std::string_view text) noexcept {
    // RFC 3986, 3: scheme ":" hier-part [ "?" query ] [ "#" fragment ]
    std::size_t const colon = text.find(':');
    if (colon == std::string_view::npos || colon == 0 || !is_letter(text.front())) return false;
    for (char const c : text.substr(0, colon)) {
        if (!is_letter(c) && !is_digit(c) && c != '+' && c != '-' && c != '.') return false;
    }
    return is_rest(text.substr(colon + 1));
}

bool is_uri_reference(std::string_view text) noexcept {
    if (is_uri(text)) return true;
    // RFC 3986, 4.2: the first segment of a relative path has no colon: it would be a scheme.
    auto const* const end = std::find_if(
        text.begin(), text.end(), [](char c) { return c == '/' || c == '?' || c == '#'; });
    auto const first = text.substr(0, static_cast<std::size_t>(end - text.begin()));
    return first.find(':') == std::string_view::npos && is_rest(text);
}

} // namespace sallyport::contract::formats

// Splits request targets and applies the policy for paths and queries.
#include "gateway/http/target.h"

#include "gateway/http/characters.h"
#include "gateway/http/rules.h"
#include "gateway/http/scan.h"
#include "gateway/text/percent.h"
#include "gateway/text/utf8.h"

#include <algorithm>

namespace sallyport::http {

namespace {

using text::escaped_byte;

constexpr auto client = Sender::client;

bool is_ascii(char c) noexcept {
    return static_cast<unsigned char>(c) < 0x80;
}

// Bytes that must not be escaped in a path, because a second reader may take them for a delimiter.
Refused check_escape(int byte) noexcept {
    using namespace rules;
    if (byte < 0) return malformed_escape.broken_by(client);                     // RFC 3986, 2.1
    if (byte == '/' || byte == '\\') return encoded_delimiter.broken_by(client); // RFC 3986, 2.2
    if (byte == '.') return encoded_delimiter.broken_by(client); // RFC 3986, 6.2.2.3: hides dots
    if (byte == '?' || byte == '#') return encoded_delimiter.broken_by(client); // RFC 3986, 2.2
    if (byte == ';') return encoded_delimiter.broken_by(client); // RFC 3986, 3.3: parameters
    if (byte < 0x20 || byte == 0x7f) return encoded_control.broken_by(client); // RFC 3986, 7.3
    return nullptr;
}

// RFC 3986, 3.3: path-abempty that is not empty, of pchar only. `c` is none of its plain
// characters.
Refused check_path_character(char c) noexcept {
    if (c == '#') return rules::fragment.broken_by(client);   // RFC 9112, 3.2: not part of a target
    if (c == '\\') return rules::backslash.broken_by(client); // some readers treat it as a slash
    if (c == ';') return rules::semicolon.broken_by(client);  // some readers end a segment there
    if (!is_ascii(c)) return rules::non_ascii_target.broken_by(client); // RFC 3986, 2: ASCII only
    if (!is_of(path_character, c)) return rules::character_of_no_path.broken_by(client);
    return nullptr;
}

// RFC 3986, 5.2.4: a reader that removes dot segments or merges slashes sees another path. `at` is
// that of a slash, which begins a segment.
Refused check_segment(std::string_view path, std::size_t at) noexcept {
    auto const rest = path.substr(at + 1);
    if (rest.starts_with('/')) return rules::empty_segment.broken_by(client);
    if (!rest.starts_with('.')) return nullptr;
    auto const segment = rest.substr(0, rest.find('/'));
    if (segment == "." || segment == "..") return rules::dot_segment.broken_by(client);
    return nullptr;
}

// A run of escapes, `at` its first percent sign; advances `at` behind it.
Refused check_escapes(std::string_view path, std::size_t& at) noexcept {
    text::Utf8Checker utf8;
    for (; at < path.size() && path[at] == '%'; at += 3) {
        int const byte = escaped_byte(path, at);
        if (auto const refused = check_escape(byte)) return refused;
        // RFC 3986, 2.5: escapes are the bytes of UTF-8; an overlong %C0%AE is not a dot.
        if (!utf8.take(static_cast<std::uint8_t>(byte)))
            return rules::path_not_utf8.broken_by(client);
    }
    if (!utf8.is_complete()) return rules::path_not_utf8.broken_by(client); // RFC 3629, 3
    return nullptr;
}

// Servers that remove path parameters see a dot segment in `..;x`.
Refused check_semicolon(std::string_view path, std::size_t at) noexcept {
    auto const before = path.substr(0, at);
    auto const name = before.substr(before.rfind('/') + 1);
    if (name == "." || name == "..") return rules::dot_segment.broken_by(client);
    return nullptr;
}

Refused check_path(std::string_view path, PathParameters path_parameters,
                   bool& has_semicolon) noexcept {
    for (std::size_t at = 0;;) {
        // Most of a path needs no further check.
        while (at < path.size() && is_of(plain_path_character, path[at]))
            ++at;
        if (at == path.size()) return nullptr;
        char const c = path[at];
        if (c == '%') {
            if (auto const refused = check_escapes(path, at)) return refused;
            continue;
        }
        if (c == ';' && path_parameters == PathParameters::noted) {
            if (auto const refused = check_semicolon(path, at)) return refused;
            has_semicolon = true;
            ++at;
            continue;
        }
        auto const refused = c == '/' ? check_segment(path, at) : check_path_character(c);
        if (refused) return refused;
        ++at;
    }
}

// RFC 3986, 3.4, but with the delimiters that clients send unescaped in practice ("[", "|", ...):
// the gateway interprets no value before the upstream does.
Refused check_query(std::string_view query) noexcept {
    for (std::size_t i = 0; i < query.size(); ++i) {
        char const c = query[i];
        if (c == '#') return rules::fragment.broken_by(client);             // RFC 9112, 3.2
        if (!is_ascii(c)) return rules::non_ascii_target.broken_by(client); // RFC 3986, 2
        if (c == '%' && escaped_byte(query, i) < 0)
            return rules::malformed_escape.broken_by(client); // RFC 3986, 2.1
    }
    return nullptr;
}

// RFC 9112, 3.2.2: absolute-form. `rest` becomes the text behind the authority.
Refused take_authority(std::string_view& rest, Target& target) noexcept {
    auto const colon = rest.find("://");
    auto const scheme = rest.substr(0, colon);
    bool const is_http =
        equals_ignoring_case(scheme, "http") || equals_ignoring_case(scheme, "https");
    if (colon == std::string_view::npos || !is_http)
        return rules::malformed_target.broken_by(client); // RFC 9112, 3.2: not a supported form
    rest.remove_prefix(colon + 3);
    auto const text = rest.substr(0, rest.find_first_of("/?#"));
    rest.remove_prefix(text.size());
    // RFC 9110, 4.2.4: userinfo in a target is an error.
    if (text.find('@') != std::string_view::npos) return rules::target_userinfo.broken_by(client);
    target.authority = parse_authority(text);
    if (!target.authority) return rules::malformed_target_authority.broken_by(client);
    return nullptr;
}

} // namespace

Refused parse_target(std::string_view raw, Target& target,
                     PathParameters path_parameters) noexcept {
    target = {};
    if (raw == "*") return rules::asterisk_form.broken_by(client); // RFC 9112, 3.2.4
    auto rest = raw;
    if (!raw.starts_with('/'))
        if (auto const refused = take_authority(rest, target)) return refused;
    auto const mark = std::min(rest.find('?'), rest.size());
    target.path = rest.substr(0, mark);
    target.query = rest.substr(mark);
    if (target.path.empty()) target.path = "/"; // RFC 9110, 4.2.3
    if (!is_ordinary_path(target.path))
        if (auto const refused = check_path(target.path, path_parameters, target.has_semicolon))
            return refused;
    return check_query(target.query);
}

} // namespace sallyport::http

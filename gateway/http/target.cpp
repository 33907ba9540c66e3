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
    if (byte == '/') return encoded_slash.broken_by(client);      // RFC 3986, 2.2
    if (byte == '\\') return encoded_delimiter.broken_by(client); // RFC 3986, 2.2
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
    if (!is_ascii(c)) return rules::non_ascii_target.broken_by(client); // RFC 3986, 2: ASCII only
    if (!is_of(path_character, c)) return rules::character_of_no_path.broken_by(client);
    return nullptr;
}

// The checks of one path, which note what `spellings` has noted.
class PathCheck {
public:
    PathCheck(Target& target, PathSpellings spellings) noexcept
        : path_{target.path}, target_{target}, spellings_{spellings} {}

    Refused run() noexcept {
        for (std::size_t at = 0;;) {
            // Most of a path needs no further check.
            while (at < path_.size() && is_of(plain_path_character, path_[at]))
                ++at;
            if (at == path_.size()) break;
            char const c = path_[at];
            if (c == '%') {
                if (auto const refused = check_escapes(at)) return refused;
                continue;
            }
            auto const refused = c == '/'   ? check_segment(at)
                                 : c == ';' ? check_semicolon(at)
                                            : check_path_character(c);
            if (refused) return refused;
            ++at;
        }
        return target_.has_encoded_slash ? check_decoded_segments() : nullptr;
    }

private:
    // RFC 3986, 5.2.4: a reader that removes dot segments or merges slashes sees another path. `at`
    // is that of a slash, which begins a segment.
    Refused check_segment(std::size_t at) noexcept {
        auto const rest = path_.substr(at + 1);
        if (rest.starts_with('/')) {
            target_.has_empty_segment = true;
            return spellings_.empty_segments == Spelling::noted
                       ? nullptr
                       : rules::empty_segment.broken_by(client);
        }
        return is_dot_segment(rest.substr(0, rest.find('/'))) ? rules::dot_segment.broken_by(client)
                                                              : nullptr;
    }

    // A run of escapes, `at` its first percent sign; advances `at` behind it.
    Refused check_escapes(std::size_t& at) noexcept {
        text::Utf8Checker utf8;
        for (; at < path_.size() && path_[at] == '%'; at += 3) {
            int const byte = escaped_byte(path_, at);
            bool const is_noted = byte == '/' && spellings_.encoded_slashes == Spelling::noted;
            if (auto const refused = is_noted ? nullptr : check_escape(byte)) return refused;
            target_.has_encoded_slash = target_.has_encoded_slash || is_noted;
            target_.has_lower_case_escape = target_.has_lower_case_escape || path_[at + 1] >= 'a'
                                            || path_[at + 2] >= 'a';
            // RFC 3986, 2.5: escapes are the bytes of UTF-8; an overlong %C0%AE is not a dot.
            if (!utf8.take(static_cast<std::uint8_t>(byte)))
                return rules::path_not_utf8.broken_by(client);
        }
        if (!utf8.is_complete()) return rules::path_not_utf8.broken_by(client); // RFC 3629, 3
        return nullptr;
    }

    // Servers that remove path parameters see a dot segment in `..;x`.
    Refused check_semicolon(std::size_t at) noexcept {
        if (spellings_.semicolons == Spelling::refused)
            return rules::semicolon.broken_by(client); // some readers end a segment there
        target_.has_semicolon = true;
        auto const before = path_.substr(0, at);
        return is_dot_segment(before.substr(before.rfind('/') + 1))
                   ? rules::dot_segment.broken_by(client)
                   : nullptr;
    }

    // A reader that decodes first sees a dot segment in `..%2Fx`, whatever the value means.
    [[nodiscard]] Refused check_decoded_segments() const noexcept {
        for (std::size_t begin = 0, at = 0; at <= path_.size(); ++at) {
            bool const is_escaped = at < path_.size() && escaped_byte(path_, at) == '/';
            bool const is_end = at == path_.size() || is_escaped || path_[at] == '/'
                                || path_[at] == ';';
            if (!is_end) continue;
            if (is_dot_segment(path_.substr(begin, at - begin)))
                return rules::dot_segment.broken_by(client);
            if (is_escaped) at += 2;
            begin = at + 1;
        }
        return nullptr;
    }

    [[nodiscard]] static bool is_dot_segment(std::string_view segment) noexcept {
        return segment == "." || segment == "..";
    }

    std::string_view path_;
    Target& target_;
    PathSpellings spellings_;
};

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

Refused parse_target(std::string_view raw, Target& target, PathSpellings spellings) noexcept {
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
        if (auto const refused = PathCheck{target, spellings}.run()) return refused;
    return check_query(target.query);
}

std::string with_upper_case_escapes(std::string_view path) {
    std::string out{path};
    for (std::size_t at = out.find('%'); at != std::string::npos; at = out.find('%', at + 1)) {
        for (std::size_t digit = at + 1; digit < std::min(at + 3, out.size()); ++digit)
            if (out[digit] >= 'a' && out[digit] <= 'f') out[digit] -= 'a' - 'A';
    }
    return out;
}

std::string with_plain_slashes(std::string_view path) {
    std::string out;
    for (std::size_t at = 0; at < path.size(); ++at) {
        bool const is_escaped = escaped_byte(path, at) == '/';
        char const c = is_escaped ? '/' : path[at];
        if (is_escaped) at += 2;
        if (c != '/' || !out.ends_with('/')) out += c;
    }
    return out;
}

} // namespace sallyport::http

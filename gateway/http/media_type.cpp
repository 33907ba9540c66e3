// Parses Content-Type.
#include "gateway/http/media_type.h"

#include "gateway/http/characters.h"
#include "gateway/http/rules.h"
#include "gateway/text/charset.h"

#include <algorithm>
#include <array>

namespace sallyport::http {

namespace {

// RFC 9110, 5.6.2: takes a token from the front of `rest`; empty if there is none.
std::string_view take_token(std::string_view& rest) noexcept {
    std::size_t size = 0;
    while (size < rest.size() && is_of(token_character, rest[size]))
        ++size;
    auto const token = rest.substr(0, size);
    rest.remove_prefix(size);
    return token;
}

void skip_white_space(std::string_view& rest) noexcept {
    while (rest.starts_with(' ') || rest.starts_with('\t'))
        rest.remove_prefix(1);
}

bool take(std::string_view& rest, char c) noexcept {
    if (!rest.starts_with(c)) return false;
    rest.remove_prefix(1);
    return true;
}

// RFC 9110, 5.6.4: quoted-string, behind its opening quote. False if it is malformed.
bool take_quoted(std::string_view& rest) noexcept {
    while (!rest.empty()) {
        if (take(rest, '"')) return true;
        take(rest, '\\'); // quoted-pair: the next character is literal
        if (rest.empty() || !is_of(value_character, rest.front())) return false;
        rest.remove_prefix(1);
    }
    return false;
}

// The names of the parameters so far. The limit is beyond real use, and keeps comparing them cheap.
struct ParameterNames {
    static constexpr std::size_t most = 8;
    std::array<std::string_view, most> names;
    std::size_t count = 0;

    // False if it is a repetition, or if there is no room for it.
    bool add(std::string_view name) noexcept {
        auto const end = names.begin() + count;
        bool const is_new = std::none_of(names.begin(), end, [name](std::string_view other) {
            return equals_ignoring_case(name, other);
        });
        if (!is_new || count == most) return false;
        names[count++] = name;
        return true;
    }
};

// Whether readers of Content-Type disagree about the parameter and could find another charset.
bool is_odd(std::string_view name, std::string_view value) noexcept {
    // RFC 2231, 3 and 4, and RFC 8187: `charset*=utf-7''utf-7` and `charset*0=utf-; charset*1=7`
    // are a charset for readers made for mail.
    if (name.find('*') != std::string_view::npos) return true;
    bool const is_charset = equals_ignoring_case(name, "charset");
    if (text::mentions_charset(value) || (text::mentions_charset(name) && !is_charset)) return true;
    // RFC 9110, 5.6.4: some readers end a quoted-string at a `;` or a `,` within it, or take the
    // escaped quote for its end.
    return std::any_of(value.begin(), value.end(), [](char c) {
        return c == ';' || c == ',' || c == '\\' || c < ' ' || c > '~';
    });
}

// RFC 9110, 5.6.6: parameter = token "=" ( token / quoted-string ), no white space around "=".
bool take_parameter(std::string_view& rest, MediaType& type, ParameterNames& names) noexcept {
    auto const name = take_token(rest);
    if (name.empty() || !take(rest, '=')) return false;
    auto const begin = rest;
    bool const is_quoted = take(rest, '"');
    if (is_quoted ? !take_quoted(rest) : take_token(rest).empty()) return false;
    auto value = begin.substr(0, begin.size() - rest.size());
    if (!names.add(name) || is_odd(name, value)) type.parameters = MediaType::Parameters::odd;
    if (!equals_ignoring_case(name, "charset")) return true;
    if (is_quoted) value = value.substr(1, value.size() - 2);
    type.charset = type.charset ? text::Charset::other : text::charset_named(value);
    return true;
}

} // namespace

std::optional<MediaType> parse_media_type(std::string_view value) noexcept {
    // RFC 9110, 8.3.1: media-type = type "/" subtype parameters
    MediaType type;
    ParameterNames names;
    type.type = take_token(value);
    if (type.type.empty() || !take(value, '/')) return {};
    type.subtype = take_token(value);
    if (type.subtype.empty()) return {};
    // RFC 9110, 5.6.6: parameters = *( OWS ";" OWS [ parameter ] )
    while (true) {
        skip_white_space(value);
        if (value.empty()) return type;
        if (!take(value, ';')) return {};
        skip_white_space(value);
        if (value.empty() || value.front() == ';') continue;
        if (!take_parameter(value, type, names)) return {};
    }
}

bool is_utf_8(MediaType const& type) noexcept {
    return type.charset != text::Charset::other
           && type.parameters == MediaType::Parameters::plain;
}

bool is_json(MediaType const& type) noexcept {
    return equals_ignoring_case(type.type, "application")
           && equals_ignoring_case(type.subtype, "json") && is_utf_8(type); // RFC 8259, 8.1
}

Refused require_json(FieldTable const& fields) noexcept {
    if (fields.is_repeated(FieldId::content_type))
        return rules::repeated_content_type.broken_by(Sender::client);
    // An absent one is treated like an empty one, which is malformed.
    auto const type = parse_media_type(fields.find(FieldId::content_type).value_or(""));
    if (!type || !is_json(*type)) return rules::not_json.broken_by(Sender::client);
    return nullptr;
}

} // namespace sallyport::http

// Parses Content-Type.
#include "gateway/http/media_type.h"

#include "gateway/http/characters.h"
#include "gateway/http/rules.h"

namespace sallyport::http {

namespace {

// RFC 9110, 5.6.2: takes a token off the front of `rest`; empty where there is none.
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

// Compares a value, given a character at a time, with "utf-8" in any letter case.
struct IsUtf8Name {
    static constexpr std::string_view name = "utf-8";
    std::size_t matched = 0;
    bool may_match = true;

    void take(char c) noexcept {
        may_match = may_match && matched < name.size() && to_lower(c) == name[matched];
        ++matched;
    }
    bool matches() const noexcept { return may_match && matched == name.size(); }
};

// RFC 9110, 5.6.4: quoted-string, behind its opening quote. False where it breaks the grammar.
bool take_quoted(std::string_view& rest, IsUtf8Name& compare) noexcept {
    while (!rest.empty()) {
        if (take(rest, '"')) return true;
        take(rest, '\\'); // quoted-pair: the next character stands for itself
        if (rest.empty() || !is_of(value_character, rest.front())) return false;
        compare.take(rest.front());
        rest.remove_prefix(1);
    }
    return false;
}

// RFC 9110, 5.6.6: parameter = token "=" ( token / quoted-string ), no white space around "=".
bool take_parameter(std::string_view& rest, MediaType& type) noexcept {
    auto const name = take_token(rest);
    if (name.empty() || !take(rest, '=')) return false;
    IsUtf8Name compare;
    if (take(rest, '"')) {
        if (!take_quoted(rest, compare)) return false;
    } else {
        auto const value = take_token(rest);
        if (value.empty()) return false;
        for (char const c : value)
            compare.take(c);
    }
    if (!equals_ignoring_case(name, "charset")) return true;
    bool const is_first = type.charset == MediaType::Charset::absent;
    type.charset =
        is_first && compare.matches() ? MediaType::Charset::utf_8 : MediaType::Charset::other;
    return true;
}

} // namespace

std::optional<MediaType> parse_media_type(std::string_view value) noexcept {
    // RFC 9110, 8.3.1: media-type = type "/" subtype parameters
    MediaType type;
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
        if (!take_parameter(value, type)) return {};
    }
}

bool is_json(MediaType const& type) noexcept {
    return equals_ignoring_case(type.type, "application")
           && equals_ignoring_case(type.subtype, "json")
           && type.charset != MediaType::Charset::other; // RFC 8259, 8.1
}

Refused require_json(FieldTable const& fields) noexcept {
    if (fields.is_repeated(FieldId::content_type))
        return rules::repeated_content_type.broken_by(Sender::client);
    // An absent one is no better than an empty one, which is malformed.
    auto const type = parse_media_type(fields.find(FieldId::content_type).value_or(""));
    if (!type || !is_json(*type)) return rules::not_json.broken_by(Sender::client);
    return nullptr;
}

} // namespace sallyport::http

// Judges names and values of single fields (RFC 9113, 8.2 and 8.3).
#include "gateway/http2/field_rules.h"

#include "gateway/http/characters.h"
#include "gateway/http/framing.h"
#include "gateway/http/scan.h"
#include "gateway/http2/broken.h"

#include <algorithm>

namespace sallyport::http2 {

namespace {

using http::FieldId;
using http::Refused;

// What is read beyond a name or a value, at most: then a search in blocks needs no copy.
constexpr std::size_t read_beyond = 16;

bool is_white_space(char c) noexcept {
    return c == ' ' || c == '\t';
}

// RFC 9113, 8.3.1; an unknown one is refused where its place is known.
PseudoField find_pseudo_field(std::string_view name) noexcept {
    if (name == ":method") return PseudoField::method;
    if (name == ":path") return PseudoField::path;
    if (name == ":scheme") return PseudoField::scheme;
    if (name == ":authority") return PseudoField::authority;
    if (name == ":protocol") return PseudoField::protocol;
    return PseudoField::unknown;
}

// RFC 9113, 8.2.2: fields that belong to one connection of HTTP/1.
bool is_connection_specific(FieldId id) noexcept {
    return id == FieldId::connection || id == FieldId::keep_alive || id == FieldId::proxy_connection
           || id == FieldId::transfer_encoding || id == FieldId::upgrade;
}

// A name that has others than small letters, digits and hyphens, or a value that is not printable
// ASCII to its end.
[[gnu::noinline]] Refused judge_odd_field(std::string_view name, std::string_view value) noexcept {
    if (auto const refused = http::judge_field(name, value)) return refused;
    // RFC 9113, 8.2.1: "A field name MUST NOT contain characters in the ranges 0x00-0x20,
    // 0x41-0x5a, or 0x7f-0xff".
    bool const has_capital =
        std::any_of(name.begin(), name.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
    return has_capital ? broken(http::rules::capital_in_field_name) : nullptr;
}

// RFC 9113, 8.2.1 and 8.2.2: what depends on the value, but not on its characters.
Refused judge_meaning(FieldId id, std::string_view value) noexcept {
    if (!value.empty() && (is_white_space(value.front()) || is_white_space(value.back())))
        return broken(http::rules::white_space_around_value);
    // RFC 9113, 8.2.2: TE is allowed, with "trailers" alone.
    if (id == FieldId::te && !http::equals_ignoring_case(value, "trailers"))
        return broken(http::rules::te_not_trailers);
    return nullptr;
}

Refused judge_characters(std::string_view name, std::string_view value) noexcept {
    // A colon ends the name, CR the value: neither search finds what is behind.
    bool const is_ordinary =
        !name.empty()
        && http::lower_name_prefix({name.data(), name.size() + read_beyond}) == name.size()
        && http::printable_prefix({value.data(), value.size() + read_beyond}) == value.size();
    return is_ordinary ? nullptr : judge_odd_field(name, value);
}

} // namespace

void judge_line(char const* line, std::size_t name_size, std::size_t value_size,
                JudgedField& field) noexcept {
    std::string_view const name{line, name_size};
    std::string_view const value{line + name_size + 2, value_size};
    field.record = {static_cast<std::uint16_t>(name_size), static_cast<std::uint16_t>(value_size),
                    FieldId::unknown, PseudoField::none};
    if (name.starts_with(':')) {
        // The rest of its name is that of a field.
        field.record.pseudo = find_pseudo_field(name);
        field.refused = judge_characters(name.substr(1), value);
    } else {
        field.record.id = http::identify_field(name);
        field.refused = judge_characters(name, value);
        if (field.refused == nullptr && is_connection_specific(field.record.id))
            field.refused = broken(http::rules::connection_specific_field);
    }
    if (field.refused == nullptr) field.refused = judge_meaning(field.record.id, value);
}

void judge_value(char const* line, std::size_t value_size, JudgedField& field) noexcept {
    std::string_view const value{line + field.record.name_size + 2, value_size};
    field.record.value_size = static_cast<std::uint16_t>(value_size);
    bool const is_ordinary =
        http::printable_prefix({value.data(), value.size() + read_beyond}) == value.size();
    if (!is_ordinary) {
        // The name was judged; any that is a token will do beside the value.
        field.refused = http::judge_field("name", value);
        if (field.refused != nullptr) return;
    }
    field.refused = judge_meaning(field.record.id, value);
}

} // namespace sallyport::http2

// The texts of parameters.
#include "gateway/contract/evaluate/parameter_text.h"

#include "gateway/contract/schema/constants.h"
#include "gateway/contract/text/decimal.h"
#include "gateway/contract/text/utf8.h"
#include "gateway/simd/blocks.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace sallyport::contract {

namespace {

using simd::Block;
using simd::load_block;

[[nodiscard]] int hex_value(char c) noexcept {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

// All bits of each byte that decoding would leave alone: `+` is a space in queries.
[[nodiscard]] Block plain_bytes(char const* at) noexcept {
    Block const block = load_block(at);
    return (block >= 0x20) & (block != 0x7F) & (block != '%') & (block != '+');
}

[[nodiscard]] bool decode_bytes(std::string_view raw, Coding coding, std::string& out) {
    for (std::size_t at = 0; at < raw.size(); ++at) {
        char c = raw[at];
        if (c == '+' && coding == Coding::percent_and_plus) c = ' ';
        if (c == '%' && coding != Coding::none) {
            if (at + 2 >= raw.size()) return false;
            int const high = hex_value(raw[at + 1]);
            int const low = hex_value(raw[at + 2]);
            if (high < 0 || low < 0) return false;
            c = static_cast<char>(high * 16 + low);
            at += 2;
        }
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) return false;
        out += c;
    }
    return true;
}

// Where the next delimiter stands, and how long it is. Only bare ones delimit: a coded comma is
// part of a value.
struct Delimiter {
    std::size_t at;
    std::size_t length;
};
[[nodiscard]] Delimiter find_delimiter(std::string_view raw, ParameterStyle style) noexcept {
    auto const end = raw.size();
    if (style != ParameterStyle::space_delimited && style != ParameterStyle::pipe_delimited) {
        return {std::min(raw.find(','), end), 1};
    }
    // OpenAPI 3.1, 4.8.12.3: neither may stand bare in a URI, so that it is coded everywhere.
    bool const is_space = style == ParameterStyle::space_delimited;
    Delimiter const bare{std::min(raw.find(is_space ? '+' : '|'), end), 1};
    Delimiter coded{std::min(raw.find(is_space ? "%20" : "%7C"), end), 3};
    if (!is_space) coded.at = std::min(coded.at, raw.find("%7c"));
    return bare.at < coded.at ? bare : coded;
}

[[nodiscard]] std::string_view trim(std::string_view text, Coding coding) noexcept {
    // RFC 9110, 5.6.1: white space around the items of a field's list.
    if (coding != Coding::none) return text;
    std::size_t const begin = std::min(text.find_first_not_of(" \t"), text.size());
    text.remove_prefix(begin);
    return text.substr(0, text.find_last_not_of(" \t") + 1);
}

void append_scalar(std::string& json, std::string_view text, bool takes_string) {
    bool const is_word = text == "true" || text == "false";
    if (!takes_string && (is_word || is_number(text))) {
        json += text;
    } else {
        append_json_string(json, text);
    }
}

template <class Visit>
[[nodiscard]] bool split(std::string_view raw, Parameter const& parameter, Visit const& visit) {
    for (;;) {
        auto const [at, length] = find_delimiter(raw, parameter.style);
        if (!visit(trim(raw.substr(0, at), coding_of(parameter.place)))) return false;
        if (at == raw.size()) return true;
        raw.remove_prefix(at + length);
    }
}

} // namespace

Coding coding_of(ParameterPlace place) noexcept {
    switch (place) {
    case ParameterPlace::path: return Coding::percent;
    case ParameterPlace::query: return Coding::percent_and_plus;
    case ParameterPlace::header: break;
    }
    return Coding::none;
}

bool decode(std::string_view raw, Coding coding, std::string& out) {
    out.clear();
    if (!decode_bytes(raw, coding, out)) return false;
    for (std::string_view rest = out; !rest.empty();) {
        std::size_t const length = utf8_length(rest);
        if (length == 0) return false;
        rest.remove_prefix(length);
    }
    return true;
}

bool is_plain(std::string_view raw) noexcept {
    // Of less than a block: the rest is filled up with what is plain.
    std::array<char, sizeof(Block)> rest;
    if (raw.size() < rest.size()) {
        rest.fill('x');
        std::copy(raw.begin(), raw.end(), rest.begin());
        raw = {rest.data(), rest.size()};
    }
    // The last block overlaps the one before it.
    Block plain = plain_bytes(raw.data() + raw.size() - sizeof(Block));
    for (std::size_t at = 0; at + sizeof(Block) < raw.size(); at += sizeof(Block))
        plain &= plain_bytes(raw.data() + at);
    std::array<std::uint64_t, 2> halves;
    std::memcpy(halves.data(), &plain, sizeof plain);
    return (halves[0] & halves[1]) == UINT64_MAX;
}

bool append_item(std::string& json, Parameter const& parameter, std::string_view raw) {
    std::string text;
    if (!decode(raw, coding_of(parameter.place), text)) return false;
    json += json.empty() ? '[' : ',';
    append_scalar(json, text, parameter.takes_string);
    return true;
}

bool append_items(std::string& json, Parameter const& parameter, std::string_view raw) {
    return split(raw, parameter,
                 [&](std::string_view item) { return append_item(json, parameter, item); });
}

bool append_member(std::string& json, Parameter const& parameter, std::string_view name,
                   std::string_view raw) {
    std::string text;
    if (!decode(raw, coding_of(parameter.place), text)) return false;
    json += json.empty() ? '{' : ',';
    append_json_string(json, name);
    json += ':';
    auto const known =
        std::find_if(parameter.members.begin(), parameter.members.end(),
                     [name](Parameter::Member const& one) { return one.name == name; });
    append_scalar(json, text,
                  known == parameter.members.end() ? parameter.takes_string : known->takes_string);
    return true;
}

bool append_members(std::string& json, Parameter const& parameter, std::string_view raw) {
    Coding const coding = coding_of(parameter.place);
    bool const has_pairs = parameter.explode == Explode::yes; // k=v,k=v, and not k,v,k,v
    std::string name;
    bool has_name = false;
    bool const is_done = split(raw, parameter, [&](std::string_view part) {
        if (!has_pairs && has_name) {
            has_name = false;
            return append_member(json, parameter, name, part);
        }
        std::size_t const equals = has_pairs ? part.find('=') : part.size();
        if (equals == std::string_view::npos) return false;
        if (!decode(part.substr(0, equals), coding, name)) return false;
        if (has_pairs) return append_member(json, parameter, name, part.substr(equals + 1));
        has_name = true;
        return true;
    });
    return is_done && !has_name;
}

void close_composite(std::string& json, Parameter const& parameter) {
    bool const is_list = parameter.shape == ParameterShape::list;
    if (json.empty()) json = is_list ? '[' : '{';
    json += is_list ? ']' : '}';
}

} // namespace sallyport::contract

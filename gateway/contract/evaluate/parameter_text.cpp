// The encoding of parameter texts.
#include "gateway/contract/evaluate/parameter_text.h"

#include "gateway/simd/blocks.h"
#include "gateway/text/ascii.h"
#include "gateway/text/percent.h"
#include "gateway/text/utf8.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace sallyport::contract {

namespace {

using simd::Block;
using simd::load_block;

// Sets all bits of each byte that decoding does not change: `+` is a space in queries.
[[nodiscard]] Block plain_bytes(char const* at) noexcept {
    Block const block = load_block(at);
    return (block >= 0x20) & (block != 0x7F) & (block != '%') & (block != '+');
}

// Control characters: a query may contain those of multi-line texts, and a header field the tab
// (RFC 9110, 5.5). A path may contain none: some parsers end a path there.
[[nodiscard]] bool is_refused(char c, Coding coding) noexcept {
    if (c == '\t') return coding == Coding::percent;
    if (c == '\n' || c == '\r') return coding != Coding::percent_and_plus;
    return text::is_control(c);
}

} // namespace

Coding coding_of(Parameter const& parameter) noexcept {
    switch (parameter.place) {
    case ParameterPlace::path:
    case ParameterPlace::query_string: return Coding::percent;
    case ParameterPlace::query: return Coding::percent_and_plus;
    case ParameterPlace::cookie:
        // OpenAPI 3.2, appendix D: the style cookie takes values as they are.
        return parameter.style == ParameterStyle::cookie ? Coding::none : Coding::percent;
    case ParameterPlace::header: break;
    }
    return Coding::none;
}

TextFault decode(std::string_view raw, Coding coding, std::string& out) {
    out.clear();
    bool has_control = false;
    for (std::size_t at = 0; at < raw.size(); ++at) {
        char c = raw[at];
        if (c == '+' && coding == Coding::percent_and_plus) c = ' ';
        if (c == '%' && coding != Coding::none) {
            int const byte = text::escaped_byte(raw, at);
            if (byte < 0) {
                out.clear();
                return TextFault::coding;
            }
            c = static_cast<char>(byte);
            at += 2;
        }
        has_control = has_control || is_refused(c, coding);
        out += c;
    }
    if (!text::is_utf8(out)) return TextFault::coding;
    return has_control ? TextFault::control : TextFault::none;
}

bool is_plain(std::string_view raw) noexcept {
    // Less than a block: the rest is filled with plain characters.
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

std::string_view describe(TextFault fault, Coding coding) noexcept {
    switch (fault) {
    case TextFault::none: break;
    case TextFault::control: return "must not contain control characters";
    case TextFault::pairs: return "must be pairs of names and values";
    case TextFault::comma:
        return "has an encoded comma (%2C), and is not valid both as a part of a value and as the "
               "end of one: lists (strict or decoded) of the API says which it is";
    case TextFault::plus:
        return "must not contain an unencoded plus sign, which some servers read as a space";
    case TextFault::coding:
        return coding == Coding::none ? "must be UTF-8 text" : "must be percent-encoded UTF-8 text";
    }
    return "is valid";
}

} // namespace sallyport::contract

// Compares the two file names of a part.
#include "gateway/contract/forms/file_name.h"

#include "gateway/contract/forms/multipart.h"
#include "gateway/text/ascii.h"
#include "gateway/text/hexadecimal.h"
#include "gateway/text/percent.h"

#include <optional>
#include <string>

namespace sallyport::contract {

namespace {

// RFC 4648, 4
[[nodiscard]] std::string base64_of(std::string_view bytes) {
    constexpr std::string_view digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
        auto const group = bytes.substr(at, 3);
        std::uint32_t bits = 0;
        for (std::size_t i = 0; i < 3; ++i)
            bits = bits << 8U | (i < group.size() ? static_cast<unsigned char>(group[i]) : 0U);
        for (std::size_t i = 0; i < 4; ++i)
            text += i <= group.size() ? digits[bits >> (18 - 6 * i) & 63U] : '=';
    }
    return text;
}

// RFC 2047, 4.2; nullopt: it is not written so.
[[nodiscard]] std::optional<std::string> q_decoded(std::string_view text) {
    std::string out;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] != '=') {
            out += text[at] == '_' ? ' ' : text[at];
            continue;
        }
        if (text.size() - at < 3) return std::nullopt;
        int const high = text::hex_value(text[at + 1]);
        int const low = text::hex_value(text[at + 2]);
        if (high < 0 || low < 0) return std::nullopt;
        out += static_cast<char>(high * 16 + low);
        at += 2;
    }
    return out;
}

// RFC 2047, 2: `=?utf-8?B?...?=`
[[nodiscard]] bool is_encoded_word(std::string_view word, std::string_view name) {
    constexpr std::string_view beginning = "=?utf-8?b?";
    if (word.size() < beginning.size() + 2 || !word.ends_with("?=")) return false;
    auto const begin = word.substr(0, beginning.size());
    auto const text = word.substr(begin.size(), word.size() - begin.size() - 2);
    if (text::equals_ignoring_case(begin, beginning)) return text == base64_of(name);
    return text::equals_ignoring_case(begin, "=?utf-8?q?") && q_decoded(text) == name;
}

} // namespace

bool is_same_file_name(std::string_view extended, std::string_view plain) {
    constexpr std::string_view charset = "utf-8''";
    if (!text::equals_ignoring_case(extended.substr(0, charset.size()), charset)) return false;
    auto const name = text::percent_decoded(extended.substr(charset.size()));
    if (!name) return false;
    std::string decoded;
    return plain == *name || is_encoded_word(plain, *name)
           || (decode_part_name(plain, decoded) == Malformed::none && decoded == *name);
}

} // namespace sallyport::contract

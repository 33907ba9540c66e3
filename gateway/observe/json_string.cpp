// Reads the escapes of JSON strings.
#include "gateway/observe/json_string.h"

namespace sallyport::observe {

namespace {

// -1 for what is no hexadecimal digit.
constexpr int hex_value(char byte) {
    if (byte >= '0' && byte <= '9') return byte - '0';
    if (byte >= 'a' && byte <= 'f') return byte - 'a' + 10;
    if (byte >= 'A' && byte <= 'F') return byte - 'A' + 10;
    return -1;
}

// The code unit of the four hexadecimal digits that `text` begins with; -1 if there are none.
int code_unit(std::string_view text) {
    if (text.size() < 4) return -1;
    int unit = 0;
    for (std::size_t i = 0; i < 4; ++i) {
        auto const digit = hex_value(text[i]);
        if (digit < 0) return -1;
        unit = unit * 16 + digit;
    }
    return unit;
}

constexpr bool is_high_surrogate(int unit) {
    return unit >= 0xD800 && unit <= 0xDBFF;
}
constexpr bool is_low_surrogate(int unit) {
    return unit >= 0xDC00 && unit <= 0xDFFF;
}

} // namespace

Escape read_escape(std::string_view text) noexcept {
    if (text.size() < 2) return {};
    switch (text[1]) {
    case '"':
    case '\\':
    case '/': return {2, static_cast<std::uint32_t>(text[1])};
    case 'b': return {2, '\b'};
    case 'f': return {2, '\f'};
    case 'n': return {2, '\n'};
    case 'r': return {2, '\r'};
    case 't': return {2, '\t'};
    case 'u': break;
    default: return {};
    }
    auto const unit = code_unit(text.substr(2));
    if (unit < 0 || is_low_surrogate(unit)) return {};
    if (!is_high_surrogate(unit)) return {6, static_cast<std::uint32_t>(unit)};
    if (text.size() < 12 || text[6] != '\\' || text[7] != 'u') return {};
    auto const low = code_unit(text.substr(8));
    if (!is_low_surrogate(low)) return {};
    auto const code_point = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
    return {12, static_cast<std::uint32_t>(code_point)};
}

} // namespace sallyport::observe

// Reads the escapes of JSON strings.
#include "gateway/observe/json_string.h"

#include "gateway/text/hexadecimal.h"

namespace sallyport::observe {

namespace {

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
    auto const unit = text::four_digits(text, 2);
    if (unit < 0 || is_low_surrogate(unit)) return {};
    if (!is_high_surrogate(unit)) return {6, static_cast<std::uint32_t>(unit)};
    if (text.size() < 12 || text[6] != '\\' || text[7] != 'u') return {};
    auto const low = text::four_digits(text, 8);
    if (!is_low_surrogate(low)) return {};
    auto const code_point = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
    return {12, static_cast<std::uint32_t>(code_point)};
}

} // namespace sallyport::observe

// The texts of parameters: what they are coded in, and one decoding.
#pragma once

#include "gateway/contract/contract.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace sallyport::contract {

/// What a text is coded in: `+` is a space in queries; fields of the head are not coded at all.
enum class Coding : std::uint8_t { percent, percent_and_plus, none };
[[nodiscard]] Coding coding_of(ParameterPlace place) noexcept;

/// Why a text is refused before any rule is asked.
enum class TextFault : std::uint8_t {
    none,
    coding,  // bad escapes, or no UTF-8
    control, // a control character that has no place there
    pairs,   // an object that is not names and values
    comma,   // a coded one in a list that commas part
};
[[nodiscard]] std::string_view describe(TextFault fault, ParameterPlace place) noexcept;

/// One decoding. `out` has all of the text whatever is wrong with it, and nothing after a bad
/// escape.
[[nodiscard]] TextFault decode(std::string_view raw, Coding coding, std::string& out);
/// Whether decoding would change and refuse nothing.
[[nodiscard]] bool is_plain(std::string_view raw) noexcept;

/// Whether the value is one text: a list or an object may come in parts.
[[nodiscard]] inline bool is_whole(Parameter const& parameter) noexcept {
    return parameter.shape == ParameterShape::value || parameter.shape == ParameterShape::json;
}

} // namespace sallyport::contract

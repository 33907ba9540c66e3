// The encoding of parameter texts, and their decoding.
#pragma once

#include "gateway/contract/contract.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace sallyport::contract {

/// The encoding of a text: `+` is a space in queries; header fields are not encoded.
enum class Coding : std::uint8_t { percent, percent_and_plus, none };
/// The encoding of the values of a parameter.
[[nodiscard]] Coding coding_of(Parameter const& parameter) noexcept;

/// Why a text is refused before its schema is checked.
enum class TextFault : std::uint8_t {
    none,
    coding,  // invalid escapes, or not UTF-8
    control, // a control character that is not allowed there
    pairs,   // an object that is not a list of names and values
    comma,   // an encoded comma, and what it is decides whether the value is valid
    plus,    // a plus sign where it is not known whether it is a space
};
/// The end of the message: see violation_of().
[[nodiscard]] std::string_view describe(TextFault fault, Coding coding) noexcept;

/// Decodes once. `out` is complete for every fault but an invalid escape, where it ends.
[[nodiscard]] TextFault decode(std::string_view raw, Coding coding, std::string& out);
/// Whether decode() would return the text unchanged without a fault.
[[nodiscard]] bool is_plain(std::string_view raw) noexcept;

/// Whether the value is one text: a list or an object may have several.
[[nodiscard]] inline bool is_whole(Parameter const& parameter) noexcept {
    return parameter.shape != ParameterShape::list && parameter.shape != ParameterShape::object;
}
/// Whether the value may be several pairs of a query.
[[nodiscard]] inline bool is_in_pairs(Parameter const& parameter) noexcept {
    return !is_whole(parameter)
           && (parameter.explode == Explode::yes
               || parameter.style == ParameterStyle::deep_object);
}

/// Whether it is split at commas and has an encoded one, which may be part of a value.
[[nodiscard]] bool has_coded_comma(std::string_view raw, Parameter const& parameter) noexcept;

} // namespace sallyport::contract

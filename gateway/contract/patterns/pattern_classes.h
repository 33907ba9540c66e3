// The classes and properties of ECMA-262 patterns in RE2's syntax: text for the inside of `[...]`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sallyport::contract {

/// ECMA-262, 22.2.2.9: `.` without the flag `s` matches all but the LineTerminators (12.3).
inline constexpr std::string_view line_terminators = R"(\x{a}\x{d}\x{2028}\x{2029})";

/// Whether the flag i applies.
enum class Case : std::uint8_t { kept, ignored };

/// `\d`, `\w`, `\s` and their complements; empty: the escape does not exist. RE2's own \s contains
/// fewer characters.
[[nodiscard]] std::string_view class_escape(char letter, Case letter_case) noexcept;

/// `\p{expression}`, or `\P{expression}` if negated. `error` is set if it does not exist.
struct PropertyClass {
    std::string text;
    std::string error;
};
[[nodiscard]] PropertyClass property_class(std::string_view expression, bool is_negated);

/// Whether `name`, well-formed UTF-8, is an IdentifierName (ECMA-262, 12.7), as names of groups
/// are.
[[nodiscard]] bool is_group_name(std::string_view name);

} // namespace sallyport::contract

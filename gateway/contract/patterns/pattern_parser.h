// Parses ECMA-262 patterns.
#pragma once

#include "gateway/contract/patterns/pattern_tree.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace sallyport::contract {

/// A tree, or an error.
struct ParsedPattern {
    Alternatives alternatives;
    std::string error; // empty: none
    std::string hint;  // what to write instead
    /// The error is that the pattern is valid, but cannot be matched in linear time, or not by RE2.
    bool is_unsupported = false;
    /// What the pattern contains that is not in the grammar with the flag `u`; empty: nothing.
    std::string warning;
    std::string warning_hint;
};

enum class PatternPurpose : std::uint8_t {
    /// Back-references are an error. What is an error with the flag `u`, but defined without it
    /// (ECMA-262, B.1.2), is a warning.
    match,
    /// Only whether it is valid: there is no tree.
    check,
};

/// Parses a pattern with the flag `u` (JSON Schema 2020-12 core, 6.4): by code points.
[[nodiscard]] ParsedPattern parse_pattern(std::string_view pattern, PatternPurpose purpose);

} // namespace sallyport::contract

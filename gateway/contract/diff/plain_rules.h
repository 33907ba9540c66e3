// Rules of one value on their own: types, values, bounds, patterns.
#pragma once

#include "gateway/contract/diff/implication.h"

#include <cstdint>
#include <string>

namespace sallyport::contract {

/// One bit for each type; a number without a fraction is an integer, and no number.
using TypeBits = std::uint8_t;
namespace type_bits {
inline constexpr TypeBits null = 1;
inline constexpr TypeBits boolean = 2;
inline constexpr TypeBits integer = 4;
inline constexpr TypeBits number = 8;
inline constexpr TypeBits string = 16;
inline constexpr TypeBits array = 32;
inline constexpr TypeBits object = 64;
inline constexpr TypeBits any = 127;
} // namespace type_bits

/// The types that `type`, `enum` and `const` of the part leave.
[[nodiscard]] TypeBits types_of(SchemaPart const& part);
/// Those of all parts.
[[nodiscard]] TypeBits types_of(SchemaParts const& parts);
/// The types whose values a rule may refuse.
[[nodiscard]] TypeBits bound_types(SchemaRule const& rule) noexcept;

/// A value as a text that is equal for equal values.
[[nodiscard]] std::string canonical_text(config::yaml::Node const& value);

[[nodiscard]] Verdict type_implies(SchemaPart const& from, SchemaPart const& to);
[[nodiscard]] Verdict values_imply(SchemaPart const& from, SchemaPart const& to);
[[nodiscard]] Verdict bound_implies(SchemaPart const& from, SchemaRule const& rule,
                                    SchemaPart const& to);
[[nodiscard]] Verdict multiple_implies(SchemaPart const& from, SchemaPart const& to);
[[nodiscard]] Verdict format_implies(SchemaPart const& from, SchemaPart const& to);

} // namespace sallyport::contract

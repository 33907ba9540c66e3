// Which types of values a compiled schema accepts: determines how the text of a parameter is read.
#pragma once

#include "gateway/contract/contract.h"
#include "gateway/contract/schema/program.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sallyport::contract {

/// Sets of value_bits.
struct Kinds {
    std::uint8_t accepted = value_bits::any; // may be valid according to types and constants
    std::uint8_t named = 0;                  // occur in types and constants, or have rules
    bool admits_text = false;                // a type or a constant explicitly allows strings
};
/// The types that a schema accepts, according to all schemas for the same value.
[[nodiscard]] Kinds kinds_of(Program const& program, NodeIndex index);

/// Whether the schema accepts lists or objects and has rules for them: otherwise it is for plain
/// values.
[[nodiscard]] bool may_be_nested(Kinds const& kinds) noexcept;

/// How the text of a plain value is read.
[[nodiscard]] Reading reading_of(Kinds const& kinds) noexcept;

/// Fill in the schemas of the items of a list, or of the properties of an object. The result
/// describes the first of them that may be a list or an object itself, which no style can express;
/// nullopt: none.
[[nodiscard]] std::optional<std::string> read_items(Program const& program, NodeIndex index,
                                                    Parameter& list);
[[nodiscard]] std::optional<std::string> read_members(Program const& program, NodeIndex index,
                                                      Parameter& object);

/// Fills in takes_others and closed_by of an object after read_members().
void read_others(Program const& program, NodeIndex index, Parameter& object);

} // namespace sallyport::contract

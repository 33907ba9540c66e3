// Which kinds of values a compiled schema takes: how the text of a parameter is to be read.
#pragma once

#include "gateway/contract/contract.h"
#include "gateway/contract/schema/program.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sallyport::contract {

/// value_bits, each.
struct Kinds {
    std::uint8_t accepted = value_bits::any; // that may pass, as far as types and constants say
    std::uint8_t named = 0;                  // that types and constants name, or rules are about
    bool admits_text = false;                // a type or a constant says that a string may pass
};
[[nodiscard]] Kinds kinds_of(Program const& program, NodeIndex index);

/// Whether it takes lists or objects, and says something of them: else it is of plain values.
[[nodiscard]] bool may_be_nested(Kinds const& kinds) noexcept;

/// A plain value.
[[nodiscard]] Reading reading_of(Kinds const& kinds) noexcept;

/// Fill in what is known of the items of a list, or of the members of an object. The answer names
/// the first of them that may be a list or an object itself, which no text can say.
[[nodiscard]] std::optional<std::string> read_items(Program const& program, NodeIndex index,
                                                    Parameter& list);
[[nodiscard]] std::optional<std::string> read_members(Program const& program, NodeIndex index,
                                                      Parameter& object);

/// Fills in takes_others and closed_by of an object whose members are read.
void read_others(Program const& program, NodeIndex index, Parameter& object);

} // namespace sallyport::contract

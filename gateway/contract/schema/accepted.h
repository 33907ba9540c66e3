// Which kinds of values a compiled schema takes, as far as its `type` says: how the text of a
// parameter is to be read.
#pragma once

#include "gateway/contract/contract.h"
#include "gateway/contract/schema/program.h"

#include <cstdint>
#include <vector>

namespace sallyport::contract {

// value_bits; combinations of schemas are looked into, values are not.
[[nodiscard]] std::uint8_t accepted_types(Program const& program, NodeIndex index);
// Of the items of a list.
[[nodiscard]] std::uint8_t accepted_item_types(Program const& program, NodeIndex index);
// Of the members of an object that its schema names.
[[nodiscard]] std::vector<Parameter::Member> members_of(Program const& program, NodeIndex index);
// Of all its other members.
[[nodiscard]] std::uint8_t accepted_additional_types(Program const& program, NodeIndex index);

} // namespace sallyport::contract

// Constants of a contract: as JSON text for messages, and as operands for the evaluator.
#pragma once

#include "config/yaml.h"
#include "gateway/contract/schema/program.h"

#include <optional>
#include <string>
#include <string_view>

namespace sallyport::contract {

/// The text of a number in JSON; nullopt: the node is not a JSON number (`.inf`, `+1`, a string).
[[nodiscard]] std::optional<std::string> number_text(config::yaml::Node const& node);

/// What a text says where a flag belongs: `"true"`, and `yes`, which YAML 1.1 took for true;
/// nullopt: it is no flag.
[[nodiscard]] std::optional<bool> flag_in_text(config::yaml::Node const& node);

/// Whether a flag is set, also by a text.
[[nodiscard]] bool is_set(config::yaml::Node const& flag);

/// number_text(), also of a text that spells a number: what a bound or a count is.
[[nodiscard]] std::optional<std::string> bound_text(config::yaml::Node const& node);

/// Appends the node as JSON on one line; false: it contains a number that is not a JSON number.
[[nodiscard]] bool append_json(std::string& out, config::yaml::Node const& node);
/// Appends a string in quotes, escaped (RFC 8259, 7).
void append_json_string(std::string& out, std::string_view text);

/// Sets all fields of `operand`. `text`: a number. The operand must not be moved: its decimal is a
/// view of its text.
void fill_number(NumberOperand& operand, std::string text);

/// Adds the value of a node; false: it contains a number that is not a JSON number.
[[nodiscard]] bool add_constant(ConstantSet& set, config::yaml::Node const& node);
void finish(ConstantSet& set); // after the last one

} // namespace sallyport::contract

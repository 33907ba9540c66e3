// Values that a contract states: as JSON text for messages, and as operands for the evaluator.
#pragma once

#include "config/yaml.h"
#include "gateway/contract/schema/program.h"

#include <optional>
#include <string>
#include <string_view>

namespace sallyport::contract {

/// The text of a number, as JSON writes it; nullopt: the node is none that JSON knows (`.inf`, `+1`,
/// a string).
[[nodiscard]] std::optional<std::string> number_text(config::yaml::Node const& node);

/// JSON on one line; false: some number in it is none of JSON.
[[nodiscard]] bool append_json(std::string& out, config::yaml::Node const& node);
void append_json_string(std::string& out, std::string_view text);

/// `text` is a number; `operand` stays where it is, since its decimal is a view of its own text.
void fill_number(NumberOperand& operand, std::string text);

/// False: some number in it is none of JSON.
[[nodiscard]] bool add_constant(ConstantSet& set, config::yaml::Node const& node);
void finish(ConstantSet& set); // after the last one

} // namespace sallyport::contract

// Violations of parameters: for the files that check parameters only.
#pragma once

#include "gateway/contract/validator.h"

#include <string>
#include <string_view>

namespace sallyport::contract {

/// `phrase` follows the parameter's name in the message: "is required".
[[nodiscard]] Violation violation_of(Parameter const& parameter, std::string_view rule,
                                     std::string_view phrase);
/// The phrase for a text that is not what its media type says: "must be JSON: it has ...".
[[nodiscard]] std::string describe_malformed(std::string_view expected, Malformed reason);
/// Adds the violation while there is room; not one that is there already.
void refuse(ParameterReport& report, Violation violation);
/// Whether there is no room for further violations.
[[nodiscard]] bool is_full(ParameterReport const& report) noexcept;
/// Resets the report for the next parameters; keeps its memory.
void clear(ParameterReport& report);

} // namespace sallyport::contract

// Violations of parameters: for parameters.cpp and query.cpp only.
#pragma once

#include "gateway/contract/validator.h"

#include <string_view>

namespace sallyport::contract {

/// `phrase` follows the parameter's name in the message: "is required".
[[nodiscard]] Violation violation_of(Parameter const& parameter, std::string_view rule,
                                     std::string_view phrase);
/// Adds the violation while there is room; not one that is there already.
void refuse(ParameterReport& report, Violation violation);
/// Whether there is no room for further violations.
[[nodiscard]] bool is_full(ParameterReport const& report) noexcept;
/// Resets the report for the next parameters; keeps its memory.
void clear(ParameterReport& report);

} // namespace sallyport::contract

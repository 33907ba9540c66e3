// How parameters are refused: for parameters.cpp and query.cpp only.
#pragma once

#include "gateway/contract/validator.h"

#include <string_view>

namespace sallyport::contract {

/// `phrase` is what follows the parameter's name: "is required".
[[nodiscard]] Violation violation_of(Parameter const& parameter, std::string_view rule,
                                     std::string_view phrase);
/// Keeps the violation, as long as there is room; one that is there already says it of both.
void refuse(ParameterReport& report, Violation violation);
[[nodiscard]] bool is_full(ParameterReport const& report) noexcept;
void clear(ParameterReport& report);

} // namespace sallyport::contract

// How a parameter is refused: for parameters.cpp and query.cpp only.
#pragma once

#include "gateway/contract/validator.h"

#include <string_view>

namespace sallyport::contract {

[[nodiscard]] Violation violation_of(Parameter const& parameter, std::string_view rule,
                                     std::string_view phrase);
void refuse(ParameterReport& report, Parameter const& parameter, Violation violation);
void clear(ParameterReport& report);

} // namespace sallyport::contract

// Writes documents as YAML that every reader reads as the same values.
#pragma once

#include "config/yaml.h"

#include <string>

namespace sallyport::config::yaml {

/// Block style, two spaces a level, keys in their order, a line feed at the end. Texts stand
/// without quotes where YAML 1.2 and 1.1 both read them as texts; numbers and the like as they were
/// written. Comments are not kept.
[[nodiscard]] std::string to_yaml(Node const& node);

} // namespace sallyport::config::yaml

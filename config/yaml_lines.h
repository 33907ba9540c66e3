// Mistakes in the lines of a YAML text that cannot be parsed: internal to yaml_events.cpp.
#pragma once

#include "config/yaml_builder.h"

#include <optional>
#include <string>
#include <string_view>

namespace sallyport::config::yaml {

struct LineFault {
    Place where;
    std::string what;
    std::string hint;
};

/// What is probably wrong with the line at which the parser stopped, or with the one before it: one
/// that is indented too much, or a key without its colon. nullopt: neither.
[[nodiscard]] std::optional<LineFault> find_line_fault(std::string_view text, unsigned line);

} // namespace sallyport::config::yaml

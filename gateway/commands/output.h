// Output of commands: as text for people, or as JSON for programs.
#pragma once

#include "config/yaml.h"

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>

namespace sallyport::commands {

enum class Format : std::uint8_t { text, json, github };

/// A JSON string with its quotes (RFC 8259, 7). Invalid UTF-8 is written as `?`.
[[nodiscard]] std::string json_string(std::string_view text);

/// json_string(), or null for an empty text.
[[nodiscard]] std::string json_string_or_null(std::string_view text);

/// [{"severity":...,"file":...,"line":...,"column":...,"path":...,"what":...,"hint":...},...]
[[nodiscard]] std::string json_problems(config::yaml::Problems const& problems);

/// [{"file":...,"line":...,"column":...,"path":...,"what":...},...]: places that are mentioned
/// without being a problem.
[[nodiscard]] std::string json_places(config::yaml::Problems const& places);

/// One line per problem.
void print_problems(std::ostream& out, config::yaml::Problems const& problems);

/// One line per problem, which GitHub's workflows show at the line of the file: ::error
/// file=FILE,line=1,col=2::TEXT
void print_annotations(std::ostream& out, config::yaml::Problems const& problems);

/// As annotations that are not problems: values that were not checked.
void print_notices(std::ostream& out, config::yaml::Problems const& places);

} // namespace sallyport::commands

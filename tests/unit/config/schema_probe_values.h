// Values that probes try at the keys of the tables.
#pragma once

#include "config/json_value.h"
#include "config/shape.h"

#include <string>
#include <vector>

namespace sallyport::config::test {

/// Of a document without problems.
[[nodiscard]] JsonValue parsed(std::string const& yaml);

/// A digest as entries of the file of credentials have it.
[[nodiscard]] std::string hash_of_probes();

/// Values of the kind of the shape: those that it takes, and their neighbours.
[[nodiscard]] std::vector<JsonValue> values_of(Shape const& shape);

/// What no key of some kind takes, and what some do.
[[nodiscard]] std::vector<JsonValue> values_of_all_kinds();

} // namespace sallyport::config::test

// Documents that are no OpenAPI, by what they are.
#pragma once

#include "config/yaml.h"

#include <string_view>

namespace sallyport::contract {

/// What a document without `openapi` and `paths` is instead ("a Postman collection"), by keys that
/// no other kind has; empty: not known.
[[nodiscard]] std::string_view other_kind_of(config::yaml::Node const& root);

} // namespace sallyport::contract

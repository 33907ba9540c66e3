// Small readers over YAML trees for test data; whatever is not as expected fails the test that
// reads.
#pragma once

#include "config/yaml.h"

#include <cstddef>
#include <string>
#include <vector>

namespace sallyport::contract::test {

/// `path` from the root of the project. Contracts come from the folder SALLYPORT_CONTRACTS of the
/// environment, if set.
[[nodiscard]] std::string project_file(std::string const& path);
[[nodiscard]] config::yaml::Document load(std::string const& path);

[[nodiscard]] config::yaml::Node const& child(config::yaml::Node const& node,
                                              std::string const& key);
[[nodiscard]] std::string text_of(config::yaml::Node const& node); // of a scalar
[[nodiscard]] std::vector<std::string> texts_of(config::yaml::Node const& node);
[[nodiscard]] std::size_t size_of(config::yaml::Node const& node);
/// Whether `key` is there and `true`; anything else under it is a mistake.
[[nodiscard]] bool is_true(config::yaml::Node const& node, std::string const& key);
/// The text under `key`, empty where there is none.
[[nodiscard]] std::string text_or_empty(config::yaml::Node const& node, std::string const& key);

} // namespace sallyport::contract::test

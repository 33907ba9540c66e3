// Readers of YAML trees for test data; unexpected content fails the test.
#pragma once

#include "config/yaml.h"

#include <cstddef>
#include <string>
#include <vector>

namespace sallyport::contract::test {

/// `path`: relative to the root of the project. Contracts are read from the folder in the
/// environment variable SALLYPORT_CONTRACTS, if it is set.
[[nodiscard]] std::string project_file(std::string const& path);
[[nodiscard]] config::yaml::Document load(std::string const& path);

[[nodiscard]] config::yaml::Node const& child(config::yaml::Node const& node,
                                              std::string const& key);
[[nodiscard]] std::string text_of(config::yaml::Node const& node); // of a scalar
[[nodiscard]] std::vector<std::string> texts_of(config::yaml::Node const& node);
[[nodiscard]] std::size_t size_of(config::yaml::Node const& node);
/// Whether `key` has the value `true`; any other value fails the test.
[[nodiscard]] bool is_true(config::yaml::Node const& node, std::string const& key);
/// The text of `key`; empty if it is absent.
[[nodiscard]] std::string text_or_empty(config::yaml::Node const& node, std::string const& key);

} // namespace sallyport::contract::test

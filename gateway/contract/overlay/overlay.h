// Overlays (OpenAPI Overlay Specification 1.0 and 1.1): changes to a document that others own.
#pragma once

#include "config/yaml.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sallyport::contract {

inline constexpr std::size_t max_overlays = 64;    // of one document
inline constexpr std::size_t max_actions = 10'000; // of one overlay
inline constexpr std::uint64_t overlay_work =
    100'000'000; // of all overlays of a document, in nodes

/// Applies overlay files to a document, in their order; each sees the result of the one before.
/// Values keep the marks of the file that they come from, so that later problems name it. The
/// result has the problems of the document and of the overlays: an action that matches nothing is a
/// warning. After an error in an overlay the result is not whole (Document::is_whole), since
/// problems of the rest may only come from it.
[[nodiscard]] config::yaml::Document with_overlays(config::yaml::Document document,
                                                   std::vector<std::string> const& files);

/// The same with overlays that were read already.
[[nodiscard]] config::yaml::Document with_overlays(config::yaml::Document document,
                                                   std::vector<config::yaml::Document> overlays);

} // namespace sallyport::contract

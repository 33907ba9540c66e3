// An overlay as it was read: internal to overlay*.cpp.
#pragma once

#include "config/yaml.h"
#include "gateway/contract/overlay/jsonpath.h"

#include <optional>
#include <string>
#include <vector>

namespace sallyport::contract {

/// The Action Object. Nodes are owned by the overlay's document.
struct OverlayAction {
    config::yaml::Node const* node = nullptr;
    std::string path; // in the overlay, for problems: `actions[2]`
    config::yaml::Node const* target_node = nullptr;
    jsonpath::Query target;
    config::yaml::Node const* update = nullptr;
    config::yaml::Node const* copy_node = nullptr;
    std::optional<jsonpath::Query> copy;
    bool remove = false;
};

enum class OverlayVersion : std::uint8_t { v1_0, v1_1 };

/// The Overlay Object.
struct Overlay {
    OverlayVersion version = OverlayVersion::v1_1;
    config::yaml::Node const* extends = nullptr; // a string
    std::vector<OverlayAction> actions;
};

/// Reads an overlay document; everything that is wrong is added to `problems`.
[[nodiscard]] Overlay read_overlay(config::yaml::Node const& root,
                                   config::yaml::Problems& problems);

/// Whether a reference of an overlay (`extends`) may name that document file. A reference to a path
/// is resolved against the overlay's file; of a URL only the last segment is compared.
[[nodiscard]] bool names_document(std::string_view reference, std::string_view overlay_file,
                                  std::string_view document_file);

} // namespace sallyport::contract

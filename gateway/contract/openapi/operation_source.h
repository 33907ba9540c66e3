// Where an operation was read from: its objects in the document, for those who compare documents.
#pragma once

#include "config/yaml.h"
#include "gateway/contract/schema/documents.h"

#include <string>
#include <utility>
#include <vector>

namespace sallyport::contract {

/// The objects of one operation, `$ref`s of path items, parameters and responses followed. Those of
/// Swagger 2.0 are as version 3.0 has them, with the marks of the document.
struct OperationSource {
    config::yaml::Node const* written = nullptr; // the Operation Object of the document
    config::yaml::Node const* read = nullptr;    // the same as version 3.0 has it
    Resource const* resource = nullptr;
    std::string template_key;       // of `paths`
    std::vector<Target> parameters; // its own, and those of its path
    std::vector<std::pair<std::string, Target>> responses; // by status
};

} // namespace sallyport::contract

// Compares two documents of an API by their operations.
#pragma once

#include "config/yaml.h"
#include "gateway/contract/contract.h"
#include "gateway/contract/diff/change.h"

#include <string>

namespace sallyport::contract {

/// One of the two documents.
struct DiffSide {
    std::string file;
    LoadOptions options;
};

/// The changes, or the problems of a document that does not load.
struct Diff {
    bool is_compared = false;
    /// In the order of the operations of the new document, then of those that are gone.
    Changes changes;
    config::yaml::Problems problems; // of both, warnings too
};

/// What changes for requests, and for the description of responses, if `now` replaces `old`. A
/// request that the old contract accepts and the new one refuses has a change that is stricter.
/// Levels, and limits of the configuration, are not considered.
[[nodiscard]] Diff compare_documents(DiffSide const& old, DiffSide const& now);

/// The same for two JSON Schemas, for values in place of requests.
[[nodiscard]] Diff compare_schemas(std::string_view old, std::string_view now);

} // namespace sallyport::contract

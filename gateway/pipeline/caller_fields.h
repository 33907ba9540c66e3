// The fields in which upstreams learn who calls: prepared when the configuration is loaded.
#pragma once

#include "gateway/pipeline/edge.h"

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace sallyport::jose {
class SigningKeys;
}

namespace sallyport::pipeline {

/// How a caller is asserted: a signed token in a field of its own (upstream/assertion.h).
struct AssertionRules {
    std::string field;
    std::string issuer;
    std::string audience;
    std::chrono::seconds lifetime{60};
    std::shared_ptr<jose::SigningKeys> keys; // whose keys change; shared with other snapshots
};

/// What an API, or an upstream, tells of a caller. Immutable.
struct CallerFields {
    FieldRules rules;                                // its lines only
    std::unique_ptr<AssertionRules const> assertion; // null: none
};

/// Owned by an upstream. Immutable.
struct UpstreamCallerFields {
    /// In which any API tells this upstream of its callers: lines with these names that a client
    /// has sent never arrive there, whatever API they are sent to.
    std::vector<std::string> names;
    CallerFields usual; // of APIs that have no such fields themselves
};

} // namespace sallyport::pipeline

// Events of the control log: credentials in force, what a reload has changed of them, and secrets
// that are refused.
#pragma once

#include "gateway/lifecycle/credential_changes.h"
#include "gateway/observe/control_log.h"
#include "gateway/pipeline/failed_authentication.h"

#include <cstdint>
#include <string_view>

namespace sallyport::accept {

/// A line for each of the first entries that have changed, then the numbers of all.
void log_credentials(observe::ControlLog& control_log, pipeline::CredentialTable const& table,
                     lifecycle::CredentialChanges const& changes);

/// The token of an upstream is not replaced by that of its file.
void log_rejected_token(observe::ControlLog& control_log, std::string_view upstream,
                        std::string_view file, std::string_view problem);

/// `suppressed`: such lines that were left out since the start.
void log_began_block(observe::ControlLog& control_log, pipeline::BeganBlock const& block,
                     std::uint64_t suppressed);

} // namespace sallyport::accept

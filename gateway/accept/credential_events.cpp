// Events of credentials: see credential_events.h.
#include "gateway/accept/credential_events.h"

#include <string>

namespace sallyport::accept {

using observe::Severity;

void log_credentials(observe::ControlLog& control_log, pipeline::CredentialTable const& table,
                     lifecycle::CredentialChanges const& changes) {
    for (auto const& one : changes.first) {
        std::string what;
        for (auto const change : one.changes)
            what.append(what.empty() ? "" : ",").append(to_string(change));
        control_log.write(Severity::info, "credential_changed",
                          {{"credential", one.name}, {"change", what}});
    }
    auto const count = std::to_string(table.all().size());
    auto const added = std::to_string(changes.added);
    auto const removed = std::to_string(changes.removed);
    auto const changed = std::to_string(changes.changed);
    auto const disabled = std::to_string(lifecycle::count_disabled(table));
    control_log.write(Severity::info, "credentials_loaded",
                      {{"count", count},
                       {"added", added},
                       {"removed", removed},
                       {"changed", changed},
                       {"disabled", disabled}});
}

void log_rejected_token(observe::ControlLog& control_log, std::string_view upstream,
                        std::string_view file, std::string_view problem) {
    control_log.write(Severity::error, "upstream_token_rejected",
                      {{"upstream", upstream}, {"file", file}, {"problem", problem}});
}

void log_began_block(observe::ControlLog& control_log, pipeline::BeganBlock const& block,
                     std::uint64_t suppressed) {
    auto const milliseconds = std::to_string(block.length.count());
    auto const blocks = std::to_string(block.blocks);
    auto const left_out = std::to_string(suppressed);
    if (block.credential.empty()) {
        control_log.write(Severity::warning, "client_blocked",
                          {{"client", block.address},
                           {"for_ms", milliseconds},
                           {"blocks", blocks},
                           {"left_out", left_out}});
    } else {
        control_log.write(Severity::warning, "credential_blocked",
                          {{"credential", block.credential},
                           {"client", block.address},
                           {"for_ms", milliseconds},
                           {"blocks", blocks},
                           {"left_out", left_out}});
    }
}

} // namespace sallyport::accept

// Configuration to snapshot: opens what it names, and finds every problem that is left.
#pragma once

#include "config/config.h"
#include "config/credentials.h"
#include "config/yaml.h"
#include "gateway/lifecycle/snapshot.h"
#include "gateway/net/ticket_keys.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace sallyport::lifecycle {

struct Compiled {
    std::shared_ptr<Snapshot const> snapshot; // null if there is an error among the problems
    config::yaml::Problems problems;          // all of them, by place; warnings too
    std::vector<std::string> files;           // what was read, or should have been
    std::vector<std::string> unfinished;      // of those, what something still writes to
    std::vector<config::File> secret_files;   // of them, those of `${file:...}` in secrets
    config::yaml::Problems obstacles; // that keep a gateway from starting, but not one that runs
};

/// What outlives a snapshot.
struct Keepsakes {
    std::shared_ptr<net::TicketKeys> ticket_keys; // tickets stay good over a reload
    std::uint64_t generation = 1;
};

/// The configuration file, its credentials, contracts, certificates and keys.
Compiled load(std::string const& path, Keepsakes const& keepsakes);

namespace compile {

using config::yaml::Problems;

/// Contracts, levels, hosts and prefixes. `secret_members`: added to, from the contracts.
std::vector<std::unique_ptr<pipeline::Api>>
apis(config::Config const& config, observe::RedactionList& redaction, Problems& problems);

/// Of `redact.except`; `redaction`: with all names that are secret, those of contracts too.
void check_exceptions(config::Config const& config, observe::RedactionList const& redaction,
                      Problems& problems);

/// What each credential may do at each API; `apis`: those whose contracts loaded.
std::shared_ptr<pipeline::CredentialTable const>
credentials(std::vector<config::Credential> const& credentials,
            std::vector<std::unique_ptr<pipeline::Api>> const& apis, Problems& problems);

std::vector<Listener> listeners(config::Config const& config,
                                std::shared_ptr<net::TicketKeys> const& ticket_keys,
                                Problems& problems);

std::vector<Upstream> upstreams(config::Config const& config, Problems& problems);

} // namespace compile

} // namespace sallyport::lifecycle

// Configuration to snapshot: opens what it names, and finds every problem that is left.
#pragma once

#include "config/authenticator.h"
#include "config/config.h"
#include "config/credentials.h"
#include "config/yaml.h"
#include "gateway/lifecycle/snapshot.h"
#include "gateway/net/ticket_keys.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace sallyport::config {
class Tables;
}

namespace sallyport::lifecycle {

struct Compiled {
    std::shared_ptr<Snapshot const> snapshot; // null if there is an error among the problems
    config::yaml::Problems problems;          // all of them, by place; warnings too
    std::vector<std::string> files;           // what was read, or should have been
    std::vector<std::string> unfinished;      // of those, what something still writes to
    std::vector<config::File> named_files;    // of them, those that have a key, and folders
    std::vector<config::File> secret_files;   // of them, those of `${file:...}` in secrets
    config::yaml::Problems obstacles; // that keep a gateway from starting, but not one that runs
};

/// That something writes to a file: at the key that names it, where one does.
[[nodiscard]] config::yaml::Problem unfinished_file(Compiled const& compiled,
                                                    std::string const& path, std::string what);

/// What outlives a snapshot.
struct CarriedOver {
    std::shared_ptr<net::TicketKeys> ticket_keys; // tickets stay good over a reload
    std::uint64_t generation = 1;
};

/// The configuration file, its credentials, contracts, certificates and keys.
[[nodiscard]] Compiled load(std::string const& path, config::Tables const& tables,
                            CarriedOver const& carried_over);

namespace compile {

using config::yaml::Problems;

/// A configuration as far as it could be read, and what was refused of it.
struct Read {
    config::Config const& config;
    Problems const& refused;
    config::Authenticators authenticators; // that it was read with

    /// Whether an error was found at that path, above or below it.
    [[nodiscard]] bool has_error_at(std::string_view path) const;
};

/// Contracts, levels, hosts and prefixes. `secret_members`: added to, from the contracts.
std::vector<std::unique_ptr<pipeline::Api>>
apis(Read const& read, observe::RedactionList& redaction, Problems& problems);

/// Of `redact.except`; `redaction`: with all names that are secret, those of contracts too.
void check_exceptions(config::Config const& config, observe::RedactionList const& redaction,
                      Problems& problems);

/// What each credential may do at each API; `apis`: those of `read`, without a contract where that
/// did not load.
std::shared_ptr<pipeline::CredentialTable const>
credentials(Read const& read, std::vector<config::Credential> const& credentials,
            std::vector<std::unique_ptr<pipeline::Api>> const& apis, Problems& problems);

std::vector<Listener> listeners(config::Config const& config,
                                std::shared_ptr<net::TicketKeys> const& ticket_keys,
                                Problems& problems);

std::vector<Upstream> upstreams(config::Config const& config, Problems& problems);

/// By place; a contract that two APIs have is read twice, and its problems are told once.
void put_in_order(Problems& problems);

} // namespace compile

} // namespace sallyport::lifecycle

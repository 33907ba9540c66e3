// Compiles a configuration to a snapshot: opens the files that it names, and finds all remaining
// problems.
#pragma once

#include "config/authenticator.h"
#include "config/config.h"
#include "config/credentials.h"
#include "config/yaml.h"
#include "gateway/lifecycle/contract_cache.h"
#include "gateway/lifecycle/credential_changes.h"
#include "gateway/lifecycle/snapshot.h"
#include "gateway/net/ticket_keys.h"

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace sallyport::config {
class Tables;
}

namespace sallyport::fetch {
class Fetcher;
}

namespace sallyport::lifecycle {

struct Compiled {
    std::shared_ptr<Snapshot const> snapshot; // null if there is an error among the problems
    config::yaml::Problems problems;          // all of them, by place, with warnings
    std::vector<std::string> files;           // files that were read, or should have been
    std::vector<std::string> unfinished;      // those of them that another process is writing
    std::vector<config::File> named_files;    // those of them that have a key, and folders
    std::vector<config::File> secret_files;   // those of them that hold a secret
    config::yaml::Problems obstacles;         // prevent a start, but not a reload
    /// As they were read, for more checks.
    std::vector<config::Credential> credentials;
    CredentialChanges changes; // since the configuration before, if there is one
};

/// The problem that a file is being written: at the key that names it, if one does.
[[nodiscard]] config::yaml::Problem unfinished_file(Compiled const& compiled,
                                                    std::string const& path, std::string what);

/// State that outlives a snapshot.
struct CarriedOver {
    std::shared_ptr<net::TicketKeys> ticket_keys; // tickets stay valid after a reload
    std::uint64_t generation = 1;
    std::shared_ptr<ContractCache> contracts{}; // null: all contracts are loaded
    std::shared_ptr<fetch::Fetcher> fetcher{};  // null: nothing is fetched, as by `check`
    std::shared_ptr<jose::KeySources> keys = std::make_shared<jose::KeySources>(); // that sign
    /// Those of the configuration before: when their secrets were last used.
    std::weak_ptr<pipeline::CredentialTable const> credentials{};
    /// The one that runs: its tokens of upstreams stay in force where their files cannot be read.
    std::weak_ptr<Snapshot const> running{};
    /// What authenticators keep from one configuration to the next; null: nothing.
    std::shared_ptr<config::KeptValues> kept{};
    /// `never`: of a program that loads once, as `check`.
    Compared compared = Compared::by_next_load;
};

/// Loads the configuration file, its credentials, contracts, certificates and keys.
[[nodiscard]] Compiled load(std::string const& path, config::Tables const& tables,
                            CarriedOver const& carried_over);

namespace compile {

using config::yaml::Problems;

/// A configuration as far as it could be read, and its errors.
struct Read {
    config::Config const& config;
    Problems const& refused;
    config::Authenticators authenticators; // that it was read with
    ContractCache* contracts = nullptr;    // null: all are loaded
    /// APIs of whose contracts nothing is known, for another reason than an error.
    std::set<std::string> unknown_contracts = {};

    /// Whether an error was found at that path, above or below it.
    [[nodiscard]] bool has_error_at(std::string_view path) const;
};

/// What apis() finds besides.
struct FoundInContracts {
    observe::RedactionList& redaction; // gets the secret members of the contracts
    std::vector<std::string>& files;   // gets those that the contracts refer to
    Problems& problems;
};

/// Contracts, levels, hosts and prefixes.
std::vector<std::unique_ptr<pipeline::Api>> apis(Read const& read, FoundInContracts const& found);

/// The levels of an API's contract and the settings of its operations: `rules` and the levels of
/// the API.
void rules(config::Api const& from, Read const& read, pipeline::Api& api, Problems& problems);
/// Who may call operations by `security` of the contract, and with which scopes, if the API says
/// `security: use`: of those that have no rule for it. After rules().
void security(config::Api const& from, Read const& read, pipeline::Api& api, Problems& problems);
/// What an API tells browsers of other origins; null: nothing. `api`: with its contract if that did
/// load.
std::unique_ptr<pipeline::Cors const> cors(config::Api const& from, pipeline::Api const& api,
                                           Problems& problems);
/// What an API changes of heads; null: nothing. `api`: with its prefixes, and its contract
/// if that did load.
std::unique_ptr<pipeline::EdgeRules const> edge(config::Api const& from, Read const& read,
                                                pipeline::Api const& api, Problems& problems);

/// Whether no other key of the configuration, and no contract, means the fields in which upstreams
/// learn who calls. `apis`: those of `read`, compiled.
void check_caller_fields(Read const& read, std::vector<std::unique_ptr<pipeline::Api>> const& apis,
                         Problems& problems);
/// What is said of credentials without effect, where upstreams know their callers
/// (`authenticate: [upstream]`), or where there are none.
void check_left_credentials(Read const& read,
                            std::vector<std::unique_ptr<pipeline::Api>> const& apis,
                            Problems& problems);
/// These fields, of all APIs and upstreams, and the keys of their assertions.
void caller_fields(config::Config const& config, jose::KeySources& keys,
                   std::vector<std::unique_ptr<pipeline::Api>>& apis, Snapshot& snapshot,
                   Problems& problems);

/// Checks `redact.except`; `redaction`: with all secret names, also those of contracts.
void check_exceptions(config::Config const& config, observe::RedactionList const& redaction,
                      Problems& problems);

/// The permissions of each credential at each API; `apis`: those of `read`, without a contract if
/// it did not load. Secrets of the credentials `before` keep when they were last used.
std::shared_ptr<pipeline::CredentialTable const>
credentials(Read const& read, std::vector<config::Credential> const& credentials,
            std::vector<std::unique_ptr<pipeline::Api>> const& apis, Problems& problems,
            CredentialsBefore const& before = {}, Compared compared = Compared::never);

/// Refuses authenticators by certificate where no listener asks for any.
void check_client_certificates(Read const& read, Problems& problems);
/// Whether entries with certificates say of which listeners these are: where the authorities of
/// listeners differ, each could sign the name of another's caller.
void check_certificate_entries(config::Config const& config,
                               std::vector<config::Credential> const& credentials,
                               Problems& problems);
/// What the authenticators make of their settings of each API: the files that these name are
/// opened, and read anew with each load.
void settings(Read const& read, std::vector<std::unique_ptr<pipeline::Api>> const& apis,
              CarriedOver const& carried_over, Problems& problems);

/// The roles that the settings of authenticators name, for callers that are known only when they
/// come. `roles`: all of the file of credentials.
void roles(Read const& read, std::vector<std::shared_ptr<config::Role const>> const& roles,
           std::vector<std::unique_ptr<pipeline::Api>> const& apis, Problems& problems);

/// Listeners with their certificates and keys.
std::vector<Listener> listeners(config::Config const& config,
                                std::shared_ptr<net::TicketKeys> const& ticket_keys,
                                Problems& problems);

/// Upstreams with their trusted certificates and own credentials. A token whose file cannot be read
/// is an obstacle: it is that of the running snapshot, or null.
std::vector<Upstream> upstreams(config::Config const& config, CarriedOver const& carried_over,
                                Problems& problems, Problems& obstacles);

/// Sorts by place; a contract of two APIs is read twice, and its problems are reported once.
void put_in_order(Problems& problems);

} // namespace compile

} // namespace sallyport::lifecycle

// What credentials may do by a configuration, without what a gateway needs besides: certificates,
// keys, addresses.
#pragma once

#include "config/authenticator.h"
#include "config/config.h"
#include "config/credentials.h"
#include "config/load.h"
#include "config/yaml.h"
#include "gateway/lifecycle/contract_cache.h"
#include "gateway/pipeline/api.h"

#include <memory>
#include <string>
#include <vector>

namespace sallyport::config {
class Tables;
}

namespace sallyport::lifecycle {

struct LoadedPermissions {
    config::Authenticators authenticators;
    config::Config config;
    std::vector<std::unique_ptr<pipeline::Api>> apis; // in the order of the configuration
    std::vector<config::Credential> credentials;
    std::vector<std::shared_ptr<config::Role const>> roles; // all of the file of credentials
    std::shared_ptr<pipeline::CredentialTable const> table; // as a gateway has it
    config::yaml::Problems problems; // by place; with an error nothing else is complete
};

/// Reads the configuration, its contracts, and the file of credentials.
[[nodiscard]] LoadedPermissions load_permissions(std::string const& path,
                                                 config::Tables const& tables);

/// Judges texts of the file of credentials by their configuration and its contracts, without what
/// the configuration says of roles.
class CredentialsJudge {
public:
    /// `read`: with a file of credentials. `contracts`: where they are loaded, to be used again.
    /// `read` and `tables` outlive it.
    CredentialsJudge(config::ReadConfig const& read, config::Tables const& tables,
                     ContractCache& contracts);

    /// What a gateway would find in them, by place.
    [[nodiscard]] config::yaml::Problems problems_of(std::string_view text) const;
    /// The same of a text that was read by the same configuration.
    [[nodiscard]] config::yaml::Problems problems_of(config::ReadCredentials const& read) const;

private:
    config::ReadConfig const* read_;
    config::Tables const* tables_;
    std::vector<std::unique_ptr<pipeline::Api>> apis_;
};

} // namespace sallyport::lifecycle

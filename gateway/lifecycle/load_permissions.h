// What credentials may do by a configuration, without what a gateway needs besides: certificates,
// keys, addresses.
#pragma once

#include "config/authenticator.h"
#include "config/config.h"
#include "config/credentials.h"
#include "config/yaml.h"
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
    std::shared_ptr<pipeline::CredentialTable const> table; // as a gateway has it
    config::yaml::Problems problems; // by place; with an error nothing else is complete
};

/// Reads the configuration, its contracts, and the file of credentials.
[[nodiscard]] LoadedPermissions load_permissions(std::string const& path,
                                                 config::Tables const& tables);

} // namespace sallyport::lifecycle

// Checks a configuration and its contracts without the machine that runs them: with only a
// checkout, as in CI.
#pragma once

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

/// A value of the configuration that needs more than the checkout, and was not checked.
struct NotChecked {
    config::Origin origin;
    std::string what; // "the file tls/server.pem", "${env:TOKEN}"
};

struct CheckedOffline {
    config::Config config;
    std::vector<std::unique_ptr<pipeline::Api>> apis;
    std::vector<config::Credential> credentials;
    /// Whether all of them are known: their file exists, and contains no references.
    bool has_all_credentials = false;
    config::yaml::Problems problems; // by place
    std::vector<NotChecked> not_checked;
};

/// Reads the configuration, its contracts with their overlays and folders of schemas, and the file
/// of credentials if it exists. Opens no other file, and uses neither the environment nor the
/// network; of `${env:...}` and `${file:...}` only the form is checked.
[[nodiscard]] CheckedOffline check_offline(std::string const& path, config::Tables const& tables);

} // namespace sallyport::lifecycle

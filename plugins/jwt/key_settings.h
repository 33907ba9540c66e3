// Where the keys of an issuer come from, in the configuration: `keys` of `jwt`.
#pragma once

#include "config/authenticator.h"
#include "config/settings.h"

#include <chrono>
#include <optional>
#include <string>

namespace sallyport::plugins {

/// One of `file`, `url` and `discovery`.
struct KeySettings {
    std::optional<config::File> file;
    std::string url;       // of a key set
    std::string discovery; // of a document of OpenID Connect Discovery 1.0, which names the key set
    config::Origin url_origin; // of one of these two
    std::optional<config::File> ca;
    config::Duration refresh = std::chrono::minutes{5};
    config::Duration keep = std::chrono::hours{1};

    [[nodiscard]] bool are_fetched() const { return !url.empty() || !discovery.empty(); }
};

[[nodiscard]] config::SectionInfo const& key_info();
void read_keys(config::Reader& reader, config::Value const& value, KeySettings& out);

} // namespace sallyport::plugins

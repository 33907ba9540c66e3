// Part of `check`: warnings that do not prevent a start.
#pragma once

#include "config/authenticator.h"
#include "config/config.h"
#include "config/credentials.h"
#include "config/yaml.h"
#include "gateway/pipeline/api.h"

#include <chrono>
#include <vector>

namespace sallyport::commands {

using Time = std::chrono::system_clock::time_point;

/// Expiry within this time is reported.
inline constexpr std::chrono::hours soon{24 * 30};

/// Credentials that have expired, or will soon.
[[nodiscard]] config::yaml::Problems
warn_of_expiry(std::vector<config::Credential> const& credentials, Time now);

/// Hashes of passwords that are guessed quickly by those who have read them: one warning a kind of
/// hash and file, at the first of them.
[[nodiscard]] config::yaml::Problems
warn_of_hashes(std::vector<config::Credential> const& credentials);

/// Labels by which a contract has rules (`x-when`) and that no caller of the API has, and values of
/// labels that are nearly those of such rules. `apis`: in the order of the configuration.
[[nodiscard]] config::yaml::Problems
warn_of_conditions(config::Config const& config, std::vector<pipeline::Api const*> const& apis,
                   std::vector<config::Credential> const& credentials,
                   config::Authenticators authenticators);

/// Certificates of listeners, those that upstreams are shown, and authorities of upstreams that
/// expire soon. Expired ones of the first two are reported when they are loaded.
[[nodiscard]] config::yaml::Problems warn_of_certificates(config::Config const& config, Time now);

/// APIs that take certificates of callers, where a listener asks for none.
[[nodiscard]] config::yaml::Problems
warn_of_client_certificates(config::Config const& config, config::Authenticators authenticators);

/// Private keys, the files of credentials and htpasswd users, and those of secrets, if users other
/// than the owner and the group can read them, or users other than the owner can change them.
[[nodiscard]] config::yaml::Problems warn_of_files(config::Config const& config,
                                                   std::vector<config::File> const& secret_files);

/// Upstreams that get secrets which this gateway has issued, without having been told so
/// explicitly.
[[nodiscard]] config::yaml::Problems
warn_of_passed_credentials(config::Config const& config, config::Authenticators authenticators);

/// Origins of `cors` that are wider than they probably should be, or not protected by TLS, and
/// fields that browsers do not take as permitted.
[[nodiscard]] config::yaml::Problems warn_of_cors(config::Config const& config,
                                                  config::Authenticators authenticators);

/// What `security` of contracts says otherwise than the configuration, of APIs that do not say
/// whether it counts; and what of it has no effect where it does. `apis`: as above.
[[nodiscard]] config::yaml::Problems warn_of_security(config::Config const& config,
                                                      std::vector<pipeline::Api const*> const& apis,
                                                      config::Authenticators authenticators);

} // namespace sallyport::commands

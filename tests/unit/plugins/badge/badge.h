// An authenticator of the tests with everything that one may add to the configuration: settings of
// an API, an identity in the file of credentials, and values that only it reads.
#pragma once

#include "config/authenticator.h"
#include "gateway/pipeline/plugin.h"

#include <memory>
#include <string_view>

namespace sallyport::plugins::test {

inline constexpr std::string_view badge_name = "badge";

/// Finds the caller by the number in a field of the request, without a secret. The badge needs the
/// clearance that the API requires.
[[nodiscard]] std::unique_ptr<pipeline::Plugin> make_badge(pipeline::Api const& api);

/// Of an API: `badge: { field: x-badge, clearance: 3 }`; `field` is required.
/// Of a credential: `badge: { numbers: ["17"], clearance: 3 }`; `numbers` are unique and required.
[[nodiscard]] config::Authenticator const& badge_settings();

} // namespace sallyport::plugins::test

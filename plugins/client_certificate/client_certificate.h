// Authenticates callers by the certificates with which they connect (RFC 8446, 4.4.2).
#pragma once

#include "gateway/pipeline/plugin.h"

#include <memory>
#include <string>
#include <string_view>

namespace sallyport::plugins {

inline constexpr std::string_view client_certificate_name = "client_certificate";

[[nodiscard]] std::unique_ptr<pipeline::Plugin> make_client_certificate(pipeline::Api const& api);

/// RFC 9110, 11.6.1: a response of 401 needs a challenge. No registered scheme asks for a
/// certificate; clients leave out schemes that they do not know.
[[nodiscard]] std::string client_certificate_challenge(std::string_view realm);

} // namespace sallyport::plugins

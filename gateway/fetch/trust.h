// Whom the gateway trusts when it asks a server itself.
#pragma once

#include "config/types.h"
#include "gateway/net/tls_context.h"

#include <memory>
#include <optional>

namespace sallyport::fetch {

/// What a server's certificate is verified with: the authorities of `ca`, else the system's. Null:
/// there is a problem with it, at `ca` or at the URL.
[[nodiscard]] std::shared_ptr<net::TlsClientContext const>
trust_of(std::optional<config::File> const& ca, config::Origin const& url,
         config::yaml::Problems& problems);

} // namespace sallyport::fetch

// Keys of the configuration about servers that the gateway asks itself, which authenticators share.
#pragma once

#include "config/reader.h"
#include "config/settings.h"
#include "config/types.h"
#include "gateway/net/tls_context.h"

#include <memory>
#include <optional>
#include <string>

namespace sallyport::plugins {

/// A URL that is fetched, as its issuer documents it.
[[nodiscard]] config::Shape url_shape();
/// Nothing: refused. The message does not repeat the text, which may hold a secret by mistake.
[[nodiscard]] std::optional<std::string> read_url(config::Reader& reader,
                                                  config::Value const& value);

/// What a server's certificate is verified with: the authorities of `ca`, else the system's. Null:
/// there is a problem with it, at `ca` or at the URL.
[[nodiscard]] std::shared_ptr<net::TlsClientContext const>
trust_of(std::optional<config::File> const& ca, config::Origin const& url,
         config::yaml::Problems& problems);

} // namespace sallyport::plugins

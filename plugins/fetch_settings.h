// Keys of the configuration about servers that the gateway asks itself, which authenticators share.
#pragma once

#include "config/reader.h"
#include "config/settings.h"

#include <optional>
#include <string>

namespace sallyport::plugins {

/// A URL that is fetched, as its issuer documents it.
[[nodiscard]] config::Shape url_shape();
/// Nothing: refused. The message does not repeat the text, which may hold a secret by mistake.
[[nodiscard]] std::optional<std::string> read_url(config::Reader& reader,
                                                  config::Value const& value);

} // namespace sallyport::plugins

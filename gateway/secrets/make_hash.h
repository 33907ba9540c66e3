// Makes hashes of secrets.
#pragma once

#include "gateway/secrets/stored_hash.h"

#include <optional>
#include <string>
#include <string_view>

namespace sallyport::secrets {

/// A hash that parse_hash() takes, with a new salt; of `apr1` and `sha1` none is made. Nullopt:
/// there is no randomness or no memory, or the secret is longer than longest_secret(kind).
[[nodiscard]] std::optional<std::string> make_hash(Kind kind, std::string_view secret);

} // namespace sallyport::secrets

// Lists of digests of secrets, as identities in the file of credentials have them.
#pragma once

#include "config/credentials.h"
#include "config/reader.h"

#include <optional>
#include <string_view>
#include <vector>

namespace sallyport::config {

/// The digest of `sha256:` and 64 lower-case hexadecimal digits. Nullopt: it is not written so.
[[nodiscard]] std::optional<Sha256> parse_digest(std::string_view text);

/// One or two of `sha256:` and 64 lower-case hexadecimal digits.
[[nodiscard]] Shape digests_shape();

/// Without those that are refused. A plain secret may stand there by mistake: no message repeats
/// any of it.
[[nodiscard]] std::vector<Sha256> read_digests(Reader& reader, Value const& value);

} // namespace sallyport::config

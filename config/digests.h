// Lists of hashes of secrets, as identities in the file of credentials have them.
#pragma once

#include "config/credentials.h"
#include "config/reader.h"

#include <vector>

namespace sallyport::config {

/// One or two of `sha256:` and 64 lower-case hexadecimal digits: of tokens, which are found by
/// their digests.
[[nodiscard]] Shape digests_shape();

/// Without those that are refused. A plain secret may stand there by mistake: no message repeats
/// any of it.
[[nodiscard]] std::vector<secrets::StoredHash> read_digests(Reader& reader, Value const& value);

/// One or two hashes of any kind that a file of credentials may have: of secrets with a key id.
[[nodiscard]] Shape hashes_shape();

/// As read_digests().
[[nodiscard]] std::vector<secrets::StoredHash> read_hashes(Reader& reader, Value const& value);

} // namespace sallyport::config

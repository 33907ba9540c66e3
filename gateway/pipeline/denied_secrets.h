// Secrets that are refused whatever the file of credentials says, by their digests.
#pragma once

#include "gateway/pipeline/sha256.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::pipeline {

/// Immutable. Shared by the workers, each of which uses the list of its Services.
class DeniedSecrets {
public:
    struct Read;
    /// Reads a list: a digest a line (`sha256:` and 64 lower-case hexadecimal digits), blank lines,
    /// and comments that begin with `#`, also behind a digest.
    [[nodiscard]] static Read read(std::string_view text);

    [[nodiscard]] bool contains(Digest const& digest) const noexcept;
    [[nodiscard]] std::size_t size() const noexcept { return digests_.size(); }

private:
    std::vector<Digest> digests_; // sorted
};

struct DeniedSecrets::Read {
    DeniedSecrets list;
    std::size_t wrong_line = 0; // the first that is no digest, from 1; 0: all are right
};

/// Of a list that is read.
inline constexpr std::size_t most_denied_bytes = std::size_t{16} << 20;

} // namespace sallyport::pipeline

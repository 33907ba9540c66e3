// The signature algorithms of tokens.
#include "gateway/jose/algorithm.h"

#include <algorithm>

namespace sallyport::jose {

std::optional<Algorithm> find_algorithm(std::string_view name) noexcept {
    // RFC 9864, 2.2: what EdDSA is with the only curve of it that is verified here.
    if (name == "Ed25519") return Algorithm::eddsa;
    // RFC 7515, 4.1.1: case-sensitive.
    auto const* const found = std::find(algorithm_names.begin(), algorithm_names.end(), name);
    if (found == algorithm_names.end()) return std::nullopt;
    return static_cast<Algorithm>(found - algorithm_names.begin());
}

} // namespace sallyport::jose

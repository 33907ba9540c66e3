// Public keys and certificates in PEM (RFC 7468) for verification.
#pragma once

#include "gateway/jose/key.h"

#include <string>
#include <string_view>
#include <vector>

namespace sallyport::jose {

struct ReadPem {
    std::vector<PublicKey> keys;
    std::string problem; // a sentence that follows the name of the file; empty: there is none
};

/// Whether a text is to be read as PEM: it has a line of it.
[[nodiscard]] bool is_pem(std::string_view text) noexcept;

/// All of a file: PUBLIC KEY and CERTIFICATE, whose dates and issuer do not matter: it is named as
/// the key. A private key in it is a problem, since it does not belong there.
[[nodiscard]] ReadPem read_pem(std::string_view text);

} // namespace sallyport::jose

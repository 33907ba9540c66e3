// SHA-256 for a worker.
#pragma once

#include <openssl/types.h>

#include <array>
#include <cstdint>
#include <string_view>

namespace sallyport::pipeline {

using Digest = std::array<std::uint8_t, 32>;

/// The bytes of a digest, as a key; valid as long as the digest.
[[nodiscard]] inline std::string_view as_text(Digest const& digest) {
    return {reinterpret_cast<char const*>(digest.data()), digest.size()};
}

/// SHA-256 with OpenSSL's algorithm and context fetched once: one per worker.
class Sha256 {
public:
    Sha256();
    ~Sha256();
    Sha256(Sha256 const&) = delete;
    Sha256& operator=(Sha256 const&) = delete;

    Digest operator()(std::string_view bytes);

private:
    EVP_MD* algorithm_;
    EVP_MD_CTX* context_;
};

} // namespace sallyport::pipeline

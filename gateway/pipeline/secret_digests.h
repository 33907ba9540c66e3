// SHA-256 of the secrets that callers send, remembered for those that were right.
#pragma once

#include "gateway/pipeline/sha256.h"

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace sallyport::pipeline {

/// SipHash-2-4 with 16 bytes of output (Aumasson and Bernstein, 2012): a keyed function of short
/// texts, at a tenth of the cost of SHA-256.
using SipKey = std::array<std::uint64_t, 2>;
using SipTag = std::array<std::uint64_t, 2>;
SipTag siphash(SipKey const& key, std::string_view bytes) noexcept;

/// Callers send the same secret with every request. What is remembered is no secret: the tag of the
/// secret under a random key of this process, and its digest, which the configuration holds anyway.
/// A digest depends on nothing but the secret, so that a new configuration changes nothing here. A
/// secret that is somebody's is answered faster than one that is nobody's, whichever key id comes
/// with it: that tells something only to who has it. One per worker.
class SecretDigests {
public:
    SecretDigests();

    /// SHA-256 of `secret`.
    Digest operator()(std::string_view secret);

    /// The secret that was asked for last is somebody's. Only then is it remembered: what strangers
    /// send takes the place of nothing.
    void remember_last() noexcept;

    /// Whether the digest of `secret` is remembered.
    bool knows(std::string_view secret) const noexcept;

private:
    struct Known {
        SipTag tag{};
        Digest digest{};
    };
    // Found by the tag's first bits; a later one takes the place of an earlier one.
    static constexpr std::size_t slots = 1024;
    static std::size_t slot_of(SipTag const& tag) noexcept { return tag[0] % slots; }

    Sha256 sha256_;
    SipKey key_;
    std::vector<Known> known_;
    Known last_;
};

} // namespace sallyport::pipeline

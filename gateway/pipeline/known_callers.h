// A cache of callers whose Authorization field was valid, by a keyed tag of the whole field.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace sallyport::pipeline {

struct Credential;
struct Proof;
class CredentialTable;
class LastUse;

/// SipHash-2-4 with 16 bytes of output (Aumasson and Bernstein, 2012): a keyed function of short
/// texts, at a tenth of the cost of SHA-256.
using SipKey = std::array<std::uint64_t, 2>;
using SipTag = std::array<std::uint64_t, 2>;
/// The tag of `bytes` under `key`.
[[nodiscard]] SipTag siphash(SipKey const& key, std::string_view bytes) noexcept;

/// The same with half of the rounds (SipHash-1-3), for texts of a kilobyte: enough where nobody
/// ever sees a tag, so that one can only be guessed.
[[nodiscard]] SipTag siphash_of_long(SipKey const& key, std::string_view bytes) noexcept;

/// Clients send the same field with every request. An entry contains no secret: the tag of the
/// field under a random key of this process, and its credential. Only valid fields are stored, so
/// that invalid ones cannot evict entries; and an entry is valid only for its table of
/// credentials. The caller must check that the credential has not expired meanwhile. A hit is
/// faster than a miss: that reveals something only to a client that has a valid field. One per
/// worker.
class KnownCallers {
public:
    KnownCallers();

    struct Found {
        Credential const* credential = nullptr; // null: there is no entry
        LastUse* last_use = nullptr;            // of its secret
    };
    /// The credential in `table` for which `authenticator` stored `field`. `authenticator`: the
    /// name in its row, a literal.
    [[nodiscard]] Found find(CredentialTable const& table, std::string_view authenticator,
                             std::string_view field) const noexcept;

    /// Stores that `authenticator` has accepted `field` as `proof`, which is of a valid credential
    /// of `table`.
    void remember(CredentialTable const& table, std::string_view authenticator,
                  std::string_view field, Proof const& proof) noexcept;

    /// Forgets all: for example because some of them are refused from now on.
    void forget() noexcept { known_.assign(slots, {}); }

private:
    struct Known {
        SipTag tag{};
        std::uint64_t table = 0;
        Found found; // invalid after its table was destroyed
        std::string_view authenticator;
    };
    // Indexed by the tag's first bits; a new entry replaces an older one.
    static constexpr std::size_t slots = 1024;
    [[nodiscard]] static std::size_t slot_of(SipTag const& tag) noexcept { return tag[0] % slots; }

    SipKey key_;
    std::vector<Known> known_;
};

} // namespace sallyport::pipeline

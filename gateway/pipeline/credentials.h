// The configured credentials: found by key id or token, compared in constant time.
#pragma once

#include "gateway/pipeline/identity.h"
#include "gateway/pipeline/sha256.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace sallyport::pipeline {

/// What proves an identity. Immutable, owned by the snapshot; digests only, never a secret.
struct Credential {
    Identity identity;               // its key is set by the table
    std::array<Digest, 2> digests{}; // one or two secrets; a single one is stored twice
    std::optional<std::chrono::system_clock::time_point> expires;

    [[nodiscard]] bool is_valid_at(std::chrono::system_clock::time_point now) const {
        return !expires || now < *expires;
    }
};

/// The result of a lookup. An expired credential proves nothing; it is returned for the operator's
/// log only.
struct Proof {
    Credential const* valid = nullptr;
    Credential const* expired = nullptr;
};

/// All credentials of a snapshot.
class CredentialTable {
public:
    CredentialTable();

    /// Stored under its key id, which must be unique.
    void add_basic(std::string key_id, Credential credential);
    /// Stored under each of its digests.
    void add_bearer(std::vector<Digest> const& tokens, Credential credential);

    /// The credential of a key id if `secret` is one of its secrets. Does the same work for an
    /// unknown id as for a wrong secret.
    [[nodiscard]] Proof find_basic(std::string_view key_id, std::string_view secret, Sha256& sha256,
                                   std::chrono::system_clock::time_point now) const;

    /// The credential of a token.
    [[nodiscard]] Proof find_bearer(std::string_view token, Sha256& sha256,
                                    std::chrono::system_clock::time_point now) const;

    /// A random number unique to this table, even if another one is allocated at the same address:
    /// caches use it to recognise their table.
    [[nodiscard]] std::uint64_t identity() const noexcept { return identity_; }

    /// In the order of the file.
    [[nodiscard]] std::vector<std::unique_ptr<Credential const>> const& all() const {
        return credentials_;
    }

private:
    struct DigestHash {
        // The first bytes of a cryptographic digest are a sufficient hash.
        std::size_t operator()(Digest const& digest) const noexcept;
    };
    struct TextHash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const noexcept {
            return std::hash<std::string_view>{}(text);
        }
    };

    std::uint64_t identity_ = 0;
    std::vector<std::unique_ptr<Credential const>> credentials_;
    std::unordered_map<std::string, Credential const*, TextHash, std::equal_to<>> basic_;
    std::unordered_map<Digest, Credential const*, DigestHash> bearer_;
    Credential decoy_; // compared if the id is unknown; its digests are random and match nothing
};

} // namespace sallyport::pipeline

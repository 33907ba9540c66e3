// The credentials of callers: each is found by the keys that its authenticator gave it, and secrets
// are compared in constant time.
#pragma once

#include "config/opaque.h"
#include "gateway/pipeline/identity.h"
#include "gateway/pipeline/sha256.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
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
    std::array<Digest, 2> digests{}; // one or two secrets; a single one stands twice
    std::optional<std::chrono::system_clock::time_point> expires;
    config::Opaque own; // what else its authenticator needs

    [[nodiscard]] bool is_valid_at(std::chrono::system_clock::time_point now) const {
        return !expires || now < *expires;
    }
};

/// What a right secret proves. One that has expired proves nothing to anybody: only the operator is
/// told whose it was.
struct Proof {
    Credential const* valid = nullptr;
    Credential const* expired = nullptr;
};

/// Every credential of a snapshot.
class CredentialTable {
public:
    CredentialTable();

    /// Found by its authenticator under each of the keys.
    void add(std::string_view authenticator, std::vector<std::string> const& keys,
             Credential credential);

    /// The credential with that key if `digest` is that of one of its secrets. The work is the same
    /// for an unknown key as for a wrong secret.
    [[nodiscard]] Proof find(std::string_view authenticator, std::string_view key,
                             Digest const& digest, std::chrono::system_clock::time_point now) const;

    /// The credential with that key: for an authenticator that has proven otherwise that the caller
    /// has it, by a certificate or a signature.
    [[nodiscard]] Proof find(std::string_view authenticator, std::string_view key,
                             std::chrono::system_clock::time_point now) const;

    /// A random number that no other table has, even one at the same address: what is remembered of
    /// a table is known to be of this one.
    [[nodiscard]] std::uint64_t identity() const noexcept { return identity_; }

    /// In the order of the file.
    [[nodiscard]] std::vector<std::unique_ptr<Credential const>> const& all() const {
        return credentials_;
    }

private:
    /// Null: there is none.
    [[nodiscard]] Credential const* look_up(std::string_view authenticator,
                                            std::string_view key) const;

    struct TextHash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const noexcept {
            return std::hash<std::string_view>{}(text);
        }
    };

    std::uint64_t identity_ = 0;
    std::vector<std::unique_ptr<Credential const>> credentials_;
    using ByKey = std::unordered_map<std::string, Credential const*, TextHash, std::equal_to<>>;
    std::map<std::string, ByKey, std::less<>> by_authenticator_;
    Credential
        decoy_; // compared with where no key is known; its digests are random and match nothing
};

} // namespace sallyport::pipeline

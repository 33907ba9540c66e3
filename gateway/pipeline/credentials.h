// The configured credentials: found by the keys of their authenticator, compared in constant time.
#pragma once

#include "config/opaque.h"
#include "config/yaml.h"
#include "gateway/pipeline/auth_failure.h"
#include "gateway/pipeline/identity.h"
#include "gateway/pipeline/last_use.h"
#include "gateway/pipeline/sha256.h"
#include "gateway/secrets/stored_hash.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <memory_resource>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace sallyport::pipeline {

/// What proves an identity. Immutable, owned by the snapshot; digests only, never a secret.
struct Credential {
    Identity identity;                     // its key is set by the table
    std::array<Digest, 2> digests{};       // one or two fast ones; a single one is stored twice
    bool has_digests = true;               // set by the table; false: no secret has these
    std::vector<secrets::StoredHash> slow; // of the others: password_checks.h
    /// Of its secrets in the order of the file, which those with fast and slow hashes share; null:
    /// it has no such secret.
    std::array<std::shared_ptr<LastUse>, 2> last_uses;
    std::array<std::uint8_t, 2> places_of_digests{}; // in last_uses, of each of `digests`
    std::array<std::uint8_t, 2> places_of_slow{};
    std::optional<std::chrono::system_clock::time_point> not_before;
    std::optional<std::chrono::system_clock::time_point> expires;
    bool disabled = false;
    /// Of all else that its entry says, where a reload compares two tables: differs if that does.
    std::uint64_t rest = 0;
    config::Opaque own; // what else its authenticator needs

    /// Whether it is never refused for the time at which it is used.
    [[nodiscard]] bool is_always_valid() const { return !not_before && !expires && !disabled; }
    /// Why it is refused though its secret is right.
    [[nodiscard]] AuthFailure failure_at(std::chrono::system_clock::time_point now) const {
        if (disabled) return AuthFailure::disabled;
        if (not_before && now < *not_before) return AuthFailure::not_yet_valid;
        return expires && now >= *expires ? AuthFailure::expired : AuthFailure::none;
    }
};

/// The result of a lookup. `credential` proves something only if there is no failure; else it is
/// the one that was meant, if it is known, for the operator's log.
struct Proof {
    AuthFailure failure = AuthFailure::unknown;
    Credential const* credential = nullptr;
    std::uint8_t place = 0; // of its secret, in Credential::last_uses

    [[nodiscard]] Credential const* valid() const {
        return failure == AuthFailure::none ? credential : nullptr;
    }
    /// Of the secret of a credential that is valid; null: it is proven without one.
    [[nodiscard]] LastUse* last_use() const { return credential->last_uses[place].get(); }
};

/// What a table with slow hashes has of them.
struct SlowHashes {
    secrets::StoredHash costliest;
    std::size_t most_of_one = 1; // that a credential has at once
};

/// All credentials of a snapshot.
class CredentialTable {
public:
    /// `expected`: about how many credentials will be added.
    explicit CredentialTable(std::size_t expected = 0);

    /// Found by its authenticator under each of the keys, which must be unique.
    Credential const& add(std::string_view authenticator, std::vector<std::string> const& keys,
                          Credential credential);

    /// Lets another authenticator, which proves without secrets that a caller has it, find a
    /// credential of this table.
    void add_keys(std::string_view authenticator, std::vector<std::string> const& keys,
                  Credential const& credential);

    /// The credential with that key if `digest` is that of one of its secrets with a fast hash.
    /// Does the same work for an unknown key as for a wrong secret.
    [[nodiscard]] Proof find(std::string_view authenticator, std::string_view key,
                             Digest const& digest, std::chrono::system_clock::time_point now) const;

    /// The credential with that key: for an authenticator that has proven otherwise that the caller
    /// has it, by a certificate or a signature.
    [[nodiscard]] Proof find(std::string_view authenticator, std::string_view key,
                             std::chrono::system_clock::time_point now) const;

    /// Null: every secret has a fast hash.
    [[nodiscard]] SlowHashes const* slow() const noexcept { return slow_ ? &*slow_ : nullptr; }

    /// A random number unique to this table, even if another one is allocated at the same address:
    /// caches use it to recognise their table.
    [[nodiscard]] std::uint64_t identity() const noexcept { return identity_; }

    /// In the order of the file.
    [[nodiscard]] std::vector<std::unique_ptr<Credential const>> const& all() const {
        return credentials_;
    }

private:
    /// Null: there is none.
    [[nodiscard]] Credential const* look_up(std::string_view authenticator,
                                            std::string_view key) const;
    void note(std::vector<secrets::StoredHash> const& slow);

    struct TextHash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const noexcept {
            return std::hash<std::string_view>{}(text);
        }
    };

    std::uint64_t identity_ = 0;
    std::size_t expected_;
    std::vector<std::unique_ptr<Credential const>> credentials_;
    /// Of the keys and what finds them: many and small, and given back as a whole.
    std::pmr::monotonic_buffer_resource memory_;
    using ByKey =
        std::pmr::unordered_map<std::string_view, Credential const*, TextHash, std::equal_to<>>;
    std::map<std::string, ByKey, std::less<>> by_authenticator_;
    std::optional<SlowHashes> slow_;
    Credential decoy_; // compared if the key is unknown; its digests are random and match nothing
};

} // namespace sallyport::pipeline

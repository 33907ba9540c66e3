// The keys of an issuer: a JWK Set (RFC 7517, 5), one JWK, or PEM.
#pragma once

#include "gateway/jose/key.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::jose {

/// Of a set, as a file or a response has it.
inline constexpr std::size_t longest_key_set = std::size_t{256} * 1024;
inline constexpr std::size_t most_keys = 64;
/// A token without `kid` is tried with so many keys of its algorithm, and no more.
inline constexpr std::size_t most_tries = 4;

/// Immutable: threads may share it.
class KeySet {
public:
    explicit KeySet(std::vector<Key> keys) : keys_{std::move(keys)} {}

    /// The keys with which a token may be signed: of its algorithm, and with its `kid`; where no
    /// key has that, those without any (as in PEM). A token without `kid` fits every key. At most
    /// most_tries.
    struct Candidates {
        std::array<Key const*, most_tries> keys{};
        std::size_t count = 0;
    };
    [[nodiscard]] Candidates find(Algorithm algorithm,
                                  std::optional<std::string_view> kid) const noexcept;

    /// Whether a key has this `kid`, of whatever algorithm.
    [[nodiscard]] bool has(std::string_view kid) const noexcept;

    [[nodiscard]] std::vector<Key> const& all() const noexcept { return keys_; }

private:
    std::vector<Key> keys_;
};

struct ReadKeySet {
    std::shared_ptr<KeySet const> keys; // null: it cannot be used
    /// Why not, as sentences that follow the name of the file. None of them repeats any of its
    /// content, which may be secret, but the number of a key.
    std::vector<std::string> problems;
    /// In the same way, keys that are left out: those for something else, and those that are not
    /// understood.
    std::vector<std::string> ignored;
    std::vector<std::string> not_understood;
};

/// Whose set it is. A file is the operator's, who can mend it: an unusable key refuses it. A set
/// that was fetched is the issuer's: an unusable key is left out (RFC 7517, 5), because it would
/// take away those that tokens are signed with.
enum class KeySetOrigin : std::uint8_t { file, fetched };

/// `algorithms`: not empty. A set has at least one key that can be used (or it is a file that is
/// blank, or whose `keys` are empty: then nothing is verified), and no key for two algorithms; two
/// keys of one algorithm have different `kid`s. Whatever its origin, it has no private key.
[[nodiscard]] ReadKeySet read_key_set(std::string_view text, std::span<Algorithm const> algorithms,
                                      KeySetOrigin origin = KeySetOrigin::file);

} // namespace sallyport::jose

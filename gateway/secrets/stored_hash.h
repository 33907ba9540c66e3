// The hash of a secret as files have it: its kind, its parameters within bounds, and what it costs
// to verify a secret against it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace sallyport::secrets {

using Sha256 = std::array<std::uint8_t, 32>;

enum class Kind : std::uint8_t {
    sha256, // fast: for generated secrets
    /// Slow: for passwords.
    argon2id,     // RFC 9106
    bcrypt,       // $2a$, $2b$, $2y$
    yescrypt,     // $y$
    sha512_crypt, // $6$
    /// Of htpasswd files only: too fast for passwords.
    apr1,
    sha1,
};

/// A word for messages: `argon2id`, `$6$`.
[[nodiscard]] std::string_view to_string(Kind kind);

/// Whether passwords are guessed quickly by those who have read the file: `apr1`, `{SHA}`, and
/// slow hashes with parameters below the least ones of stored_hash.cpp. For warnings.
enum class Strength : std::uint8_t { enough, little };

/// Immutable. Nothing prints it: text() is for the code that verifies.
class StoredHash {
public:
    /// Of the digest of a generated secret.
    explicit StoredHash(Sha256 const& digest) : fingerprint_{digest} {}

    [[nodiscard]] Kind kind() const noexcept { return kind_; }
    /// The digest of the secret itself; null: it is a slow hash.
    [[nodiscard]] Sha256 const* sha256() const noexcept {
        return kind_ == Kind::sha256 ? &fingerprint_ : nullptr;
    }
    /// Of a fast hash its digest, of another one that of its text: equal for equal hashes only.
    [[nodiscard]] Sha256 const& fingerprint() const noexcept { return fingerprint_; }
    /// As it stands in a file.
    [[nodiscard]] std::string text() const;
    /// About how many microseconds of a processor a verification takes: for comparing two of them.
    [[nodiscard]] std::uint64_t cost() const noexcept { return cost_; }
    [[nodiscard]] Strength strength() const noexcept { return strength_; }

    friend bool operator==(StoredHash const& one, StoredHash const& other) noexcept {
        return one.kind_ == other.kind_ && one.fingerprint_ == other.fingerprint_;
    }

private:
    friend struct HashParser;
    StoredHash() = default;

    Kind kind_ = Kind::sha256;
    Strength strength_ = Strength::enough;
    std::uint64_t cost_ = 1;
    Sha256 fingerprint_{};
    std::string text_; // empty: a fast hash
};

/// The file that has a hash.
enum class From : std::uint8_t { credentials, htpasswd };

/// What is wrong with a hash, and what to write: nothing of the hash itself, which may be a plain
/// secret by mistake.
struct HashProblem {
    std::string what;
    std::string hint;
};

struct ParsedHash {
    std::optional<StoredHash> hash;
    HashProblem problem; // without a hash
};

/// Refuses hashes whose verification would take more than about two seconds of a processor or
/// 256 MiB.
[[nodiscard]] ParsedHash parse_hash(std::string_view text, From from);

/// Of `sha256:` and 64 lower-case hexadecimal digits.
[[nodiscard]] std::optional<Sha256> parse_sha256(std::string_view text);

/// A longer text is no hash.
inline constexpr std::size_t longest_hash = 1024;

/// For those who write hashes: a regular expression (of ECMA-262 and RE2) for what a file of
/// credentials may have, bounds of parameters left out.
inline constexpr std::string_view hash_pattern =
    R"(^(?:sha256:[0-9a-f]{64}|\$(?:argon2id\$v=19\$m=[1-9][0-9]*,t=[1-9][0-9]*,p=[1-9][0-9]*)"
    R"(\$[A-Za-z0-9+/]+\$[A-Za-z0-9+/]+|2[aby]\$[0-3][0-9]\$[./A-Za-z0-9]{53})"
    R"(|y\$[./A-Za-z0-9]+\$[./A-Za-z0-9]+\$[./A-Za-z0-9]{43})"
    R"(|6\$(?:rounds=[1-9][0-9]*\$)?[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{86}))$)";

// --- for verification

/// The parts of an argon2id hash in the form of the PHC string format.
struct Argon2id {
    std::uint32_t memory = 0; // KiB
    std::uint32_t passes = 0;
    std::uint32_t lanes = 0;
    std::string salt;
    std::string hash;
};
/// Nullopt: it is not written so. Bounds are not looked at.
[[nodiscard]] std::optional<Argon2id> parse_argon2id(std::string_view text);

/// RFC 4648, 4, `text` without padding and in its only spelling. Nullopt: it is not.
[[nodiscard]] std::optional<std::string> decode_base64(std::string_view text);

} // namespace sallyport::secrets

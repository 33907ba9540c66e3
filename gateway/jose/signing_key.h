// Keys with which the gateway signs tokens of its own (ES256), and how one follows another.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct evp_pkey_st;

namespace sallyport::jose {

/// A private key on the curve P-256. Immutable; any thread.
class SigningKey {
public:
    struct Loaded {
        std::shared_ptr<SigningKey const> key; // null: there is a problem
        std::string problem;                   // nothing of the text
    };
    /// Of a PEM text (PKCS #8 or SEC 1) without a pass phrase, which the caller wipes.
    [[nodiscard]] static Loaded load(std::string_view pem);
    /// A new one. Throws std::runtime_error if OpenSSL makes none.
    [[nodiscard]] static std::shared_ptr<SigningKey const> make();

    /// The thumbprint of the public key (RFC 7638): the same for the same key.
    [[nodiscard]] std::string const& id() const noexcept { return id_; }
    /// The public key as a member of a set: a JSON object (RFC 7517, 4; RFC 7518, 6.2).
    [[nodiscard]] std::string const& public_jwk() const noexcept { return jwk_; }
    /// A JWS of the payload, in the compact serialization (RFC 7515, 3.1). Empty: OpenSSL failed.
    [[nodiscard]] std::string sign(std::string_view payload) const;

private:
    struct Delete {
        void operator()(evp_pkey_st* key) const noexcept;
    };
    using Pointer = std::unique_ptr<evp_pkey_st, Delete>;

    explicit SigningKey(Pointer key);

    Pointer key_;
    std::string id_;
    std::string jwk_;
    std::string header_; // the encoded first part of each JWS, with its full stop
};

/// The keys of one source, one after the other: a new one is published before it signs, an old one
/// until its last token has expired. Any thread; a token takes the lock for the copy of a pointer.
class SigningKeys {
public:
    using Time = std::chrono::steady_clock::time_point;
    using Key = std::shared_ptr<SigningKey const>;

    struct Settings {
        std::chrono::milliseconds lifetime{60'000};       // of tokens, at most
        std::chrono::milliseconds publish_ahead{300'000}; // before a key signs
        /// After which another key is made; none: keys come from a file.
        std::optional<std::chrono::milliseconds> rotate_every = {};
    };

    /// Takes the settings of a configuration, and its key: a key that is new here signs once it was
    /// published for long enough, the first one at once. Without a key one is made.
    /// Whether the key was new.
    bool adopt(Settings const& settings, Key key, Time now);
    /// No configuration has it any more: its keys are published until their tokens have expired.
    void retire(Time now);

    /// The one that was published last; null: nothing was adopted.
    [[nodiscard]] Key newest();
    /// The key that signs now; null: nothing was adopted.
    [[nodiscard]] Key current(Time now);
    /// Those that are published now, the one that signs first.
    [[nodiscard]] std::vector<Key> published(Time now);

private:
    struct Waiting {
        Key key;
        Time signs_from;
    };
    struct Retired {
        Key key;
        Time until;
    };
    void advance(Time now);
    void replace(Key key, Time now);

    std::mutex lock_;
    Settings settings_;
    Key current_;
    Time signs_since_{};
    std::optional<Waiting> next_;
    std::vector<Retired> retired_;
    std::optional<Time> ends_; // of its publication, once it is retired
};

/// The keys of all sources of a process, which outlive configurations. Any thread.
class KeySources {
public:
    /// Of this file; empty: the gateway's own. It is made at the first call.
    [[nodiscard]] std::shared_ptr<SigningKeys> of(std::string const& file);
    /// Retires all but these.
    void keep_only(std::vector<std::shared_ptr<SigningKeys>> const& used, SigningKeys::Time now);
    /// A JWK Set of all that are published (RFC 7517, 5).
    [[nodiscard]] std::string key_set(SigningKeys::Time now) const;

private:
    mutable std::mutex lock_;
    std::map<std::string, std::shared_ptr<SigningKeys>> sources_;
};

} // namespace sallyport::jose

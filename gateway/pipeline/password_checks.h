// Verifies passwords against slow hashes, and signatures by costly keys, on a bounded number of
// threads beside the loops, and remembers the passwords that were right.
#pragma once

#include "config/types.h"
#include "gateway/net/holders.h"
#include "gateway/net/loop.h"
#include "gateway/pipeline/sha256.h"
#include "gateway/secrets/stored_hash.h"
#include "gateway/secrets/verify.h"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

namespace sallyport::pipeline {

/// A set of digests that are distributed evenly.
struct DigestHash {
    std::size_t operator()(Digest const& digest) const noexcept {
        std::size_t out = 0;
        std::memcpy(&out, digest.data(), sizeof out);
        return out;
    }
};

/// The tags of passwords that were right, as many as `most` at most: those used last. Not for
/// several threads.
class RecentTags {
public:
    explicit RecentTags(std::size_t most) : half_{most / 2} {}

    [[nodiscard]] bool has(Digest const& tag);
    void add(Digest const& tag);
    [[nodiscard]] std::size_t size() const noexcept { return young_.size() + old_.size(); }
    /// All of them, those used last at the end.
    [[nodiscard]] std::vector<Digest> all() const;

private:
    using Tags = std::unordered_set<Digest, DigestHash>;

    /// Once the young ones are half of all, they are the old ones; who is used becomes young.
    std::size_t half_;
    Tags young_;
    Tags old_;
};

/// What a request presents, to be verified.
struct PasswordQuestion {
    struct Hash {
        secrets::StoredHash hash;
        Digest tag; // PasswordChecks::tag_of()
    };
    std::vector<Hash> hashes; // any of which may be right; none: the key id is unknown
    /// Verified besides, whatever comes of it: so that wrong secrets cost the same work.
    std::vector<secrets::StoredHash> decoys;
    /// Whether one that is right ends the work: not where it is refused all the same, so that the
    /// time does not tell that it is right.
    bool ends_at_right = true;
    config::Secret secret;
    Digest key{}; // PasswordChecks::key_of()
};

/// A token whose signature takes a worker too long. `verifies` is called on another thread: it owns
/// what it needs.
struct SignatureQuestion {
    std::function<bool()> verifies;
    Digest key{}; // of the token and of what verifies it
};

enum class PasswordResult : std::uint8_t {
    right,
    wrong,
    failed,     // it could not be computed: there is no memory
    queue_full, // not verified: too many others wait
    too_slow,   // not verified in time
};

/// One for all workers; outlives their loops. Threads are started when they are first needed. No
/// secret is kept: of one that was right a tag under a random key of this process, which a changed
/// hash does not have. The time and the order of the requests that wait do not depend on whether
/// they are right. Addresses are served in turn, however much one of them asks.
class PasswordChecks {
public:
    struct Limits {
        std::uint32_t threads = 1;
        std::uint32_t queue = 1;               // questions that wait for a thread
        std::chrono::milliseconds time{1'000}; // of a request
    };
    using Verify = std::function<secrets::Verified(secrets::StoredHash const&, std::string_view)>;

    /// So many right passwords are remembered: 64 bytes each.
    static constexpr std::size_t most_remembered = 65'536;

    explicit PasswordChecks(Limits const& limits, Verify verify = secrets::verify,
                            std::size_t most = most_remembered);
    ~PasswordChecks() { stop(); }
    PasswordChecks(PasswordChecks const&) = delete;
    PasswordChecks& operator=(PasswordChecks const&) = delete;

    /// Any thread. What waits already is verified.
    void set(Limits const& limits);

    /// What is remembered, and the key of the tags, for a process that goes on with it. With them a
    /// password can be guessed as fast as SHA-256 is computed: they leave this process for that one
    /// alone.
    [[nodiscard]] std::vector<Digest> pack() const;
    /// Before any other use: goes on with that.
    void unpack(std::vector<Digest> const& packed);

    /// The tag of a secret, by its digest, at a hash.
    [[nodiscard]] Digest tag_of(secrets::StoredHash const& hash, Digest const& secret,
                                Sha256& sha256) const;
    /// Of all that makes two questions the same: the key id, the secret, the hashes.
    [[nodiscard]] Digest key_of(std::string_view key_id, Digest const& secret,
                                PasswordQuestion const& question, Sha256& sha256) const;
    /// Any thread: whether that secret was right at that hash before.
    [[nodiscard]] bool is_remembered(Digest const& tag);

    using Question = std::variant<PasswordQuestion, SignatureQuestion>;
    /// On the thread of `loop`, for a client at the address `from`. The same question of several
    /// requests, on whatever loops, is verified once. In a full queue the last one of the address
    /// with most of them loses its place to one of an address with fewer.
    net::Task<PasswordResult> check(net::Loop& loop, net::OwnerKey from, Question question);

    /// Any thread.
    [[nodiscard]] std::uint32_t queue_limit() const;
    /// Any thread: how many seconds until those that wait now are verified; at least one.
    [[nodiscard]] std::uint64_t seconds_until_room() const;

    struct Numbers {
        std::size_t waiting = 0;    // for a thread: passwords and signatures
        std::size_t remembered = 0; // right ones
        std::uint64_t right = 0;    // that were verified, since the start
        std::uint64_t wrong = 0;
        std::uint64_t failed = 0;
        std::uint64_t known = 0;         // that needed no verification: they were remembered
        std::uint64_t refused = 0;       // queue_full
        std::uint64_t too_slow = 0;      // too_slow
        std::chrono::nanoseconds busy{}; // of the threads together
    };
    /// Any thread.
    [[nodiscard]] Numbers numbers() const;

    /// Drops what waits, and waits for what runs: about two seconds at most. No loop is used
    /// afterwards. Before the loops are destroyed.
    void stop();

private:
    struct Reply;
    struct Waiting;
    struct Flight : net::Queued {
        Digest key{};
        Question question;
        std::vector<std::shared_ptr<Reply>> waiting;
        net::Holder* holder = nullptr; // not null: it runs
    };
    enum class Joined : std::uint8_t { yes, queue_full };

    Joined join(net::OwnerKey from, Question& question, std::shared_ptr<Reply> const& reply);
    bool make_room_for(net::Holder const& holder);
    void leave(Digest const& key, std::shared_ptr<Reply> const& reply) noexcept;
    void start_threads();
    void work(std::uint32_t number);
    std::shared_ptr<Flight> begin_next();
    [[nodiscard]] PasswordResult answer(Question const& question,
                                        std::unique_lock<std::mutex>& lock);
    [[nodiscard]] PasswordResult verify_all(PasswordQuestion const& question,
                                            std::unique_lock<std::mutex>& lock);
    void finish(Flight& flight, PasswordResult result);

    Verify const verify_;
    Digest key_{}; // random
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    Limits limits_;
    // By address. The threads are the limit of what runs, not this.
    net::Holders holders_{{SIZE_MAX, SIZE_MAX}};
    std::unordered_map<Digest, std::shared_ptr<Flight>, DigestHash> flights_;
    RecentTags remembered_;
    Numbers numbers_;
    std::vector<std::thread> threads_;
    bool ended_ = false;
};

} // namespace sallyport::pipeline

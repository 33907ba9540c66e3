// Counts the places that owners hold of those that all need, and queues what waits for one: a queue
// for each owner, served in turn.
#pragma once

#include "gateway/net/list_link.h"
#include "gateway/net/shares.h"

#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace sallyport::net {

class Holders;
struct Holder;

/// The number of a caller or of an address: random, so that no client can choose that of another.
using OwnerKey = std::uint64_t;

/// What waits; leaves the queue when it is served or destroyed.
class Queued : private ListLink {
public:
    Queued() = default;
    ~Queued() { leave(); }
    Queued(Queued const&) = delete;
    Queued& operator=(Queued const&) = delete;

    /// Appends this to the holder's queue.
    void join(Holders& holders, Holder& holder) noexcept;
    /// Removes this from its queue; no effect outside of one.
    void leave() noexcept;

private:
    friend class Holders;
    Holders* holders_ = nullptr; // null: not in a queue
    Holder* holder_ = nullptr;
};

/// An owner. Linked into the round of turns while its queue is not empty.
struct Holder : private ListLink {
    std::size_t held = 0; // places
    std::size_t waiting = 0;

private:
    friend class Queued;
    friend class Holders;
    ListLink line_;
};

/// Decisions only: of connections, threads, requests to an issuer, or whatever has places. Not for
/// several threads. The caller gives each place that becomes free to next(), so that what waits is
/// never entitled to one that is free.
class Holders {
public:
    explicit Holders(Shares const& shares) : shares_{shares} {}

    /// Finds or adds the entry of an owner; it stays as long as it holds places or waits.
    Holder& of(OwnerKey owner);

    /// Counts a place for the holder.
    void take(Holder& holder) noexcept {
        ++holder.held;
        ++in_use_;
    }
    /// Ends the count of a place.
    void give_back(Holder& holder) noexcept {
        --holder.held;
        --in_use_;
    }

    [[nodiscard]] bool has_its_share(Holder const& holder) const noexcept {
        return holder.held >= shares_.share;
    }
    /// Whether the holder may take a place now.
    [[nodiscard]] bool is_entitled(Holder const& holder) const noexcept {
        return shares_.grants(in_use_, holder.held);
    }
    /// What is served next if a place is free: of the owners in turn the first that is within its
    /// share, else the first. Null: none waits, or none is entitled to it.
    [[nodiscard]] Queued* next() const noexcept;
    /// Removes `next` from its queue and counts a place for its owner, which moves to the end of
    /// the round. Returns that owner.
    Holder& serve(Queued& next) noexcept;
    /// Where a queue is full, what has to leave it for one more of `holder`: the last of the
    /// longest queue. Null: the holder's own would be as long.
    [[nodiscard]] Queued* displaced_by(Holder const& holder) const noexcept;

    void set(Shares const& shares) noexcept { shares_ = shares; }
    [[nodiscard]] std::size_t in_use() const noexcept { return in_use_; }
    [[nodiscard]] std::size_t waiting() const noexcept { return waiting_; }
    [[nodiscard]] std::size_t known() const noexcept { return known_.size(); }

private:
    friend class Queued;
    void forget_idle() noexcept;

    // Up to this many entries of inactive owners are kept, so that one that returns needs no
    // allocation.
    static constexpr std::size_t least_kept = 1024;

    Shares shares_;
    std::size_t most_known_ = least_kept;
    std::size_t in_use_ = 0;
    std::size_t waiting_ = 0;
    std::unordered_map<OwnerKey, Holder> known_;
    ListLink turns_;
};

} // namespace sallyport::net

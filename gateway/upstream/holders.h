// Counts the connections of a pool per caller, and queues the waiting exchanges: a queue for each
// caller, served in turn.
#pragma once

#include "gateway/net/list_link.h"
#include "gateway/pipeline/caller.h"

#include <cstddef>
#include <unordered_map>

namespace sallyport::upstream {

class Holders;
struct Holder;

/// A waiting exchange; leaves the queue when it is served or destroyed.
class Queued : private net::ListLink {
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

/// A caller of a pool. Linked into the round of turns while its queue is not empty and it may hold
/// more.
struct Holder : private net::ListLink {
    std::size_t held = 0; // connections in use or being opened
    std::size_t waiting = 0;

private:
    friend class Queued;
    friend class Holders;
    net::ListLink line_;
};

/// Decisions only. One per pool, on its thread.
class Holders {
public:
    /// `share`: the most connections that one caller may hold.
    explicit Holders(std::size_t share) : share_{share} {}

    /// Finds or adds the entry of a caller; it stays as long as it holds connections or waits.
    Holder& of(pipeline::CallerKey caller);

    /// Counts a connection for the holder.
    void take(Holder& holder) noexcept { ++holder.held; }
    /// Ends the count of a connection.
    void give_back(Holder& holder) noexcept {
        --holder.held;
        if (holder.waiting != 0) give_turn(holder);
    }

    [[nodiscard]] bool has_its_share(Holder const& holder) const noexcept {
        return holder.held >= share_;
    }
    /// Whether a waiting exchange is entitled to a connection that is free now.
    [[nodiscard]] bool has_next() const noexcept { return turns_.is_linked(); }
    /// The first in the queue of the caller whose turn it is. Requires has_next().
    [[nodiscard]] Queued& next() const noexcept;
    /// Removes the next exchange from its queue and counts a connection for its caller, which moves
    /// to the end of the round. Returns that caller.
    Holder& serve_next() noexcept;

    [[nodiscard]] std::size_t waiting() const noexcept { return waiting_; }
    [[nodiscard]] std::size_t known() const noexcept { return known_.size(); }

private:
    friend class Queued;
    [[nodiscard]] Holder& next_holder() const noexcept {
        return static_cast<Holder&>(*turns_.next);
    }
    void give_turn(Holder& holder) noexcept;
    void forget_idle() noexcept;

    // Up to this many entries of inactive callers are kept, so that a caller that returns needs no
    // allocation.
    static constexpr std::size_t least_kept = 1024;

    std::size_t share_;
    std::size_t most_known_ = least_kept;
    std::size_t waiting_ = 0;
    std::unordered_map<pipeline::CallerKey, Holder> known_;
    net::ListLink turns_;
};

} // namespace sallyport::upstream

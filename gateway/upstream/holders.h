// Who uses how many connections of a pool, and who waits for one: a line for each caller, served in
// turn.
#pragma once

#include "gateway/net/list_link.h"
#include "gateway/pipeline/caller.h"

#include <cstddef>
#include <unordered_map>

namespace sallyport::upstream {

class Holders;
struct Holder;

/// What waits; whoever is served or gives up leaves the line at once.
class InLine : private net::ListLink {
public:
    InLine() = default;
    ~InLine() { leave(); }
    InLine(InLine const&) = delete;
    InLine& operator=(InLine const&) = delete;

    void join(Holders& holders, Holder& holder) noexcept;
    void leave() noexcept;

private:
    friend class Holders;
    Holders* holders_ = nullptr; // null: not in line
    Holder* holder_ = nullptr;
};

/// A caller, as a pool sees it. It hangs among those whose turn comes while it has a line and may
/// hold more.
struct Holder : private net::ListLink {
    std::size_t held = 0; // connections in use or being made
    std::size_t waiting = 0;

private:
    friend class InLine;
    friend class Holders;
    net::ListLink line_;
};

/// Decides, and does nothing. One of each pool, on its thread.
class Holders {
public:
    /// `share`: connections that one caller may hold.
    explicit Holders(std::size_t share) : share_{share} {}

    /// Found or made; stays as long as it holds something or waits.
    Holder& of(pipeline::CallerKey caller);

    void take(Holder& holder) noexcept { ++holder.held; }
    void give_back(Holder& holder) noexcept {
        --holder.held;
        if (holder.waiting != 0) give_turn(holder);
    }

    [[nodiscard]] bool has_its_share(Holder const& holder) const noexcept {
        return holder.held >= share_;
    }
    /// Whether a connection that is free now is somebody's who waits.
    [[nodiscard]] bool is_anybody_next() const noexcept { return turns_.is_linked(); }
    /// The first in line of the caller whose turn it is. Requires is_anybody_next().
    [[nodiscard]] InLine& next() const noexcept;
    /// The next one leaves its line and holds a connection from here on; its caller goes behind the
    /// others. It is the result.
    Holder& serve_next() noexcept;

    [[nodiscard]] std::size_t waiting() const noexcept { return waiting_; }
    [[nodiscard]] std::size_t known() const noexcept { return known_.size(); }

private:
    friend class InLine;
    [[nodiscard]] Holder& next_holder() const noexcept {
        return static_cast<Holder&>(*turns_.next);
    }
    void give_turn(Holder& holder) noexcept;
    void forget_idle() noexcept;

    // Callers that have come and gone are remembered up to here, so that one that asks again and
    // again allocates nothing.
    static constexpr std::size_t least_kept = 1024;

    std::size_t share_;
    std::size_t most_known_ = least_kept;
    std::size_t waiting_ = 0;
    std::unordered_map<pipeline::CallerKey, Holder> known_;
    net::ListLink turns_;
};

} // namespace sallyport::upstream

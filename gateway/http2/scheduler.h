// Which stream sends next (RFC 9218, 10).
#pragma once

#include "gateway/http2/urgency.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace sallyport::http2 {

class Scheduler;

/// A member of each stream: its place among those that wait to send.
class SendTurn {
public:
    explicit SendTurn(std::uint32_t stream) noexcept : stream_{stream} {}
    ~SendTurn();
    SendTurn(SendTurn const&) = delete;
    SendTurn& operator=(SendTurn const&) = delete;

    [[nodiscard]] std::uint32_t stream() const noexcept { return stream_; }
    [[nodiscard]] Urgency urgency() const noexcept { return urgency_; }
    [[nodiscard]] bool is_waiting() const noexcept { return scheduler_ != nullptr; }

private:
    friend class Scheduler;

    std::uint32_t stream_;
    Urgency urgency_;
    Scheduler* scheduler_ = nullptr; // null: it does not wait
    SendTurn* previous_ = nullptr;
    SendTurn* next_ = nullptr;
};

/// Whether `one` would send before `other` if both waited, whatever has been sent.
[[nodiscard]] bool goes_before(SendTurn const& one, SendTurn const& other) noexcept;

/// The streams of one connection that have something to send and a window for it. A lower level
/// goes first, always. In one level those that are not incremental go one after the other in the
/// order of their ids, those that are incremental take turns; where there are both, the two kinds
/// take turns, so that neither waits for the other's end.
class Scheduler {
public:
    Scheduler() = default;
    ~Scheduler();
    Scheduler(Scheduler const&) = delete;
    Scheduler& operator=(Scheduler const&) = delete;

    /// No effect on one that waits already.
    void add(SendTurn& turn) noexcept;
    void remove(SendTurn& turn) noexcept;
    /// Also while it waits.
    void change(SendTurn& turn, Urgency urgency) noexcept;

    [[nodiscard]] bool is_empty() const noexcept { return count_ == 0; }
    /// The one that may send a frame now; null if none waits.
    [[nodiscard]] SendTurn* first() const noexcept;
    /// `turn`, which was first(), has sent a frame.
    void has_sent(SendTurn& turn) noexcept;

private:
    struct List {
        SendTurn* first = nullptr;
        SendTurn* last = nullptr;

        void insert_before(SendTurn* next, SendTurn& turn) noexcept;
        void remove(SendTurn& turn) noexcept;
    };
    struct Level {
        List in_order;    // of ids
        List incremental; // the one that has waited longest is first
        bool incremental_is_next = false;
    };

    List& list_of(SendTurn const& turn) noexcept;

    std::array<Level, Urgency::levels> levels_;
    std::size_t count_ = 0;
};

inline SendTurn::~SendTurn() {
    if (scheduler_ != nullptr) scheduler_->remove(*this);
}

} // namespace sallyport::http2

// Many clients at once, on one thread: each sends its bytes, as fast or as slowly as configured,
// and reads or not.
#pragma once

#include "tests/support/descriptor.h"
#include "tests/support/time_limit.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::test {

enum class Reads : bool { no, yes };

/// Plain connections: these tests concern the layers above TLS.
class Crowd {
public:
    struct Member {
        Descriptor socket;
        std::string to_send;
        std::string received;
        std::size_t received_size = 0; // of all bytes, kept or not
        bool ended = false;            // by the gateway
    };

    /// Connects at once; a failed connection is a member that has ended.
    Crowd(std::uint16_t port, std::size_t size, Reads reads = Reads::yes);

    /// Queues bytes for each to send; at most `piece` bytes per turn.
    void queue(std::string_view bytes, std::size_t piece = std::string_view::npos);
    /// Sends and reads until `is_done` (checked after every turn), or until the time limit: then
    /// false. A turn lasts at least `pace`.
    bool run_until(std::function<bool()> const& is_done, TimeLimit limit,
                   std::chrono::milliseconds pace = std::chrono::milliseconds{0});

    [[nodiscard]] std::size_t size() const { return members_.size(); }
    [[nodiscard]] std::size_t ended() const;
    /// How many have sent all queued bytes.
    [[nodiscard]] std::size_t sent_all() const;
    /// How many have received a response that begins with these bytes.
    [[nodiscard]] std::size_t received(std::string_view begin) const;
    [[nodiscard]] std::vector<Member> const& members() const { return members_; }
    void close() { members_.clear(); }

private:
    void take_turn(std::chrono::milliseconds pace);
    void send_some(Member& member) const;
    void read_some(Member& member) const;

    std::vector<Member> members_;
    std::size_t piece_ = std::string_view::npos;
    Reads reads_;
};

} // namespace sallyport::test

// One poll(2) over all connections per turn.
#include "tests/hostile/crowd.h"

#include "tests/support/channel.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <stdexcept>

namespace sallyport::test {

namespace {

// Of the received bytes a member keeps the first ones.
constexpr std::size_t most_kept = 64UL * 1024;

} // namespace

Crowd::Crowd(std::uint16_t port, std::size_t size, Reads reads) : members_(size), reads_(reads) {
    auto const buffer = reads == Reads::yes ? ReceiveBuffer::normal : ReceiveBuffer::tiny;
    for (auto& member : members_) {
        try {
            member.socket = connect_tcp(port, buffer);
        } catch (std::runtime_error const&) {
            member.ended = true;
            continue;
        }
        ::fcntl(member.socket.get(), F_SETFL, O_NONBLOCK);
    }
}

void Crowd::queue(std::string_view bytes, std::size_t piece) {
    piece_ = piece;
    for (auto& member : members_)
        member.to_send += bytes;
}

void Crowd::send_some(Member& member) const {
    auto const size = std::min(piece_, member.to_send.size());
    auto const sent = ::send(member.socket.get(), member.to_send.data(), size, MSG_NOSIGNAL);
    if (sent > 0)
        member.to_send.erase(0, static_cast<std::size_t>(sent));
    else if (sent < 0 && errno != EAGAIN)
        member.to_send.clear(); // the peer has closed; received bytes are still read
}

void Crowd::read_some(Member& member) const {
    static thread_local std::array<char, 65536> bytes;
    auto const got = ::recv(member.socket.get(), bytes.data(), bytes.size(), 0);
    if (got > 0) {
        auto const size = static_cast<std::size_t>(got);
        member.received_size += size;
        if (member.received.size() < most_kept) member.received.append(bytes.data(), size);
    } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
        member.ended = true;
        member.to_send.clear();
        member.socket.close();
    }
}

void Crowd::take_turn(std::chrono::milliseconds pace) {
    std::vector<pollfd> polled;
    for (auto const& member : members_) {
        short events = reads_ == Reads::yes ? POLLIN : 0;
        if (!member.to_send.empty()) events = static_cast<short>(events | POLLOUT);
        // A negative descriptor is ignored.
        polled.push_back({member.ended ? -1 : member.socket.get(), events, 0});
    }
    auto const begun = std::chrono::steady_clock::now();
    ::poll(polled.data(), polled.size(), 20);
    for (std::size_t i = 0; i < polled.size(); ++i) {
        if ((polled[i].revents & POLLOUT) != 0) send_some(members_[i]);
        if ((polled[i].revents & (POLLIN | POLLHUP | POLLERR)) != 0) read_some(members_[i]);
    }
    // The pace of slow clients.
    auto const passed = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::steady_clock::now() - begun);
    if (passed < pace) ::poll(nullptr, 0, static_cast<int>((pace - passed).count()));
}

bool Crowd::run_until(std::function<bool()> const& is_done, TimeLimit limit,
                      std::chrono::milliseconds pace) {
    while (!is_done()) {
        if (limit.has_passed()) return false;
        take_turn(pace);
    }
    return true;
}

std::size_t Crowd::ended() const {
    return static_cast<std::size_t>(std::count_if(members_.begin(), members_.end(),
                                                  [](Member const& one) { return one.ended; }));
}

std::size_t Crowd::sent_all() const {
    return static_cast<std::size_t>(std::count_if(
        members_.begin(), members_.end(), [](Member const& one) { return one.to_send.empty(); }));
}

std::size_t Crowd::received(std::string_view begin) const {
    return static_cast<std::size_t>(
        std::count_if(members_.begin(), members_.end(), [begin](Member const& one) {
            return one.received.compare(0, begin.size(), begin) == 0;
        }));
}

} // namespace sallyport::test

// Accepts the connections of one listener and assigns each to the worker with the fewest.
#include "gateway/accept/acceptor.h"

#include "gateway/observe/access_record.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

namespace sallyport::accept {

using pipeline::Reason;

namespace {

// The longest queue of a socket that is closed.
constexpr int longest_queue = 4096;
// Per turn, so that a flood of new connections does not starve existing ones.
constexpr int most_at_once = 64;
constexpr std::chrono::milliseconds pause_time{100};

} // namespace

Acceptor::Acceptor(net::Executor executor, Listening listening, std::string listener,
                   std::span<std::unique_ptr<Worker> const> workers, ConnectionLimits& limits,
                   observe::LogRing& ring, observe::ControlLog& control_log)
    : descriptor_{executor, listening.descriptor.release()}, pause_{executor},
      number_{descriptor_.native_handle()}, address_{std::move(listening.address)},
      listener_{std::make_shared<std::string const>(std::move(listener))}, workers_{workers},
      limits_{limits}, ring_{ring}, control_log_{control_log} {}

void Acceptor::start() {
    wait();
}

void Acceptor::stop() {
    pause_.cancel();
    for (int i = 0; i < longest_queue && accept_one() == AcceptResult::one; ++i) {
    }
    boost::system::error_code ignored;
    descriptor_.close(ignored);
}

void Acceptor::wait() {
    descriptor_.async_wait(net::asio::posix::descriptor_base::wait_read, [this](net::Error error) {
        if (!error && descriptor_.is_open()) accept_all();
    });
}

Acceptor::AcceptResult Acceptor::accept_one() {
    for (;;) {
        sockaddr_storage from{};
        socklen_t size = sizeof from;
        net::FileDescriptor descriptor{::accept4(descriptor_.native_handle(),
                                                 reinterpret_cast<sockaddr*>(&from), &size,
                                                 SOCK_NONBLOCK | SOCK_CLOEXEC)};
        if (descriptor) {
            accepted(std::move(descriptor), to_peer(from));
            return AcceptResult::one;
        }
        if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
            return AcceptResult::no_descriptor;
        }
        if (errno == EAGAIN || errno == EWOULDBLOCK) return AcceptResult::none;
        // The socket itself cannot accept; with other errors one connection ended before it was
        // accepted: accept(2).
        if (errno == EBADF || errno == EINVAL || errno == ENOTSOCK) return AcceptResult::none;
    }
}

void Acceptor::accept_all() {
    for (int i = 0; i < most_at_once; ++i) {
        switch (accept_one()) {
        case AcceptResult::one: continue;
        case AcceptResult::none: return wait();
        case AcceptResult::no_descriptor: return pause(errno);
        }
    }
    wait();
}

void Acceptor::pause(int error) {
    // Waiting for the socket would spin, because it stays readable. Connections wait in the kernel
    // meanwhile.
    if (trouble_lines_.take(observe::RateCap::Clock::now()) == observe::Pass::yes) {
        auto const what = std::system_category().message(error);
        control_log_.write(observe::Severity::error, "accept_paused",
                           {{"listener", address_}, {"what", what}});
    }
    pause_.expires_after(pause_time);
    pause_.async_wait([this](net::Error aborted) {
        if (!aborted && descriptor_.is_open()) accept_all();
    });
}

bool Acceptor::is_trusted_proxy(net::Peer const& peer) const {
    return rules_ != nullptr && rules_->proxied && rules_->proxied->proxies.has(peer.address);
}

// The clients of a proxy are checked once it has said who they are.
bool Acceptor::may_come(net::Peer const& peer, bool is_proxy) const {
    if (rules_ == nullptr || is_proxy) return true;
    return !rules_->proxies_only && rules_->addresses.admit(peer.address);
}

void Acceptor::accepted(net::FileDescriptor descriptor, net::Peer peer) {
    bool const is_proxy = is_trusted_proxy(peer);
    if (!may_come(peer, is_proxy)) {
        limits_.count_denied();
        return refuse(std::move(descriptor), peer, Reason::address_denied);
    }
    auto counted_as = is_proxy ? std::string{} : peer.address;
    auto const admission = limits_.admit(counted_as);
    Incoming incoming{std::move(descriptor), std::move(peer), listener_, std::move(counted_as)};
    if (admission == Admission::admitted) return least_busy().hand_over(std::move(incoming));
    auto ticket = limits_.begin_search();
    if (!ticket) {
        limits_.count_refused();
        return refuse(std::move(incoming.descriptor), incoming.peer, Reason::too_many_connections);
    }
    workers_.front()->find_room({std::move(incoming), admission, workers_, std::move(*ticket)});
}

void Acceptor::refuse(net::FileDescriptor descriptor, net::Peer const& peer, Reason reason) {
    reset(std::move(descriptor));
    if (refused_lines_.take(observe::RateCap::Clock::now()) == observe::Pass::no) return;
    observe::AccessRecord record;
    record.time = std::chrono::system_clock::now();
    record.worker = static_cast<std::uint32_t>(workers_.size());
    record.seq = ring_.take_seq();
    record.client = peer.address;
    record.reason = pipeline::to_string(reason);
    record.generation = generation_;
    static_cast<void>(ring_.push(observe::format_access_line(record, line_)));
}

Worker& Acceptor::least_busy() const {
    auto const fewest =
        std::min_element(workers_.begin(), workers_.end(), [](auto const& left, auto const& right) {
            return left->load() < right->load();
        });
    return **fewest;
}

} // namespace sallyport::accept

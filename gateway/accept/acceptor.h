// Accepts the connections of one listener and assigns each to the worker with the fewest.
#pragma once

#include "gateway/accept/listening_socket.h"
#include "gateway/accept/worker.h"
#include "gateway/net/executor.h"
#include "gateway/pipeline/proxied.h"
#include "gateway/pipeline/reason.h"
#include "gateway/text/networks.h"

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/posix/basic_stream_descriptor.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace sallyport::accept {

/// Of a listener: which peers may connect.
struct PeerRules {
    text::AddressRules addresses; // of clients that connect without a proxy
    std::shared_ptr<pipeline::ProxiedClients const> proxied; // null: no proxy is trusted
    bool proxies_only = false; // every connection begins with a PROXY header
};

/// Lives on one loop: the control loop, or that of the only worker.
class Acceptor {
public:
    Acceptor(net::Executor executor, Listening listening, std::string listener,
             std::span<std::unique_ptr<Worker> const> workers, ConnectionLimits& limits,
             observe::LogRing& ring, observe::ControlLog& control_log);

    [[nodiscard]] std::string const& address() const { return address_; }
    [[nodiscard]] int descriptor() const { return number_; }

    /// Any thread: the number of the active configuration, for the log.
    void set_generation(std::uint64_t generation) noexcept { generation_ = generation; }

    /// On its loop's thread; null: all peers may come, and none is a trusted proxy. Open
    /// connections stay open.
    void set_rules(std::shared_ptr<PeerRules const> rules) noexcept { rules_ = std::move(rules); }

    /// Begins to accept, on its loop's thread.
    void start();
    /// On its loop's thread. Accepts the connections in the queue of the socket, then closes it.
    void stop();

private:
    void wait();
    void accept_all();
    enum class AcceptResult : std::uint8_t { one, none, no_descriptor };
    AcceptResult accept_one();
    void accepted(net::FileDescriptor descriptor, net::Peer peer);
    [[nodiscard]] bool is_trusted_proxy(net::Peer const& peer) const;
    [[nodiscard]] bool may_come(net::Peer const& peer, bool is_proxy) const;
    void refuse(net::FileDescriptor descriptor, net::Peer const& peer, pipeline::Reason reason);
    void pause(int error);
    [[nodiscard]] Worker& least_busy() const;

    net::asio::posix::basic_stream_descriptor<net::Executor> descriptor_;
    net::asio::basic_waitable_timer<net::Clock, net::asio::wait_traits<net::Clock>, net::Executor>
        pause_;
    int number_; // of descriptor_, for other threads
    std::string address_;
    std::shared_ptr<std::string const> listener_; // its name
    std::shared_ptr<PeerRules const> rules_;
    std::span<std::unique_ptr<Worker> const> workers_;
    std::atomic<std::uint64_t> generation_{0};
    ConnectionLimits& limits_;
    observe::LogRing& ring_;
    observe::LineBuffer line_;
    observe::ControlLog& control_log_;
    observe::RateCap refused_lines_{10, std::chrono::milliseconds{100}};
    observe::RateCap trouble_lines_{1, std::chrono::seconds{10}};
};

} // namespace sallyport::accept

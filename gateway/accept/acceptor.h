// Accepts the connections of one listener and hands each to the worker that has the fewest.
#pragma once

#include "gateway/accept/worker.h"
#include "gateway/net/executor.h"

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/posix/basic_stream_descriptor.hpp>

#include <memory>
#include <span>
#include <string>

namespace sallyport::accept {

/// A socket that listens.
struct Listening {
    net::FileDescriptor descriptor;
    std::string address; // with the port that was bound
};

/// The address of a listener, bound: or why it cannot be.
struct Opened {
    Listening listening;
    std::string problem; // empty: it listens
};
Opened open_listener(config::Address const& address);

/// Lives on one loop: the control loop, or, where there is a single worker, that worker's.
class Acceptor {
public:
    Acceptor(net::Executor executor, Listening listening, std::size_t listener,
             std::span<std::unique_ptr<Worker> const> workers, ConnectionLimits& limits,
             observe::LogRing& ring, observe::ControlLog& control_log);

    std::string const& address() const { return address_; }

    void start();
    /// On its loop's thread. The socket is closed: connections that nobody accepted yet are
    /// refused.
    void stop();

private:
    void wait();
    void accept_all();
    void accepted(net::FileDescriptor descriptor, net::Peer peer);
    void refuse(net::FileDescriptor descriptor, net::Peer const& peer);
    void pause(int error);
    Worker& least_busy() const;

    net::asio::posix::basic_stream_descriptor<net::Executor> descriptor_;
    net::asio::basic_waitable_timer<net::Clock, net::asio::wait_traits<net::Clock>, net::Executor>
        pause_;
    std::string address_;
    std::size_t listener_;
    std::span<std::unique_ptr<Worker> const> workers_;
    ConnectionLimits& limits_;
    observe::LogRing& ring_;
    observe::LineBuffer line_;
    observe::ControlLog& control_log_;
    observe::RateCap refused_lines_{10, std::chrono::milliseconds{100}};
    observe::RateCap trouble_lines_{1, std::chrono::seconds{10}};
};

} // namespace sallyport::accept

// The running gateway: listeners, workers, the access log, and how they start and end together.
#pragma once

#include "gateway/accept/acceptor.h"
#include "gateway/accept/worker.h"
#include "gateway/observe/control_log.h"
#include "gateway/observe/log_writer.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace sallyport::accept {

enum class Ended : std::uint8_t {
    drained,    // every exchange came to its end
    cut_off,    // some did not within `drain`
    not_started // the control log says why
};

class Server {
public:
    Server(std::shared_ptr<lifecycle::Snapshot const> snapshot,
           std::span<pipeline::PluginRow const> plugins, observe::ControlLog& control_log);
    ~Server();

    /// Opens the listeners and the log, starts the workers, and serves until SIGTERM or SIGINT,
    /// then drains. SIGUSR1 opens the log anew.
    Ended run();

private:
    bool open_log();
    bool open_listeners(std::vector<Listening>& listening);
    void start_workers();
    void start_acceptors(std::vector<Listening> listening);
    void wait_for_signal();
    void drain();
    void on_log_incident(observe::LogIncident const& incident);

    std::shared_ptr<lifecycle::Snapshot const> snapshot_;
    observe::ControlLog& control_log_;
    std::unique_ptr<observe::LogWriter> log_; // outlives the workers
    net::Budget buffered_bodies_;
    ConnectionLimits limits_;
    upstream::Resolver resolver_;
    Shared shared_;
    net::asio::io_context control_{1};
    net::asio::signal_set signals_{control_};
    std::vector<std::unique_ptr<Worker>> workers_;
    std::vector<std::unique_ptr<Acceptor>> acceptors_;
    net::asio::basic_waitable_timer<net::Clock, net::asio::wait_traits<net::Clock>, net::Executor>
        drain_limit_{control_.get_executor()};
    std::thread joiner_; // waits for the workers while the gateway drains
    bool cut_off_ = false;
};

} // namespace sallyport::accept

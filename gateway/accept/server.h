// The running gateway: starts, reloads and ends the listeners, the workers and the access
// log.
#pragma once

#include "gateway/accept/admin_port.h"
#include "gateway/accept/clock_watch.h"
#include "gateway/accept/listeners.h"
#include "gateway/accept/successor.h"
#include "gateway/accept/supervisor.h"
#include "gateway/accept/worker.h"
#include "gateway/fetch/fetcher.h"
#include "gateway/lifecycle/denied_watch.h"
#include "gateway/lifecycle/reload.h"
#include "gateway/lifecycle/reported_problems.h"
#include "gateway/lifecycle/token_watch.h"
#include "gateway/observe/control_log.h"
#include "gateway/observe/log_writer.h"
#include "gateway/observe/rate_cap.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace sallyport::accept {

enum class Ended : std::uint8_t {
    drained,    // every exchange completed
    cut_off,    // some did not complete within `drain`
    not_started // the control log has the reason
};

/// The arguments of the gateway.
struct Start {
    std::string config; // the path of the configuration, which a reload reads again
    config::Tables const& tables;
    std::shared_ptr<lifecycle::Snapshot const> snapshot;
    std::chrono::system_clock::time_point loaded; // when it was read
    std::shared_ptr<net::TicketKeys> ticket_keys;
    std::shared_ptr<lifecycle::ContractCache> contracts; // that were loaded
    std::shared_ptr<fetch::Fetcher> fetcher;             // which the snapshot uses
    std::shared_ptr<jose::KeySources> keys;              // that sign assertions
    std::span<pipeline::PluginRow const> plugins;
    CommandLine command_line;                   // of this process, for its successor
    Inheritance inheritance;                    // from its predecessor
    std::shared_ptr<config::KeptValues> kept{}; // lifecycle::CarriedOver::kept
    std::vector<std::string> warnings{};        // of the first load, which were printed
};

class Server {
public:
    Server(Start start, observe::ControlLog& control_log);
    ~Server();

    /// Opens the listeners and the log, starts the workers, and serves until SIGTERM or SIGINT,
    /// then drains (after `drain_delay`; at once after a second signal). SIGHUP reloads the
    /// configuration, SIGUSR1 reopens the log, SIGUSR2 starts a successor.
    Ended run();

private:
    void configure_control_log(config::ControlLogging const& log);
    bool open_log();
    bool start_listeners();
    void make_workers();
    void wait_for_signal();
    void handle(int signal);
    std::vector<std::string> adopt(std::shared_ptr<lifecycle::Snapshot const> snapshot);
    void warn_of_what_needs_a_restart(config::Config const& config);
    void take_keys(lifecycle::Snapshot const& snapshot);
    void deny(std::shared_ptr<pipeline::DeniedSecrets const> const& list);
    void judge_tunnels();
    void log_block(pipeline::BeganBlock const& block);
    void log_reload(lifecycle::ReloadStatus const& status);
    void upgrade();
    void reap_successor();
    void leave();
    void drain();
    void end_control_loop();
    void on_log_incident(observe::LogIncident const& incident);
    [[nodiscard]] std::string summary() const;
    [[nodiscard]] admin::Facts facts() const;
    void check_liveness(std::function<void()> alive);

    Start start_;
    std::shared_ptr<lifecycle::Snapshot const> snapshot_; // the active one
    observe::ControlLog& control_log_;
    std::unique_ptr<observe::LogWriter> log_; // outlives the workers
    std::string log_output_;
    config::ByteCount log_buffer_;
    net::Budget buffered_bodies_;
    ConnectionLimits limits_;
    serve::ExchangeLimits exchange_limits_;
    pipeline::FailedAuthentication failed_authentication_;
    upstream::Resolver resolver_;
    upstream::EndpointStates endpoint_states_;
    pipeline::PasswordChecks passwords_;
    Shared shared_;
    net::asio::io_context control_{1};
    net::asio::signal_set signals_{control_};
    std::vector<std::unique_ptr<Worker>> workers_;
    InheritedSockets inherited_;
    std::optional<Listeners> listeners_;
    AdminPort admin_;
    lifecycle::DeniedWatch denied_;
    lifecycle::TokenWatch tokens_; // of upstreams
    lifecycle::Reloader reloader_;
    lifecycle::ReportedProblems reported_{start_.warnings};
    Supervisor supervisor_;
    ClockWatch clock_watch_;
    /// Clients can cause ten lines a second, and not fill a disk.
    observe::RateCap block_lines_{50, std::chrono::milliseconds{100}};
    std::chrono::system_clock::time_point const started_ = std::chrono::system_clock::now();
    pid_t predecessor_ = 0; // drains once this process serves
    pid_t successor_ = 0;   // one that was started
    net::asio::basic_waitable_timer<net::Clock, net::asio::wait_traits<net::Clock>, net::Executor>
        drain_limit_{control_.get_executor()}; // including the delay before it
    std::thread joiner_;                       // waits for the workers while the gateway drains
    admin::State state_ = admin::State::starting;
    bool cut_off_ = false;
    bool workers_ended_ = false; // nothing is left to wait for
};

} // namespace sallyport::accept

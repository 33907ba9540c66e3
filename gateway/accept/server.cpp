// The running gateway: listeners, workers, the access log, and how they start and end together.
#include "gateway/accept/server.h"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <csignal>
#include <thread>
#include <utility>
#include <variant>

namespace sallyport::accept {

namespace {

using observe::Severity;

std::uint32_t number_of_workers(config::Config const& config) {
    return config.workers.value_or(std::max(1U, std::thread::hardware_concurrency()));
}

std::string output_of(config::AccessLog const& log) {
    if (auto const* const file = std::get_if<config::File>(&log.output)) return file->path;
    return std::holds_alternative<config::StandardError>(log.output) ? "stderr" : "stdout";
}

} // namespace

Server::Server(std::shared_ptr<lifecycle::Snapshot const> snapshot,
               std::span<pipeline::PluginRow const> plugins, observe::ControlLog& control_log)
    : snapshot_{std::move(snapshot)}, control_log_{control_log},
      buffered_bodies_{static_cast<std::size_t>(snapshot_->config.limits.buffered_bodies.bytes)},
      limits_{snapshot_->config.limits.connections,
              snapshot_->config.limits.connections_per_address},
      resolver_{[this](std::string const& name, std::string const& error) {
          if (error.empty()) {
              control_log_.write(Severity::info, "name_resolved", {{"name", name}});
          } else {
              control_log_.write(Severity::warning, "name_not_resolved",
                                 {{"name", name}, {"error", error}});
          }
      }},
      shared_{buffered_bodies_, limits_, resolver_, control_log, plugins} {}

Server::~Server() {
    // A worker's thread uses what is declared before the workers.
    for (auto& worker : workers_)
        worker->stop();
    for (auto& worker : workers_)
        worker->join();
}

bool Server::open_log() {
    observe::LogWriterOptions options;
    options.output = output_of(snapshot_->config.access_log);
    options.rings = number_of_workers(snapshot_->config) + 1; // the last is the acceptors'
    options.on_incident = [this](observe::LogIncident const& incident) {
        on_log_incident(incident);
    };
    auto started = observe::LogWriter::start(std::move(options));
    if (!started) {
        auto const what = started.error().message();
        auto const output = output_of(snapshot_->config.access_log);
        control_log_.write(Severity::error, "access_log_not_opened",
                           {{"output", output}, {"error", what}});
        return false;
    }
    log_ = std::move(*started);
    return true;
}

void Server::on_log_incident(observe::LogIncident const& incident) {
    auto const error = incident.error.message();
    auto const dropped = std::to_string(incident.dropped_lines);
    switch (incident.kind) {
    case observe::LogIncident::Kind::write_failed:
        control_log_.write(Severity::error, "access_log_write_failed",
                           {{"error", error}, {"dropped_lines", dropped}});
        return;
    case observe::LogIncident::Kind::reopen_failed:
        control_log_.write(Severity::error, "access_log_not_reopened", {{"error", error}});
        return;
    case observe::LogIncident::Kind::recovered:
        control_log_.write(Severity::info, "access_log_recovered", {{"dropped_lines", dropped}});
        return;
    }
}

bool Server::open_listeners(std::vector<Listening>& listening) {
    bool all_open = true;
    for (auto const& listener : snapshot_->listeners) {
        auto opened = open_listener(listener.config->address);
        if (!opened.problem.empty()) {
            control_log_.write(Severity::error, "listener_not_opened",
                               {{"listener", listener.config->name}, {"error", opened.problem}});
            all_open = false;
        }
        listening.push_back(std::move(opened.listening));
    }
    return all_open;
}

void Server::start_workers() {
    auto const count = number_of_workers(snapshot_->config);
    for (std::uint32_t number = 0; number < count; ++number) {
        workers_.push_back(
            std::make_unique<Worker>(number, snapshot_, log_->ring(number), shared_));
    }
    for (auto& worker : workers_)
        worker->start();
}

void Server::start_acceptors(std::vector<Listening> listening) {
    // A single worker accepts for itself: no hand-over between threads.
    bool const alone = workers_.size() == 1;
    auto const executor = alone ? workers_.front()->loop().executor() : control_.get_executor();
    for (std::size_t i = 0; i < listening.size(); ++i) {
        auto address = listening[i].address;
        acceptors_.push_back(std::make_unique<Acceptor>(executor, std::move(listening[i]), i,
                                                        workers_, limits_,
                                                        log_->ring(workers_.size()), control_log_));
        net::asio::post(executor, [acceptor = acceptors_.back().get()] { acceptor->start(); });
        control_log_.write(
            Severity::info, "listening",
            {{"listener", snapshot_->listeners[i].config->name}, {"address", address}});
    }
}

void Server::wait_for_signal() {
    signals_.async_wait([this](net::Error error, int signal) {
        if (error) return;
        switch (signal) {
        case SIGUSR1:
            log_->reopen();
            control_log_.write(Severity::info, "access_log_reopened");
            break;
        case SIGHUP:
            control_log_.write(Severity::warning, "reload_not_built_yet",
                               {{"hint", "restart the gateway to change its configuration"}});
            break;
        default:
            signals_.cancel();
            drain();
            return;
        }
        wait_for_signal();
    });
}

void Server::drain() {
    control_log_.write(Severity::info, "draining");
    auto const executor =
        workers_.size() == 1 ? workers_.front()->loop().executor() : control_.get_executor();
    for (auto& acceptor : acceptors_) {
        net::asio::post(executor, [acceptor = acceptor.get()] { acceptor->stop(); });
    }
    for (auto& worker : workers_)
        worker->drain();

    drain_limit_.expires_after(snapshot_->config.drain);
    drain_limit_.async_wait([this](net::Error aborted) {
        if (aborted) return;
        cut_off_ = true;
        for (auto& worker : workers_)
            worker->stop();
    });
    // Joining blocks, so it has a thread; the control loop keeps the time.
    joiner_ = std::thread{[this] {
        for (auto& worker : workers_)
            worker->join();
        net::asio::post(control_, [this] { drain_limit_.cancel(); });
    }};
}

Ended Server::run() {
    std::vector<Listening> listening;
    bool const log_open = open_log();
    bool const listeners_open = open_listeners(listening);
    if (!log_open || !listeners_open) return Ended::not_started;

    std::signal(SIGPIPE, SIG_IGN);
    for (int const signal : {SIGTERM, SIGINT, SIGUSR1, SIGHUP})
        signals_.add(signal);
    start_workers();
    start_acceptors(std::move(listening));
    wait_for_signal();
    control_log_.write(Severity::info, "ready");
    control_.run();

    joiner_.join();
    acceptors_.clear();
    workers_.clear();
    log_->stop();
    control_log_.write(Severity::info, cut_off_ ? "ended_with_exchanges_cut_off" : "ended");
    return cut_off_ ? Ended::cut_off : Ended::drained;
}

} // namespace sallyport::accept

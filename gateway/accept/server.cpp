// The running gateway: starts and ends the listeners, the workers and the access log.
#include "gateway/accept/server.h"

#include "gateway/accept/credential_events.h"
#include "gateway/accept/endpoint_events.h"
#include "gateway/net/held_signals.h"

#include <boost/asio/post.hpp>

#include <sys/wait.h>

#include <algorithm>
#include <bit>
#include <csignal>
#include <thread>
#include <utility>
#include <variant>

namespace sallyport::accept {

namespace {

using observe::Severity;

// Until the process ends: they are not handled any more, and a destroyed signal_set restores the
// kernel's default, which is to terminate. A successor that has just become ready still sends
// SIGTERM.
void hold_signals() {
    sigset_t held;
    ::sigfillset(&held);
    ::pthread_sigmask(SIG_BLOCK, &held, nullptr);
}

std::uint32_t number_of_workers(config::Config const& config) {
    return config.workers.value_or(std::max(1U, std::thread::hardware_concurrency()));
}

void configure(pipeline::FailedAuthentication& failed, config::FailedAuthentication const& from) {
    auto const limits = [&from](std::uint32_t failures) {
        return pipeline::FailureLimits{failures, from.window, from.first_block, from.longest_block};
    };
    failed.configure(limits(from.per_address), limits(from.per_id), from.except);
}

pipeline::PasswordChecks::Limits password_limits(config::Limits const& limits) {
    auto const half = std::max(1U, std::thread::hardware_concurrency() / 2);
    return {limits.hashing_threads.value_or(half), limits.hashing_queue, limits.head_time};
}

std::string output_of(config::AccessLog const& log) {
    if (auto const* const file = std::get_if<config::File>(&log.output)) return file->path;
    return std::holds_alternative<config::StandardError>(log.output) ? "stderr" : "stdout";
}

} // namespace

Server::Server(Start start, observe::ControlLog& control_log)
    : start_{std::move(start)}, snapshot_{start_.snapshot}, control_log_{control_log},
      buffered_bodies_{
          static_cast<std::size_t>(snapshot_->config.limits.buffered_bodies.bytes),
          static_cast<std::size_t>(snapshot_->config.limits.share_of_buffered_bodies().bytes)},
      limits_{snapshot_->config.limits.connections,
              snapshot_->config.limits.connections_per_address},
      exchange_limits_{snapshot_->config.limits.exchanges,
                       snapshot_->config.limits.exchanges_per_address},
      // On the control loop, as below.
      failed_authentication_{[this](pipeline::BeganBlock const& block) {
          net::asio::post(control_, [this, block] { log_block(block); });
      }},
      resolver_{[this](std::string const& name, std::string const& error) {
          if (error.empty()) {
              control_log_.write(Severity::info, "name_resolved", {{"name", name}});
          } else {
              control_log_.write(Severity::warning, "name_not_resolved",
                                 {{"name", name}, {"error", error}});
          }
      }},
      // On the control loop: the worker that noticed the change must not wait for a full pipe.
      endpoint_states_{[this](upstream::EndpointChange const& change) {
          net::asio::post(control_, [this, change] {
              log_endpoint_change(control_log_, snapshot_->config, endpoint_states_, change);
          });
      }},
      passwords_{password_limits(snapshot_->config.limits)},
      shared_{buffered_bodies_, limits_,          exchange_limits_, failed_authentication_,
              resolver_,        endpoint_states_, passwords_,       *start_.fetcher,
              control_log,      start_.plugins},
      admin_{control_,
             {[this] { return facts(); },
              [this](std::function<void()> alive) { check_liveness(std::move(alive)); }},
             control_log},
      denied_{control_,
              {[this](auto const& list) { deny(list); },
               [this](std::string const& problem) {
                   control_log_.write(Severity::error, "denied_secrets_rejected",
                                      {{"problem", problem}});
               }}},
      tokens_{control_,
              {[this](std::string const& upstream, std::string const& file) {
                   control_log_.write(Severity::info, "upstream_token_loaded",
                                      {{"upstream", upstream}, {"file", file}});
               },
               [this](auto const& upstream, auto const& file, auto const& problem) {
                   log_rejected_token(control_log_, upstream, file, problem);
               }}},
      reloader_{control_,
                start_.config,
                start_.tables,
                {.ticket_keys = start_.ticket_keys,
                 .contracts = start_.contracts,
                 .fetcher = start_.fetcher,
                 .keys = start_.keys,
                 .kept = start_.kept},
                [this](std::shared_ptr<lifecycle::Snapshot const> snapshot) {
                    return adopt(std::move(snapshot));
                },
                [this](lifecycle::ReloadStatus const& status) { log_reload(status); },
                [this](std::string const& path) {
                    control_log_.write(Severity::warning, "reload_postponed", {{"file", path}});
                }},
      supervisor_{control_,
                  [this] {
                      // All are checked, even after one that does not respond.
                      bool all_alive = true;
                      for (auto& worker : workers_)
                          all_alive = worker->is_alive() && all_alive;
                      return all_alive;
                  }},
      clock_watch_{
          control_, [this](std::chrono::milliseconds by) {
              auto const milliseconds = std::to_string(by.count());
              control_log_.write(Severity::warning, "clock_jumped", {{"by_ms", milliseconds}});
              judge_tunnels(); // certificates and tokens end by that clock
          }} {

    configure(failed_authentication_, snapshot_->config.failed_authentication);
}

Server::~Server() {
    // A worker's thread uses members declared before the workers.
    for (auto& worker : workers_)
        worker->stop();
    for (auto& worker : workers_)
        worker->join();
    // They post to their loops.
    passwords_.stop();
    start_.fetcher->stop();
}

void Server::configure_control_log(config::ControlLogging const& log) {
    auto const least = log.level == config::LogLevel::error     ? Severity::error
                       : log.level == config::LogLevel::warning ? Severity::warning
                                                                : Severity::info;
    control_log_.configure(log.format == config::LogFormat::json ? observe::LineFormat::json
                                                                 : observe::LineFormat::text,
                           least);
}

bool Server::open_log() {
    observe::LogWriterOptions options;
    log_output_ = output_of(snapshot_->config.access_log);
    options.output = log_output_;
    options.rings = number_of_workers(snapshot_->config) + 1; // the last is the acceptors'
    log_buffer_ = snapshot_->config.access_log.buffer;
    options.ring_bytes = std::bit_ceil(log_buffer_.bytes);
    options.on_incident = [this](observe::LogIncident const& incident) {
        on_log_incident(incident);
    };
    auto started = observe::LogWriter::start(std::move(options));
    if (!started) {
        auto const what = started.error().message();
        control_log_.write(Severity::error, "access_log_not_opened",
                           {{"output", log_output_}, {"error", what}});
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
    case observe::LogIncident::Kind::lines_dropped:
        control_log_.write(Severity::warning, "access_log_lines_dropped",
                           {{"dropped_lines", dropped}});
        return;
    case observe::LogIncident::Kind::reopened:
        control_log_.write(Severity::info, "access_log_reopened");
        return;
    case observe::LogIncident::Kind::reopen_failed:
        control_log_.write(Severity::error, "access_log_not_reopened", {{"error", error}});
        return;
    case observe::LogIncident::Kind::recovered:
        control_log_.write(Severity::info, "access_log_recovered", {{"dropped_lines", dropped}});
        return;
    }
}

bool Server::start_listeners() {
    auto const& inheritance = start_.inheritance;
    predecessor_ = inheritance.predecessor;
    take_ticket_keys(inheritance.ticket_keys, *start_.ticket_keys);
    take_passwords(inheritance.passwords, passwords_);
    start_.inheritance.passwords = {};
    // A single worker accepts for itself: no hand-over between threads.
    bool const alone = number_of_workers(snapshot_->config) == 1;
    auto const executor = alone ? workers_.front()->loop().executor() : control_.get_executor();
    inherited_ = InheritedSockets{inheritance.sockets};
    listeners_.emplace(executor, workers_, limits_, log_->ring(workers_.size()), control_log_,
                       inherited_);
    auto denied = lifecycle::DeniedWatch::prepare(snapshot_->config);
    if (!denied.loaded.problem.empty()) {
        control_log_.write(Severity::error, "denied_secrets_rejected",
                           {{"problem", denied.loaded.problem}});
        return false;
    }
    auto const missing = lifecycle::TokenWatch::missing_of(*snapshot_);
    for (auto const& one : missing)
        log_rejected_token(control_log_, one.upstream, one.file, one.problem);
    if (!missing.empty()) return false;
    auto admin = admin_.prepare(snapshot_->config, inherited_);
    auto prepared = listeners_->prepare(*snapshot_);
    if (!admin.problem.empty()) prepared.problems.push_back(admin.problem);
    for (auto const& problem : prepared.problems)
        control_log_.write(Severity::error, "listener_not_opened", {{"error", problem}});
    if (!prepared.problems.empty()) return false;
    denied_.adopt(std::move(denied));
    tokens_.adopt(*snapshot_);
    take_keys(*snapshot_);
    admin_.adopt(snapshot_->config, std::move(admin));
    listeners_->adopt(*snapshot_, std::move(prepared));
    return true;
}

void Server::make_workers() {
    auto const count = number_of_workers(snapshot_->config);
    for (std::uint32_t number = 0; number < count; ++number) {
        workers_.push_back(
            std::make_unique<Worker>(number, snapshot_, log_->ring(number), shared_));
    }
    // Such as the keys of an issuer, which withdraws one.
    start_.fetcher->notify_of_changes([this] {
        net::asio::post(control_, [this] { judge_tunnels(); });
    });
}

void Server::judge_tunnels() {
    for (auto& worker : workers_)
        worker->judge_tunnels();
}

void Server::wait_for_signal() {
    signals_.async_wait([this](net::Error error, int signal) {
        if (error) return;
        handle(signal);
        // A signal may have arrived just before the end, and another wait would keep the loop
        // running.
        if (!workers_ended_) wait_for_signal();
    });
}

void Server::handle(int signal) {
    // Logs may also be rotated during the drain.
    if (state_ == admin::State::draining && signal != SIGUSR1) return;
    switch (signal) {
    case SIGUSR1: log_->reopen(); return;
    case SIGHUP:
        supervisor_.reloading();
        reloader_.request(lifecycle::Cause::signal);
        return;
    case SIGUSR2: return upgrade();
    case SIGCHLD: return reap_successor();
    default: return leave();
    }
}

std::vector<std::string> Server::adopt(std::shared_ptr<lifecycle::Snapshot const> snapshot) {
    if (state_ == admin::State::draining) return {"the gateway is ending"};
    auto prepared = listeners_->prepare(*snapshot);
    auto admin = admin_.prepare(snapshot->config, inherited_);
    auto denied = lifecycle::DeniedWatch::prepare(snapshot->config);
    if (!admin.problem.empty()) prepared.problems.push_back(admin.problem);
    // What is in force of the same file stays.
    if (!denied.loaded.problem.empty() && !denied_.has_list_of(denied.path))
        prepared.problems.push_back(denied.loaded.problem);
    for (auto const& one : lifecycle::TokenWatch::missing_of(*snapshot))
        prepared.problems.push_back("upstream " + one.upstream + ": " + one.file + ": "
                                    + one.problem);
    if (!prepared.problems.empty()) return std::move(prepared.problems);
    configure_control_log(snapshot->config.log);
    warn_of_what_needs_a_restart(snapshot->config);
    auto const& limits = snapshot->config.limits;
    buffered_bodies_.set_limit(static_cast<std::size_t>(limits.buffered_bodies.bytes));
    buffered_bodies_.set_share(static_cast<std::size_t>(limits.share_of_buffered_bodies().bytes));
    limits_.set(limits.connections, limits.connections_per_address);
    exchange_limits_.set(limits.exchanges, limits.exchanges_per_address);
    configure(failed_authentication_, snapshot->config.failed_authentication);
    passwords_.set(password_limits(limits));
    snapshot_ = snapshot;
    denied_.adopt(std::move(denied));
    tokens_.adopt(*snapshot_);
    take_keys(*snapshot_);
    // Before the listeners: a connection of a new one must find it in its worker's snapshot.
    for (auto& worker : workers_)
        worker->adopt(snapshot);
    listeners_->adopt(*snapshot_, std::move(prepared));
    admin_.adopt(snapshot_->config, std::move(admin));
    return {};
}

void Server::warn_of_what_needs_a_restart(config::Config const& config) {
    auto const warn = [this](std::string_view key) {
        control_log_.write(Severity::warning, "restart_required", {{"key", key}});
    };
    if (number_of_workers(config) != workers_.size()) warn("workers");
    if (output_of(config.access_log) != log_output_) warn("access_log.output");
    if (config.access_log.buffer.bytes != log_buffer_.bytes) warn("access_log.buffer");
}

// The keys of assertions: those that are new are published from now on.
void Server::take_keys(lifecycle::Snapshot const& snapshot) {
    auto const now = std::chrono::steady_clock::now();
    std::vector<std::shared_ptr<jose::SigningKeys>> used;
    for (auto const& one : snapshot.keys_of_assertions) {
        used.push_back(one.keys);
        if (!one.keys->adopt(one.settings, one.key, now)) continue;
        auto const newest = one.keys->newest();
        control_log_.write(Severity::info, "assertion_key_published",
                           {{"key", newest->id()}, {"file", one.file}});
    }
    start_.keys->keep_only(used, now);
}

void Server::deny(std::shared_ptr<pipeline::DeniedSecrets const> const& list) {
    for (auto& worker : workers_)
        worker->deny(list);
    if (list == nullptr) return;
    auto const count = std::to_string(list->size());
    control_log_.write(Severity::info, "denied_secrets_loaded", {{"count", count}});
}

// For tools that close a firewall to an address (deploy/credentials.md).
void Server::log_block(pipeline::BeganBlock const& block) {
    if (block_lines_.take(observe::RateCap::Clock::now()) == observe::Pass::no) return;
    log_began_block(control_log_, block, block_lines_.suppressed());
}

void Server::log_reload(lifecycle::ReloadStatus const& status) {
    auto const generation = std::to_string(status.generation);
    auto const severity = status.last.adopted ? Severity::warning : Severity::error;
    for (auto const* const problem : reported_.take_new(status.last))
        control_log_.write(severity, "reload_problem", {{"problem", *problem}});
    if (!status.last.credentials.are_none())
        log_credentials(control_log_, *snapshot_->credentials, status.last.credentials);
    control_log_.write(
        status.last.adopted ? Severity::info : Severity::error,
        status.last.adopted ? "reloaded" : "reload_rejected",
        {{"cause", lifecycle::to_string(status.last.cause)}, {"generation", generation}});
    if (state_ != admin::State::draining) supervisor_.ready(summary());
}

std::string Server::summary() const {
    auto text = "serving generation " + std::to_string(reloader_.status().generation);
    if (!reloader_.status().last.adopted) text += "; the configuration on disk was rejected";
    return text;
}

void Server::upgrade() {
    if (successor_ != 0) {
        control_log_.write(Severity::warning, "upgrade_in_progress");
        return;
    }
    auto sockets = listeners_->descriptors();
    for (auto& socket : admin_.descriptors())
        sockets.push_back(std::move(socket));
    auto const started =
        start_successor(start_.command_line, sockets, *start_.ticket_keys, passwords_);
    if (!started.problem.empty()) {
        control_log_.write(Severity::error, "upgrade_failed", {{"error", started.problem}});
        return;
    }
    successor_ = started.id;
    auto const id = std::to_string(started.id);
    control_log_.write(Severity::info, "successor_started", {{"pid", id}});
}

void Server::reap_successor() {
    int status = 0;
    if (successor_ == 0 || ::waitpid(successor_, &status, WNOHANG) != successor_) return;
    // It ended before it served: this process continues unchanged.
    successor_ = 0;
    auto const how = WIFEXITED(status) ? "exit code " + std::to_string(WEXITSTATUS(status))
                                       : "signal " + std::to_string(WTERMSIG(status));
    control_log_.write(Severity::error, "upgrade_failed",
                       {{"error", "the successor ended: " + how}});
}

// /readyz changes first, and load balancers may be given time to notice.
void Server::leave() {
    auto const delay = snapshot_->config.drain_delay;
    // A successor accepts new connections on the same sockets; a second signal skips the delay.
    bool const at_once = delay.count() == 0 || successor_ != 0 || state_ == admin::State::leaving;
    if (at_once) return drain();
    state_ = admin::State::leaving;
    control_log_.write(Severity::info, "leaving");
    drain_limit_.expires_after(delay);
    drain_limit_.async_wait([this](net::Error aborted) {
        // A second signal may have arrived just before.
        if (!aborted && state_ == admin::State::leaving) drain();
    });
}

void Server::drain() {
    state_ = admin::State::draining;
    control_log_.write(Severity::info, "draining");
    clock_watch_.stop();
    // Clients use the successor's listener from now on.
    if (successor_ != 0) admin_.close();
    // After a hand-over the successor notifies the service manager.
    if (successor_ == 0) supervisor_.stopping("draining");
    reloader_.stop();
    denied_.stop();
    tokens_.stop();
    supervisor_.stop();
    listeners_->stop();
    for (auto& worker : workers_)
        worker->drain();

    drain_limit_.expires_after(snapshot_->config.drain);
    drain_limit_.async_wait([this](net::Error aborted) {
        if (aborted) return;
        cut_off_ = true;
        for (auto& worker : workers_)
            worker->stop();
    });
    // Joining blocks, so it has a thread; the control loop keeps the time limit.
    net::HeldSignals const held;
    joiner_ = std::thread{[this] {
        for (auto& worker : workers_)
            worker->join();
        net::asio::post(control_, [this] { end_control_loop(); });
    }};
}

// Cancels everything that it would wait for.
void Server::end_control_loop() {
    workers_ended_ = true;
    signals_.cancel();
    drain_limit_.cancel();
    admin_.close();
}

Ended Server::run() {
    configure_control_log(snapshot_->config.log);
    // A closed reader, and a file at its size limit (setrlimit(2)), must be errors of a write, not
    // the end.
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
    for (int const signal : {SIGTERM, SIGINT, SIGUSR1, SIGUSR2, SIGHUP, SIGCHLD})
        signals_.add(signal);
    if (!open_log()) return Ended::not_started;
    make_workers();
    if (!start_listeners()) return Ended::not_started;
    for (auto& worker : workers_)
        worker->start();
    if (snapshot_->config.credentials.file)
        log_credentials(control_log_, *snapshot_->credentials, {});
    reloader_.start(snapshot_, start_.loaded);
    clock_watch_.start();
    wait_for_signal();
    state_ = admin::State::ready;
    control_log_.write(Severity::info, "ready");
    supervisor_.ready(summary());
    end_predecessor(predecessor_);
    control_.run();

    joiner_.join();
    listeners_.reset();
    resolver_.stop();
    passwords_.stop();
    start_.fetcher->stop();
    workers_.clear();
    log_->stop();
    hold_signals();
    control_log_.write(Severity::info, cut_off_ ? "ended_with_exchanges_cut_off" : "ended");
    return cut_off_ ? Ended::cut_off : Ended::drained;
}

} // namespace sallyport::accept

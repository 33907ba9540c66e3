// A worker: a thread with a loop of its own, which shares only what it is given.
#pragma once

#include "gateway/accept/connection_limits.h"
#include "gateway/fetch/fetcher.h"
#include "gateway/lifecycle/snapshot.h"
#include "gateway/net/budget.h"
#include "gateway/net/descriptor.h"
#include "gateway/net/executor.h"
#include "gateway/net/proxy_header.h"
#include "gateway/net/socket.h"
#include "gateway/net/stream.h"
#include "gateway/pipeline/password_checks.h"
#include "gateway/serve/worker_state.h"
#include "gateway/upstream/endpoint_states.h"
#include "gateway/upstream/resolve.h"

#include <boost/asio/executor_work_guard.hpp>

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <thread>

namespace sallyport::accept {

/// Given to all workers. Outlives them.
struct Shared {
    net::Budget& buffered_bodies;
    ConnectionLimits& limits;
    serve::ExchangeLimits& exchange_limits;
    pipeline::FailedAuthentication& failed_authentication;
    upstream::Resolver& resolver;
    upstream::EndpointStates& endpoint_states;
    pipeline::PasswordChecks& passwords;
    fetch::Fetcher& fetcher;
    observe::ControlLog& control_log;
    std::span<pipeline::PluginRow const> plugins;
};

/// An accepted connection on its way to a worker.
struct Incoming {
    net::FileDescriptor descriptor;
    net::Peer peer;
    std::shared_ptr<std::string const> listener; // its name
    std::string
        counted_as; // the address as which it is counted in the limits; empty: in total only
};

class Worker;

/// For a connection beyond a limit: searches all workers for the connection that has been idle
/// longest, to replace it. Passed from worker to worker, then to the one with the best candidate.
struct RoomSearch {
    Incoming incoming;
    Admission limit; // which limit is exceeded
    std::span<std::unique_ptr<Worker> const> workers;
    ConnectionLimits::Search search;
    std::size_t searched = 0; // how many workers have searched
    Worker* best = nullptr;
    net::Clock::time_point since = net::Clock::time_point::max(); // the best candidate's idle time
                                                                  // begins here
};

/// Closes with a reset, which costs nothing here and informs the client at once.
void reset(net::FileDescriptor descriptor) noexcept;

class Worker {
public:
    Worker(std::uint32_t number, std::shared_ptr<lifecycle::Snapshot const> snapshot,
           observe::LogRing& ring, Shared const& shared);
    ~Worker();
    Worker(Worker const&) = delete;
    Worker& operator=(Worker const&) = delete;

    /// Starts the thread.
    void start();

    /// Any thread: counts the connection here at once, so that the next one is assigned correctly.
    void hand_over(Incoming incoming);

    /// Any thread: takes the connection, or refuses it if none is idle.
    void find_room(RoomSearch search);

    /// Any thread: calls `task` on the worker's thread, at the loop's next turn.
    void post(std::function<void()> task);

    /// Any thread: whether the loop has turned since the last call.
    bool is_alive();

    [[nodiscard]] std::uint32_t open_connections() const {
        return state_.open_connections.load(std::memory_order_relaxed);
    }
    /// Any thread: connections, and the streams that those of HTTP/2 serve: they weigh unequally,
    /// and live long.
    [[nodiscard]] std::int64_t load() const {
        return open_connections() + state_.metrics.http2_streams.value();
    }

    /// Any thread: later exchanges use this snapshot. Connections of listeners that it does not
    /// have are drained.
    void adopt(std::shared_ptr<lifecycle::Snapshot const> snapshot);
    /// Refuses these secrets from the next request on. Null: none.
    void deny(std::shared_ptr<pipeline::DeniedSecrets const> secrets);
    /// Any thread: ends tunnels whose requests would be refused now.
    void judge_tunnels();

    /// Any thread: closes idle connections, the others after their exchange; then the thread ends.
    void drain();
    /// Any thread: ends everything now.
    void stop();
    /// Waits for the thread.
    void join();

    net::Loop& loop() { return state_.loop; }
    /// Any thread.
    [[nodiscard]] observe::WorkerMetrics const& metrics() const { return state_.metrics; }

private:
    void take(Incoming incoming);
    /// Of a listener with the PROXY protocol, once the header is there.
    void take_proxied(Incoming& incoming, std::unique_ptr<net::Socket> socket,
                      net::ProxyHeader const& header);
    [[nodiscard]] net::Task<> receive_header(Incoming& incoming,
                                             std::unique_ptr<net::Socket> socket);
    static net::Task<> serve_proxy(Worker* worker, Incoming incoming);
    [[nodiscard]] bool attribute(std::string const& address);
    void begin(lifecycle::Listener const& listener, std::unique_ptr<net::Socket> socket,
               net::Peer peer, pipeline::ClientConnection client);
    void take_into_use(std::shared_ptr<lifecycle::Snapshot const> snapshot);
    void search_for_room(RoomSearch search);
    void make_room(RoomSearch search);
    [[nodiscard]] serve::Connection* find_longest_idle(RoomSearch const& search) const;
    void refuse(RoomSearch search);
    void connection_ended(std::string const& counted_as) noexcept;
    void connection_failed(std::string const& counted_as, std::exception const& exception) noexcept;
    void one_fewer() noexcept;
    void end_if_drained();
    void give_memory_back();
    static net::Task<> serve(Worker* worker, std::shared_ptr<serve::Connection> connection);

    Shared const& shared_;
    serve::WorkerState state_;
    net::asio::executor_work_guard<net::Executor> work_;
    net::Deadline memory_;               // when to free memory that a burst of connections left
                                         // behind
    std::uint32_t most_connections_ = 0; // since memory was freed
    std::atomic<bool> asked_{false};     // and not processed yet: is_alive()
    std::thread thread_;
};

} // namespace sallyport::accept

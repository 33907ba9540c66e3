// A pool that lends streams in memory, with scripted upstreams, and failures.
#pragma once

#include "gateway/upstream/connection.h"
#include "gateway/upstream/pool.h"
#include "tests/unit/support/memory_stream.h"

#include <deque>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace sallyport::upstream::test {

enum class Kept : bool { no, yes };

/// Lends in the order of addition. Returned and dropped connections are kept for inspection, with
/// their streams.
class ScriptedPool final : public Pool {
public:
    explicit ScriptedPool(net::Loop& loop) : loop_{loop} {}

    /// `kept`: it has carried an exchange before.
    net::test::MemoryStream& add(Kept kept = Kept::no) {
        auto stream = std::make_unique<net::test::MemoryStream>(loop_);
        auto& added = *stream;
        auto connection =
            std::make_unique<Connection>(metrics_.endpoint("http://upstream.example"));
        connection->exchange = http::make_client_exchange(*stream, loop_.buffers());
        connection->stream = std::move(stream);
        connection->endpoint = "http://upstream.example";
        connection->host = "upstream.example";
        connection->is_reused = kept == Kept::yes;
        next_.push_back({std::move(connection), {}});
        return added;
    }
    void add_failure(pipeline::Failure failure) { next_.push_back({nullptr, failure}); }
    /// The next exchange waits for a connection until it is interrupted.
    void add_wait() { next_.push_back({nullptr, {}}); }

    net::Task<Acquired> acquire(Acquisition& acquisition) override {
        asked_.push_back(acquisition.freshness());
        if (next_.empty()) throw std::logic_error{"no further connection was expected"};
        auto next = std::move(next_.front());
        next_.pop_front();
        acquisition.tries("http://upstream.example");
        if (next.connection)
            return net::Task<Acquired>::ended(Lease{*this, std::move(next.connection)});
        if (next.failure) return net::Task<Acquired>::ended(Acquired{*next.failure});
        return wait(acquisition);
    }

    std::vector<Freshness> const& asked() const { return asked_; }
    std::size_t kept() const { return kept_; }
    std::size_t dropped() const { return dropped_; }

private:
    struct Next {
        std::unique_ptr<Connection> connection;
        std::optional<pipeline::Failure> failure;
    };
    struct Waiter {
        net::Event event;
        void interrupt() noexcept { event.notify(); }
    };

    net::Task<Acquired> wait(Acquisition& acquisition) {
        Waiter waiter{net::Event{loop_.waiters()}};
        Acquisition::Waits const waits{acquisition, waiter};
        if (!acquisition.is_interrupted()) co_await waiter.event.wait();
        co_return pipeline::Failure{pipeline::Side::gateway, pipeline::Reason::overloaded,
                                    net::asio::error::operation_aborted, "wait"};
    }
    void keep(std::unique_ptr<Connection> connection, net::Clock::time_point) noexcept override {
        connection->exchange->release();
        ++kept_;
        ended_.push_back(std::move(connection));
    }
    void drop(std::unique_ptr<Connection> connection) noexcept override {
        connection->stream->close();
        ++dropped_;
        ended_.push_back(std::move(connection));
    }

    net::Loop& loop_;
    observe::UpstreamMetrics metrics_{"service"};
    std::deque<Next> next_;
    std::vector<std::unique_ptr<Connection>> ended_;
    std::vector<Freshness> asked_;
    std::size_t kept_ = 0;
    std::size_t dropped_ = 0;
};

} // namespace sallyport::upstream::test

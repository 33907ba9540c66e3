// A transport that transfers nothing, and an exchange on it, for tests of decisions from a head
// alone.
#pragma once

#include "gateway/pipeline/pipeline.h"

#include <stdexcept>
#include <string>

namespace sallyport::pipeline::test {

/// Every use of the connection fails the test: decisions must not use it.
class NoTransport final : public http::Transport {
public:
    net::Task<http::HeadRead> read_head(http::RequestHead&) override { fail(); }
    http::Refused refused() const noexcept override { return nullptr; }
    net::Task<http::KeepAlive> finish_exchange() override { fail(); }
    http::Protocol protocol() const noexcept override { return http::Protocol::http_1_1; }
    std::size_t part_size() const noexcept override { return 64 * 1024; }
    net::Task<http::BodyPart> read_body(std::uint64_t, http::Gather) override { fail(); }
    std::string_view trailers() const noexcept override { return {}; }
    void stop_reading_body() noexcept override {}
    net::Task<net::Error> send_continue() override { fail(); }
    net::Task<net::Error> send_head(http::OutgoingHead const&, std::string_view,
                                    http::Ends) override {
        fail();
    }
    net::Task<net::Error> send_body(std::string_view, http::Ends) override { fail(); }
    net::Task<net::Error> send_trailers(std::string_view) override { fail(); }
    void close_after_response() noexcept override {}
    void abort() noexcept override {}
    net::PeerState watch_client(net::PeerWatcher&) override { return net::PeerState::present; }
    void unwatch_client() noexcept override {}
    bool head_sent() const noexcept override { return false; }
    bool body_complete() const noexcept override { return true; }
    std::uint64_t bytes_in() const noexcept override { return 0; }
    std::uint64_t bytes_out() const noexcept override { return 0; }

private:
    [[noreturn]] static void fail() { throw std::logic_error{"a decision touched the wire"}; }
};

/// An exchange whose head has been read.
struct Fixture {
    explicit Fixture(std::string its_head) : head{std::move(its_head)} {
        if (http::parse_request_head(head, {}, exchange.request.head) != nullptr) {
            throw std::logic_error{"the head of the test is refused"};
        }
        exchange.decision.api = &api;
    }

    /// Calls a plugin as the pipeline does.
    Verdict ask(Plugin& plugin) {
        return plugin.check(exchange.request, exchange.decision, exchange.services);
    }

    net::Loop loop;
    net::Budget budget{1 << 20};
    Services services{loop, budget, {}};
    ClientConnection client;
    NoTransport transport;
    Api api;
    std::string head;
    Exchange exchange{client, transport, services};
};

} // namespace sallyport::pipeline::test

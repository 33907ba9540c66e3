// Clients of WebSocket that compare every message with its echo.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ssl/context.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace sallyport::soak {

struct TunnelSettings {
    std::uint16_t port = 0;
    std::string authority;     // PEM file of the authority of the gateway's certificate
    std::string authorization; // of the caller
    std::string target;
    std::size_t count = 4; // at once
};

struct TunnelCounts {
    std::uint64_t handshakes = 0;
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
    std::uint64_t closed = 0;     // after close frames of both sides
    std::uint64_t lost = 0;       // without
    std::uint64_t mixed = 0;      // echoes of another message
    std::uint64_t unexpected = 0; // anything else: `first_unexpected` describes one
    std::string first_unexpected;
};

/// Runs on its loop's thread.
class Tunnels {
public:
    Tunnels(boost::asio::io_context& loop, TunnelSettings settings);

    /// Closes each after its message.
    void stop() { stopped_ = true; }
    TunnelCounts const& counts() const { return counts_; }

private:
    boost::asio::awaitable<void> run(std::uint64_t seed);
    class Session;

    boost::asio::io_context& loop_;
    TunnelSettings settings_;
    boost::asio::ssl::context tls_;
    TunnelCounts counts_;
    bool stopped_ = false;
};

} // namespace sallyport::soak

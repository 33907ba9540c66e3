// Clients that compare every response with the nonce that they sent.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ssl/context.hpp>

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace sallyport::soak {

struct ClientSettings {
    std::uint16_t port = 0;
    std::string authority;            // PEM file of the authority of the gateway's certificate
    std::string authorization;        // of the caller
    std::vector<std::string> targets; // for GET
    std::string put_target;
    std::size_t connections = 64;
};

struct ClientCounts {
    std::uint64_t requests = 0;
    std::uint64_t whole = 0;                        // responses with the correct nonce at both ends
    std::map<std::string, std::uint64_t> by_reason; // responses of the gateway's own
    std::uint64_t aborted = 0;                      // truncated responses, recognisable as such
    std::uint64_t mixed = 0;      // complete responses with another nonce, or without one
    std::uint64_t unexpected = 0; // anything else: `first_unexpected` describes one
    std::string first_unexpected;

    std::uint64_t refused() const;
    /// A complete response with this status and body, to a request with this nonce.
    void take(int status, std::string const& body, std::string const& nonce);
    void note_unexpected(std::string what);
    void add(ClientCounts const& other);
};

/// Runs on its loop's thread.
class Clients {
public:
    Clients(boost::asio::io_context& loop, ClientSettings settings);

    /// Requests per second, all connections together; 0: without a limit.
    void set_rate(double rate) { rate_ = rate; }
    /// Begins no more requests.
    void stop() { stopped_ = true; }
    ClientCounts const& counts() const { return counts_; }

private:
    boost::asio::awaitable<void> run(std::uint64_t seed);
    class Session;

    boost::asio::io_context& loop_;
    ClientSettings settings_;
    boost::asio::ssl::context tls_;
    ClientCounts counts_;
    double rate_ = 0;
    bool stopped_ = false;
};

} // namespace sallyport::soak

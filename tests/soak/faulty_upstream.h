// An upstream that responds to each request with its nonce, echoes the messages of WebSockets, and
// fails at random on purpose.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>

#include <cstdint>
#include <random>
#include <string_view>

namespace sallyport::soak {

/// How many of a thousand responses fail, and how.
struct FaultRates {
    double resets = 10;      // the connection is reset: before, within or after the head
    double truncations = 10; // it ends before the declared length, or the last chunk
    double slow = 10;        // the response arrives in pieces, with pauses
    double garbage = 1;      // not HTTP
    double lost_tunnels = 2; // of a thousand messages of a WebSocket: its connection is reset
};

struct UpstreamCounts {
    std::uint64_t requests = 0;
    std::uint64_t resets = 0;
    std::uint64_t truncations = 0;
    std::uint64_t slow = 0;
    std::uint64_t garbage = 0;
    std::uint64_t tunnels = 0;
    std::uint64_t lost_tunnels = 0;
    std::uint64_t mixed = 0; // requests whose body has another nonce than their head

    /// Responses that cannot arrive completely.
    std::uint64_t broken() const { return resets + truncations + garbage; }
};

/// Runs on its loop's thread; the counts may be read when that has ended.
class FaultyUpstream {
public:
    FaultyUpstream(boost::asio::io_context& loop, FaultRates rates, std::uint64_t seed);

    std::uint16_t port() const { return acceptor_.local_endpoint().port(); }
    UpstreamCounts const& counts() const { return counts_; }

private:
    enum class Fault : std::uint8_t { none, reset, truncation, slow, garbage };
    struct Response;
    using Socket = boost::asio::ip::tcp::socket;

    boost::asio::awaitable<void> accept_all();
    boost::asio::awaitable<void> serve(Socket socket);
    using Request = boost::beast::http::request<boost::beast::http::string_body>;
    boost::asio::awaitable<void> serve_tunnel(Socket socket, Request request);
    boost::asio::awaitable<bool> send(Socket& socket, Response const& response);
    bool draws(double rate); // of a thousand
    Fault draw();
    Response make_response(std::string_view nonce);

    boost::asio::io_context& loop_;
    FaultRates rates_;
    std::mt19937_64 random_;
    boost::asio::ip::tcp::acceptor acceptor_;
    UpstreamCounts counts_;
};

} // namespace sallyport::soak

// An upstream that answers each request with the nonce that it came with, and fails now and then on
// purpose.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <cstdint>
#include <random>

namespace sallyport::soak {

/// How many answers of a thousand go wrong, and how.
struct FaultRates {
    double resets = 10;      // the connection is reset: before, within or behind the head
    double truncations = 10; // it ends before the length that was declared, or the last chunk
    double slow = 10;        // the answer comes in pieces, with pauses
    double garbage = 1;      // what comes is no HTTP
};

struct UpstreamCounts {
    std::uint64_t requests = 0;
    std::uint64_t resets = 0;
    std::uint64_t truncations = 0;
    std::uint64_t slow = 0;
    std::uint64_t garbage = 0;
    std::uint64_t mixed = 0; // requests whose body has another nonce than their head

    /// Answers that cannot arrive whole.
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
    struct Answer;
    using Socket = boost::asio::ip::tcp::socket;

    boost::asio::awaitable<void> accept_all();
    boost::asio::awaitable<void> serve(Socket socket);
    boost::asio::awaitable<bool> send(Socket& socket, Answer const& answer);
    Fault draw();
    Answer make_answer(std::string_view nonce);

    boost::asio::io_context& loop_;
    FaultRates rates_;
    std::mt19937_64 random_;
    boost::asio::ip::tcp::acceptor acceptor_;
    UpstreamCounts counts_;
};

} // namespace sallyport::soak

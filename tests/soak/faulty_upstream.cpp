// An upstream that responds with nonces, and fails at random on purpose.
#include "tests/soak/faulty_upstream.h"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>

#include <array>
#include <charconv>
#include <string>
#include <string_view>

namespace sallyport::soak {

namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;

auto into(error_code& error) {
    return asio::redirect_error(asio::use_awaitable, error);
}

std::string hexadecimal(std::size_t number) {
    std::array<char, 16> text{};
    auto const end = std::to_chars(text.data(), text.data() + text.size(), number, 16).ptr;
    return {text.data(), end};
}

// In chunks of `piece` bytes, the last one included.
std::string chunked(std::string_view body, std::size_t piece) {
    std::string text;
    for (; !body.empty(); body.remove_prefix(std::min(piece, body.size()))) {
        auto const part = body.substr(0, piece);
        text.append(hexadecimal(part.size())).append("\r\n").append(part).append("\r\n");
    }
    return text + "0\r\n\r\n";
}

void reset(tcp::socket& socket) {
    error_code ignored;
    socket.set_option(asio::socket_base::linger{true, 0}, ignored);
    socket.close(ignored);
}

} // namespace

struct FaultyUpstream::Answer {
    std::string bytes;
    std::size_t head = 0; // of them
    Fault fault = Fault::none;
    bool closes = false; // after a complete response, which announces it
    double place = 0;    // the position of a fault, 0 to 1
};

FaultyUpstream::FaultyUpstream(asio::io_context& loop, FaultRates rates, std::uint64_t seed)
    : loop_{loop}, rates_{rates}, random_{seed},
      acceptor_{loop, tcp::endpoint{asio::ip::address_v4::loopback(), 0}} {
    asio::co_spawn(loop_, accept_all(), asio::detached);
}

asio::awaitable<void> FaultyUpstream::accept_all() {
    for (;;) {
        error_code error;
        tcp::socket socket = co_await acceptor_.async_accept(into(error));
        if (error) co_return;
        socket.set_option(tcp::no_delay{true}, error);
        asio::co_spawn(loop_, serve(std::move(socket)), asio::detached);
    }
}

FaultyUpstream::Fault FaultyUpstream::draw() {
    double at = std::uniform_real_distribution{0.0, 1000.0}(random_);
    auto const falls_into = [&at](double rate) {
        at -= rate;
        return at < 0;
    };
    if (falls_into(rates_.resets)) return Fault::reset;
    if (falls_into(rates_.truncations)) return Fault::truncation;
    if (falls_into(rates_.slow)) return Fault::slow;
    if (falls_into(rates_.garbage)) return Fault::garbage;
    return Fault::none;
}

FaultyUpstream::Answer FaultyUpstream::make_answer(std::string_view nonce) {
    constexpr std::array<std::size_t, 8> sizes{0, 0, 200, 200, 1'500, 1'500, 20'000, 150'000};
    Answer answer;
    answer.fault = draw();
    answer.place = std::uniform_real_distribution{0.0, 1.0}(random_);
    std::string body = "{\"nonce\":\"";
    body.append(nonce).append("\",\"fill\":\"").append(sizes[random_() % sizes.size()], 'x');
    body.append("\",\"again\":\"").append(nonce).append("\"}");
    bool const in_chunks = random_() % 2 == 0;
    answer.closes = random_() % 50 == 0;
    answer.bytes = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";
    if (answer.closes) answer.bytes += "Connection: close\r\n";
    answer.bytes += in_chunks ? "Transfer-Encoding: chunked\r\n\r\n"
                              : "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n";
    answer.head = answer.bytes.size();
    answer.bytes += in_chunks ? chunked(body, 1 + random_() % 8'000) : body;
    if (answer.fault == Fault::garbage) {
        for (std::size_t i = 0; i < answer.bytes.size() && i < 64; ++i)
            answer.bytes[i] = static_cast<char>(random_());
        // Any random result, but not a status line.
        answer.bytes[0] = '\x01';
    }
    return answer;
}

// False: the connection is over.
asio::awaitable<bool> FaultyUpstream::send(Socket& socket, Answer const& answer) {
    error_code error;
    std::string_view whole = answer.bytes;
    auto const strike = static_cast<std::size_t>(answer.place * static_cast<double>(whole.size()));
    switch (answer.fault) {
    case Fault::none:
        co_await asio::async_write(socket, asio::buffer(whole), into(error));
        if (answer.closes) socket.shutdown(tcp::socket::shutdown_send, error);
        co_return !error && !answer.closes;
    case Fault::slow: {
        asio::steady_timer pause{loop_};
        for (auto const piece = whole.size() / 5 + 1; !whole.empty() && !error;) {
            auto const part = whole.substr(0, piece);
            whole.remove_prefix(part.size());
            co_await asio::async_write(socket, asio::buffer(part), into(error));
            pause.expires_after(std::chrono::milliseconds{40});
            error_code ignored;
            co_await pause.async_wait(into(ignored));
        }
        if (answer.closes) socket.shutdown(tcp::socket::shutdown_send, error);
        co_return !error && !answer.closes;
    }
    case Fault::reset:
        co_await asio::async_write(socket, asio::buffer(whole.substr(0, strike)), into(error));
        reset(socket);
        co_return false;
    case Fault::truncation:
    case Fault::garbage: break;
    }
    // At least one byte short, and never at the end of the head: some of the body is missing.
    auto const cut = std::min(std::max(strike, answer.head), whole.size() - 1);
    co_await asio::async_write(
        socket, asio::buffer(answer.fault == Fault::garbage ? whole : whole.substr(0, cut)),
        into(error));
    socket.shutdown(tcp::socket::shutdown_send, error);
    co_return false;
}

asio::awaitable<void> FaultyUpstream::serve(Socket socket) {
    boost::beast::flat_buffer buffer;
    for (;;) {
        error_code error;
        http::request_parser<http::string_body> parser;
        co_await http::async_read(socket, buffer, parser, into(error));
        if (error) co_return;
        auto const& request = parser.get();
        std::string const nonce{request["X-Nonce"].data(), request["X-Nonce"].size()};
        ++counts_.requests;
        auto const& body = request.body();
        if (!body.empty() && body.find("\"nonce\":\"" + nonce + "\"") == std::string::npos)
            ++counts_.mixed;
        auto const answer = make_answer(nonce);
        switch (answer.fault) {
        case Fault::none: break;
        case Fault::reset: ++counts_.resets; break;
        case Fault::truncation: ++counts_.truncations; break;
        case Fault::slow: ++counts_.slow; break;
        case Fault::garbage: ++counts_.garbage; break;
        }
        bool const goes_on = co_await send(socket, answer);
        if (!goes_on) co_return;
    }
}

} // namespace sallyport::soak

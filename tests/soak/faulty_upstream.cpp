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
#include <boost/beast/websocket.hpp>

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

struct FaultyUpstream::Response {
    std::string bytes;
    std::size_t head = 0; // of them
    Fault fault = Fault::none;
    bool closes = false; // after a complete response with Connection: close
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

bool FaultyUpstream::draws(double rate) {
    return std::uniform_real_distribution{0.0, 1000.0}(random_) < rate;
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

FaultyUpstream::Response FaultyUpstream::make_response(std::string_view nonce) {
    constexpr std::array<std::size_t, 8> sizes{0, 0, 200, 200, 1'500, 1'500, 20'000, 150'000};
    Response response;
    response.fault = draw();
    response.place = std::uniform_real_distribution{0.0, 1.0}(random_);
    std::string body = "{\"nonce\":\"";
    body.append(nonce).append("\",\"fill\":\"").append(sizes[random_() % sizes.size()], 'x');
    body.append("\",\"again\":\"").append(nonce).append("\"}");
    bool const in_chunks = random_() % 2 == 0;
    response.closes = random_() % 50 == 0;
    response.bytes = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";
    if (response.closes) response.bytes += "Connection: close\r\n";
    response.bytes += in_chunks ? "Transfer-Encoding: chunked\r\n\r\n"
                                : "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n";
    response.head = response.bytes.size();
    response.bytes += in_chunks ? chunked(body, 1 + random_() % 8'000) : body;
    if (response.fault == Fault::garbage) {
        for (std::size_t i = 0; i < response.bytes.size() && i < 64; ++i)
            response.bytes[i] = static_cast<char>(random_());
        // Never a status line.
        response.bytes[0] = '\x01';
    }
    return response;
}

// False: the connection must be closed.
asio::awaitable<bool> FaultyUpstream::send(Socket& socket, Response const& response) {
    error_code error;
    std::string_view whole = response.bytes;
    auto const strike =
        static_cast<std::size_t>(response.place * static_cast<double>(whole.size()));
    switch (response.fault) {
    case Fault::none:
        co_await asio::async_write(socket, asio::buffer(whole), into(error));
        if (response.closes) socket.shutdown(tcp::socket::shutdown_send, error);
        co_return !error && !response.closes;
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
        if (response.closes) socket.shutdown(tcp::socket::shutdown_send, error);
        co_return !error && !response.closes;
    }
    case Fault::reset:
        co_await asio::async_write(socket, asio::buffer(whole.substr(0, strike)), into(error));
        reset(socket);
        co_return false;
    case Fault::truncation:
    case Fault::garbage: break;
    }
    // At least one byte short, and never at the end of the head: some of the body is missing.
    auto const cut = std::min(std::max(strike, response.head), whole.size() - 1);
    co_await asio::async_write(
        socket, asio::buffer(response.fault == Fault::garbage ? whole : whole.substr(0, cut)),
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
        if (boost::beast::websocket::is_upgrade(request))
            co_return co_await serve_tunnel(std::move(socket), parser.release());
        std::string const nonce{request["X-Nonce"].data(), request["X-Nonce"].size()};
        ++counts_.requests;
        auto const& body = request.body();
        if (!body.empty() && body.find("\"nonce\":\"" + nonce + "\"") == std::string::npos)
            ++counts_.mixed;
        auto const response = make_response(nonce);
        switch (response.fault) {
        case Fault::none: break;
        case Fault::reset: ++counts_.resets; break;
        case Fault::truncation: ++counts_.truncations; break;
        case Fault::slow: ++counts_.slow; break;
        case Fault::garbage: ++counts_.garbage; break;
        }
        bool const stays_open = co_await send(socket, response);
        if (!stays_open) co_return;
    }
}

// Echoes messages until the client closes, or the connection is reset on purpose.
asio::awaitable<void> FaultyUpstream::serve_tunnel(Socket socket, Request request) {
    namespace websocket = boost::beast::websocket;
    ++counts_.tunnels;
    websocket::stream<Socket> stream{std::move(socket)};
    websocket::permessage_deflate deflate;
    deflate.server_enable = true;
    stream.set_option(deflate);
    error_code error;
    co_await stream.async_accept(request, into(error));
    while (!error) {
        boost::beast::flat_buffer message;
        co_await stream.async_read(message, into(error));
        if (error) co_return;
        if (draws(rates_.lost_tunnels)) {
            ++counts_.lost_tunnels;
            co_return reset(stream.next_layer());
        }
        stream.text(stream.got_text());
        co_await stream.async_write(message.data(), into(error));
    }
}

} // namespace sallyport::soak

// Clients of WebSocket: messages of any size, one after the other, until a close frame.
#include "tests/soak/tunnels.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
#include <boost/beast/websocket.hpp>
#include <boost/beast/websocket/ssl.hpp>

#include <array>
#include <chrono>
#include <optional>
#include <random>
#include <utility>

namespace sallyport::soak {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace websocket = boost::beast::websocket;
using asio::ip::tcp;
using boost::system::error_code;

constexpr std::chrono::seconds patience{30};
constexpr std::chrono::milliseconds pause{50}; // between two messages
constexpr std::array<std::size_t, 6> sizes{0, 20, 200, 2'000, 20'000, 200'000};

auto into(error_code& error) {
    return asio::redirect_error(asio::use_awaitable, error);
}

} // namespace

// One WebSocket after the other.
class Tunnels::Session {
public:
    Session(Tunnels& tunnels, std::uint64_t seed) : tunnels_{tunnels}, random_{seed} {}

    asio::awaitable<void> run() {
        while (!tunnels_.stopped_) {
            bool const is_open = co_await open();
            if (!is_open) continue;
            auto const count = 1 + random_() % 500;
            bool goes_on = true;
            for (std::uint64_t i = 0; goes_on && i < count && !tunnels_.stopped_; ++i)
                goes_on = co_await exchange();
            if (goes_on) co_await close();
        }
    }

private:
    using Stream = websocket::stream<beast::ssl_stream<beast::tcp_stream>>;

    asio::awaitable<bool> open() {
        auto const& settings = tunnels_.settings_;
        stream_.emplace(tunnels_.loop_, tunnels_.tls_);
        websocket::permessage_deflate deflate;
        deflate.client_enable = random_() % 2 == 0;
        stream_->set_option(deflate);
        stream_->set_option(websocket::stream_base::decorator{[&](websocket::request_type& head) {
            head.set(beast::http::field::authorization, settings.authorization);
        }});
        error_code error;
        auto& socket = beast::get_lowest_layer(*stream_);
        socket.expires_after(patience);
        co_await socket.async_connect(
            tcp::endpoint{asio::ip::address_v4::loopback(), settings.port}, into(error));
        if (!error)
            co_await stream_->next_layer().async_handshake(asio::ssl::stream_base::client,
                                                           into(error));
        if (!error) {
            ++tunnels_.counts_.handshakes;
            co_await stream_->async_handshake("localhost", settings.target, into(error));
        }
        if (error) unexpected("no WebSocket: " + error.message());
        co_return !error;
    }

    // False: it has ended.
    asio::awaitable<bool> exchange() {
        asio::steady_timer timer{tunnels_.loop_, pause};
        error_code error;
        co_await timer.async_wait(into(error));
        std::string message(sizes[random_() % sizes.size()], 'm');
        message += std::to_string(random_());
        stream_->binary(random_() % 2 == 0);
        beast::get_lowest_layer(*stream_).expires_after(patience);
        co_await stream_->async_write(asio::buffer(message), into(error));
        beast::flat_buffer echo;
        if (!error) co_await stream_->async_read(echo, into(error));
        if (error) {
            lose(error);
            co_return false;
        }
        auto& counts = tunnels_.counts_;
        ++counts.messages;
        counts.bytes += message.size();
        if (beast::buffers_to_string(echo.data()) != message) ++counts.mixed;
        co_return true;
    }

    asio::awaitable<void> close() {
        error_code error;
        beast::get_lowest_layer(*stream_).expires_after(patience);
        co_await stream_->async_close(websocket::close_code::normal, into(error));
        if (error) {
            unexpected("no close: " + error.message());
        } else {
            ++tunnels_.counts_.closed;
        }
    }

    void lose(error_code error) {
        if (error == beast::error::timeout || error == websocket::error::closed) {
            unexpected("a message: " + error.message());
        } else {
            ++tunnels_.counts_.lost;
        }
    }

    void unexpected(std::string what) {
        auto& counts = tunnels_.counts_;
        if (counts.unexpected++ == 0) counts.first_unexpected = std::move(what);
    }

    Tunnels& tunnels_;
    std::mt19937_64 random_;
    std::optional<Stream> stream_;
};

Tunnels::Tunnels(asio::io_context& loop, TunnelSettings settings)
    : loop_{loop}, settings_{std::move(settings)}, tls_{asio::ssl::context::tls_client} {
    tls_.load_verify_file(settings_.authority);
    tls_.set_verify_mode(asio::ssl::verify_peer);
    for (std::size_t i = 0; i < settings_.count; ++i)
        asio::co_spawn(loop_, run(2'000 + i), asio::detached);
}

asio::awaitable<void> Tunnels::run(std::uint64_t seed) {
    Session session{*this, seed};
    co_await session.run();
}

} // namespace sallyport::soak

// The admin listener: plain HTTP for monitoring systems and operators, on the control loop.
#include "gateway/admin/listener.h"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>

#include <sys/socket.h>

#include <chrono>
#include <cstddef>
#include <list>
#include <utility>

namespace sallyport::admin {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;
using net::Error;

// Monitoring systems need few. When one more arrives the connection idle for longest is closed, so
// that idle ones do not block others.
constexpr std::size_t most_connections = 32;
constexpr std::size_t largest_head = std::size_t{8} * 1024;
// For a head to arrive, for a response to be read, and between two requests of one connection.
constexpr std::chrono::seconds patience{30};
// A worker whose loop does not turn within this time is stuck.
constexpr std::chrono::seconds liveness_limit{2};

auto into(Error& error) {
    return asio::redirect_error(asio::use_awaitable, error);
}

tcp family_of(int descriptor) {
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    ::getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size);
    return address.ss_family == AF_INET6 ? tcp::v6() : tcp::v4();
}

} // namespace

// Shared by its coroutines, so that it outlives the listener by the turn in which they end.
class Listener::Impl : public std::enable_shared_from_this<Impl> {
public:
    Impl(asio::io_context& control, net::FileDescriptor socket, AllowedClients allowed_clients,
         Gateway gateway)
        : control_{control}, allowed_clients_{allowed_clients}, gateway_{std::move(gateway)},
          acceptor_{control, family_of(socket.get()), socket.get()} {
        static_cast<void>(socket.release()); // the acceptor owns it
    }

    void start() { asio::co_spawn(control_, accept_all(shared_from_this()), asio::detached); }

    void close() {
        closed_ = true;
        Error ignored;
        acceptor_.close(ignored);
        for (auto* const stream : open_)
            stream->close();
    }

    int descriptor() { return acceptor_.native_handle(); }

private:
    using Self = std::shared_ptr<Impl>;

    // A connection in the list that close() closes.
    class Open {
    public:
        Open(Impl& impl, beast::tcp_stream& stream)
            : impl_{impl}, place_{impl.open_.insert(impl.open_.end(), &stream)} {}
        ~Open() { impl_.open_.erase(place_); }
        Open(Open const&) = delete;
        Open& operator=(Open const&) = delete;

        // A request arrived or its response was sent: connections idle for longer are closed
        // before this one.
        void moved() { impl_.open_.splice(impl_.open_.end(), impl_.open_, place_); }

    private:
        Impl& impl_;
        std::list<beast::tcp_stream*>::iterator place_;
    };

    static asio::awaitable<void> accept_all(Self self) {
        while (!self->closed_) {
            Error error;
            tcp::socket socket = co_await self->acceptor_.async_accept(into(error));
            if (self->closed_) co_return;
            if (error) {
                // Probably out of descriptors: some are closed meanwhile.
                asio::steady_timer pause{self->control_, std::chrono::milliseconds{100}};
                co_await pause.async_wait(into(error));
                continue;
            }
            if (self->open_.size() >= most_connections) self->close_oldest();
            asio::co_spawn(self->control_, serve(self, std::move(socket)), asio::detached);
        }
    }

    void close_oldest() {
        open_.front()->close();
        // It is removed by its coroutine; the next new connection closes another one.
        open_.splice(open_.end(), open_, open_.begin());
    }

    static asio::awaitable<void> serve(Self self, tcp::socket socket) {
        beast::tcp_stream stream{std::move(socket)};
        Open open{*self, stream};
        beast::flat_buffer buffer{largest_head};
        bool keep_alive = true;
        while (keep_alive && !self->closed_) {
            Error error;
            http::request_parser<http::empty_body> parser;
            parser.header_limit(largest_head);
            stream.expires_after(patience);
            co_await http::async_read(stream, buffer, parser, into(error));
            // No response to a malformed request: only known programs connect here.
            if (error || self->closed_) co_return;
            open.moved();
            Request const request = parser.release();
            Liveness liveness = Liveness::alive;
            if (needs_liveness(request)) liveness = co_await check_liveness(self);
            if (self->closed_) co_return;
            Response const response =
                response_to(request, self->gateway_.facts(), self->allowed_clients_, liveness);
            keep_alive = response.keep_alive();
            http::response_serializer<http::string_body> serializer{response};
            stream.expires_after(patience);
            if (request.method() == http::verb::head) {
                co_await http::async_write_header(stream, serializer, into(error));
            } else {
                co_await http::async_write(stream, serializer, into(error));
            }
            if (error) co_return;
            open.moved();
        }
    }

    static asio::awaitable<Liveness> check_liveness(Self self) {
        struct Waiting {
            explicit Waiting(asio::io_context& control) : limit{control, liveness_limit} {}
            asio::steady_timer limit;
            bool alive = false;
        };
        auto const waiting = std::make_shared<Waiting>(self->control_);
        self->gateway_.check_liveness([waiting] {
            waiting->alive = true;
            waiting->limit.cancel();
        });
        Error error;
        co_await waiting->limit.async_wait(into(error));
        co_return waiting->alive ? Liveness::alive : Liveness::stuck;
    }

    asio::io_context& control_;
    AllowedClients allowed_clients_;
    Gateway gateway_;
    tcp::acceptor acceptor_;
    std::list<beast::tcp_stream*> open_; // the most recently used one at the end
    bool closed_ = false;
};

Listener::Listener(asio::io_context& control, net::FileDescriptor socket,
                   AllowedClients allowed_clients, Gateway gateway)
    : impl_{
        std::make_shared<Impl>(control, std::move(socket), allowed_clients, std::move(gateway))} {
    impl_->start();
}

Listener::~Listener() {
    impl_->close();
}

int Listener::descriptor() const noexcept {
    return impl_->descriptor();
}

} // namespace sallyport::admin

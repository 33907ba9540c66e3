// One coroutine per connection: read a request within its limits, call the handler, respond,
// repeat.
#include "deploy/sandbox/server.h"

#include "deploy/sandbox/reply.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/stream_traits.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>

#include <algorithm>
#include <array>
#include <ctime>
#include <iostream>
#include <sstream>
#include <string_view>
#include <utility>

namespace sallyport::sandbox {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;

struct Server::Shared {
    ServerLimits limits;
    Handler handler;
    std::size_t open = 0; // connections
    std::optional<asio::ssl::context> tls;
    // Destroyed before everything that a connection uses, with every coroutine that is left in it.
    asio::io_context loop{1};
    tcp::acceptor acceptor{loop};
};

namespace {

constexpr std::size_t read_size = std::size_t{16} * 1024; // bytes at most, for each read

using Shared = Server::Shared;
using Task = asio::awaitable<void>;
using PlainStream = beast::tcp_stream;
using TlsStream = beast::ssl_stream<beast::tcp_stream>;
using Parser = http::request_parser<http::string_body>;

enum class KeepAlive { no, yes };

auto into(error_code& error) {
    return asio::redirect_error(asio::use_awaitable, error);
}

// Plain or TLS: what reads requests and writes responses is compiled once for both.
class Connection {
public:
    Connection() = default;
    virtual ~Connection() = default;
    Connection(Connection const&) = delete;
    Connection& operator=(Connection const&) = delete;

    [[nodiscard]] virtual beast::tcp_stream& socket() = 0; // for its time limits
    // At least one byte, or an error.
    virtual asio::awaitable<std::size_t> read(asio::mutable_buffer into, error_code& error) = 0;
    virtual Task write(std::string_view bytes, error_code& error) = 0; // all of them
};

template <class Stream>
class StreamConnection final : public Connection {
public:
    template <class... Arguments>
    explicit StreamConnection(Arguments&&... arguments)
        : stream_{std::forward<Arguments>(arguments)...} {}

    [[nodiscard]] Stream& stream() { return stream_; }

    [[nodiscard]] beast::tcp_stream& socket() override { return beast::get_lowest_layer(stream_); }

    asio::awaitable<std::size_t> read(asio::mutable_buffer buffer, error_code& error) override {
        co_return co_await stream_.async_read_some(buffer, into(error));
    }

    Task write(std::string_view bytes, error_code& error) override {
        while (!bytes.empty() && !error) {
            asio::const_buffer const buffer{bytes.data(), bytes.size()};
            std::size_t const written = co_await stream_.async_write_some(buffer, into(error));
            bytes.remove_prefix(written);
        }
    }

private:
    Stream stream_;
};

class Counted {
public:
    explicit Counted(std::size_t& open) : open_{open} { ++open_; }
    ~Counted() { --open_; }
    Counted(Counted const&) = delete;
    Counted& operator=(Counted const&) = delete;

private:
    std::size_t& open_;
};

// RFC 9110, 5.6.7.
std::string http_date() {
    std::time_t const now = std::time(nullptr);
    std::tm parts{};
    gmtime_r(&now, &parts);
    std::array<char, 40> text{};
    std::size_t const length =
        std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
    return std::string{text.data(), length};
}

asio::awaitable<error_code> send(Connection& connection, Shared const& shared, Reply const& reply,
                                 http::verb method, KeepAlive keep_alive) {
    http::response<http::string_body> response;
    response.version(11);
    response.result(reply.status);
    response.set(http::field::date, http_date());
    response.set(http::field::content_type, "application/json");
    for (auto const& [name, value] : reply.fields)
        response.set(name, value);
    response.keep_alive(keep_alive == KeepAlive::yes);
    response.content_length(reply.body.size());
    std::ostringstream bytes;
    bytes << response.base();
    // RFC 9110, 9.3.2: no content in a response to HEAD.
    if (method != http::verb::head) bytes << reply.body;
    error_code error;
    connection.socket().expires_after(shared.limits.write_time);
    std::string const text = std::move(bytes).str();
    co_await connection.write(text, error);
    co_return error;
}

// The status for a request that could not be read, or 0 if the client has
// disconnected.
unsigned status_of(error_code const& error) {
    if (error == http::error::header_limit || error == http::error::buffer_overflow) return 431;
    if (error == http::error::body_limit) return 413;
    if (error == http::error::end_of_stream || error == http::error::partial_message) return 0;
    return error.category() == make_error_code(http::error::bad_method).category() ? 400 : 0;
}

// Refuses a request that could not be read; closes the connection, because the begin of the next
// request is unknown.
Task refuse(Connection& connection, Shared const& shared, Parser const& parser,
            error_code const& error) {
    unsigned const status = status_of(error);
    if (status == 0) co_return;
    Reply const reply =
        error_reply(api_of(parser.get().target()), status, "the request cannot be read");
    (void)co_await send(connection, shared, reply, parser.get().method(), KeepAlive::no);
}

// Reads until the parser has what `is_done` asks for.
template <class IsDone>
asio::awaitable<error_code> read_until(IsDone is_done, Connection& connection,
                                       beast::flat_buffer& buffer, Parser& parser) {
    error_code error;
    while (!is_done()) {
        if (buffer.size() > 0) {
            buffer.consume(parser.put(buffer.data(), error));
            if (error && error != http::error::need_more) co_return error;
            if (!error) continue;
            error = {};
        }
        if (buffer.size() == buffer.max_size()) co_return http::error::buffer_overflow;
        std::size_t const space = std::min(read_size, buffer.max_size() - buffer.size());
        buffer.commit(co_await connection.read(buffer.prepare(space), error));
        if (error == asio::error::eof || error == asio::ssl::error::stream_truncated) {
            co_return parser.got_some() ? http::error::partial_message : http::error::end_of_stream;
        }
        if (error) co_return error;
    }
    co_return error;
}

asio::awaitable<error_code> read_request(Connection& connection, Shared const& shared,
                                         beast::flat_buffer& buffer, Parser& parser) {
    connection.socket().expires_after(shared.limits.head_time);
    error_code error =
        co_await read_until([&] { return parser.is_header_done(); }, connection, buffer, parser);
    if (error) co_return error;
    connection.socket().expires_after(shared.limits.body_time);
    if (beast::iequals(parser.get()[http::field::expect], "100-continue")) {
        // RFC 9110, 10.1.1.
        co_await connection.write("HTTP/1.1 100 Continue\r\n\r\n", error);
        if (error) co_return error;
    }
    co_return co_await read_until([&] { return parser.is_done(); }, connection, buffer, parser);
}

Request to_request(http::request<http::string_body>&& message) {
    Request request;
    request.method = std::string{message.method_string()};
    request.target = std::string{message.target()};
    for (auto const& field : message) {
        request.fields.emplace_back(field.name_string(), field.value());
    }
    request.body = std::move(message.body());
    return request;
}

Reply ask(Shared const& shared, Request const& request) {
    try {
        return shared.handler(request);
    } catch (std::exception const& failure) {
        std::cerr << "sallyport-sandbox: " << failure.what() << '\n';
        return error_reply(api_of(request.target), 500, "the sandbox failed");
    }
}

Task serve_requests(Connection& connection, Shared const& shared) {
    // The buffer limits what no other limit does: chunk extensions and trailers.
    beast::flat_buffer buffer{shared.limits.head + std::size_t{16} * 1024};
    for (;;) {
        Parser parser;
        parser.header_limit(shared.limits.head);
        parser.body_limit(shared.limits.body);
        error_code const broken = co_await read_request(connection, shared, buffer, parser);
        if (broken) {
            co_await refuse(connection, shared, parser, broken);
            co_return;
        }
        http::verb const method = parser.get().method();
        KeepAlive const keep_alive = parser.get().keep_alive() ? KeepAlive::yes : KeepAlive::no;
        Request const request = to_request(parser.release());
        Reply const reply = ask(shared, request);
        error_code const unsent = co_await send(connection, shared, reply, method, keep_alive);
        if (unsent || keep_alive == KeepAlive::no) co_return;
    }
}

// Lets the client read the last response: closing with unread bytes would cause a reset (RFC 9112,
// 9.6).
Task linger(beast::tcp_stream& stream, Shared const& shared) {
    error_code error;
    stream.socket().shutdown(tcp::socket::shutdown_send, error);
    if (error) co_return;
    std::array<char, 4096> unread{};
    stream.expires_after(shared.limits.linger);
    while (!error)
        co_await stream.async_read_some(asio::buffer(unread), into(error));
}

Task serve_plain(StreamConnection<PlainStream>& connection, Shared const& shared) {
    co_await serve_requests(connection, shared);
    co_await linger(connection.stream(), shared);
}

Task serve_tls(StreamConnection<TlsStream>& connection, Shared const& shared) {
    error_code error;
    connection.socket().expires_after(shared.limits.handshake);
    co_await connection.stream().async_handshake(asio::ssl::stream_base::server, into(error));
    if (error) co_return;
    co_await serve_requests(connection, shared);
    // The longest wait for a peer's close_notify.
    connection.socket().expires_after(shared.limits.linger);
    co_await connection.stream().async_shutdown(into(error));
}

// Owns the connection from accept to close. An exception ends only this connection.
Task serve_connection(tcp::socket socket, Shared& shared) {
    Counted const counted{shared.open};
    try {
        if (shared.tls) {
            StreamConnection<TlsStream> connection{std::move(socket), *shared.tls};
            co_await serve_tls(connection, shared);
        } else {
            StreamConnection<PlainStream> connection{std::move(socket)};
            co_await serve_plain(connection, shared);
        }
    } catch (std::exception const& failure) {
        std::cerr << "sallyport-sandbox: a connection failed: " << failure.what() << '\n';
    }
}

Task accept_connections(Shared& shared) {
    for (;;) {
        error_code error;
        tcp::socket socket = co_await shared.acceptor.async_accept(into(error));
        if (error == asio::error::operation_aborted) co_return;
        if (error) {
            // Probably out of descriptors: waits for some to be closed instead of spinning.
            asio::steady_timer pause{shared.loop, std::chrono::milliseconds{50}};
            co_await pause.async_wait(into(error));
            continue;
        }
        if (shared.open >= shared.limits.connections) continue; // closed with the socket
        asio::co_spawn(shared.loop, serve_connection(std::move(socket), shared), asio::detached);
    }
}

asio::ssl::context make_tls(TlsFiles const& files) {
    asio::ssl::context context{asio::ssl::context::tls_server};
    context.set_options(asio::ssl::context::no_tlsv1 | asio::ssl::context::no_tlsv1_1);
    context.use_certificate_chain_file(files.certificate);
    context.use_private_key_file(files.private_key, asio::ssl::context::pem);
    return context;
}

} // namespace

Server::Server(tcp::endpoint const& address, std::optional<TlsFiles> const& tls,
               ServerLimits limits, Handler handler)
    : shared_{std::make_unique<Shared>()} {
    shared_->limits = limits;
    shared_->handler = std::move(handler);
    if (tls) shared_->tls.emplace(make_tls(*tls));
    shared_->acceptor = tcp::acceptor{shared_->loop, address};
}

Server::~Server() = default;

tcp::endpoint Server::local_endpoint() const {
    return shared_->acceptor.local_endpoint();
}

asio::io_context& Server::loop() {
    return shared_->loop;
}

void Server::run() {
    asio::co_spawn(shared_->loop, accept_connections(*shared_), asio::detached);
    shared_->loop.run();
}

void Server::stop() {
    shared_->loop.stop();
}

} // namespace sallyport::sandbox

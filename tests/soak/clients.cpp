// Clients that compare every response with the nonce that they sent.
#include "tests/soak/clients.h"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>

#include <numeric>
#include <optional>
#include <random>
#include <utility>

namespace sallyport::soak {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;
using Request = http::request<http::string_body>;
using Parser = http::response_parser<http::string_body>;

// Longer than any deadline of the gateway: a missing response is a fault of the gateway.
constexpr std::chrono::seconds patience{30};

auto into(error_code& error) {
    return asio::redirect_error(asio::use_awaitable, error);
}

// The text after `"name":"`, up to the next quote.
std::string member(std::string const& body, std::string const& name) {
    auto const start = body.find("\"" + name + "\":\"");
    if (start == std::string::npos) return {};
    auto const begin = start + name.size() + 4;
    return body.substr(begin, body.find('"', begin) - begin);
}

} // namespace

std::uint64_t ClientCounts::refused() const {
    return std::accumulate(by_reason.begin(), by_reason.end(), std::uint64_t{0},
                           [](std::uint64_t sum, auto const& row) { return sum + row.second; });
}

void ClientCounts::take(int status, std::string const& body, std::string const& nonce) {
    if (status == 200) {
        bool const is_ours =
            member(body, "nonce") == nonce && member(body, "again") == nonce && body.back() == '}';
        ++(is_ours ? whole : mixed);
    } else if (auto reason = member(body, "reason"); reason.rfind("upstream_", 0) == 0) {
        ++by_reason[reason];
    } else {
        note_unexpected(std::to_string(status) + " " + body);
    }
}

void ClientCounts::note_unexpected(std::string what) {
    if (unexpected++ == 0) first_unexpected = std::move(what);
}

void ClientCounts::add(ClientCounts const& other) {
    requests += other.requests;
    whole += other.whole;
    for (auto const& [reason, count] : other.by_reason)
        by_reason[reason] += count;
    aborted += other.aborted;
    mixed += other.mixed;
    if (unexpected == 0) first_unexpected = other.first_unexpected;
    unexpected += other.unexpected;
}

// One connection after the other; on each as many requests as it accepts.
class Clients::Session {
public:
    Session(Clients& clients, std::uint64_t seed) : clients_{clients}, random_{seed} {}

    asio::awaitable<void> run() {
        while (!clients_.stopped_) {
            bool const connected = co_await connect();
            if (!connected) continue;
            for (bool open = true; open && !clients_.stopped_;) {
                co_await wait_for_turn();
                open = co_await exchange();
            }
            beast::get_lowest_layer(*stream_).close();
        }
    }

private:
    using Stream = beast::ssl_stream<beast::tcp_stream>;

    asio::awaitable<bool> connect() {
        stream_.emplace(clients_.loop_, clients_.tls_);
        buffer_.clear();
        error_code error;
        auto& socket = beast::get_lowest_layer(*stream_);
        socket.expires_after(patience);
        co_await socket.async_connect(
            tcp::endpoint{asio::ip::address_v4::loopback(), clients_.settings_.port}, into(error));
        if (!error) co_await stream_->async_handshake(asio::ssl::stream_base::client, into(error));
        if (error) unexpected("no connection: " + error.message());
        co_return !error;
    }

    asio::awaitable<void> wait_for_turn() {
        if (clients_.rate_ <= 0) co_return;
        auto const interval = std::chrono::duration<double>{
            static_cast<double>(clients_.settings_.connections) / clients_.rate_};
        next_ = std::max(next_ + std::chrono::duration_cast<Clock::duration>(interval),
                         Clock::now() - std::chrono::seconds{1});
        asio::steady_timer timer{clients_.loop_, next_};
        error_code ignored;
        co_await timer.async_wait(into(ignored));
    }

    Request make_request(std::string const& nonce) {
        auto const& settings = clients_.settings_;
        bool const puts = random_() % 3 == 0;
        Request request{
            puts ? http::verb::put : http::verb::get,
            puts ? settings.put_target : settings.targets[random_() % settings.targets.size()], 11};
        request.set(http::field::host, "localhost");
        request.set(http::field::authorization, settings.authorization);
        request.set("X-Nonce", nonce);
        if (puts) {
            request.set(http::field::content_type, "application/json");
            request.body() = "{\"db_max_threads\":8,\"nonce\":\"" + nonce + "\"}";
            request.prepare_payload();
        }
        return request;
    }

    // False: the connection must be closed.
    asio::awaitable<bool> exchange() {
        auto const nonce = std::to_string(random_());
        Request const request = make_request(nonce);
        http::request_serializer<http::string_body> serializer{request};
        error_code error;
        beast::get_lowest_layer(*stream_).expires_after(patience);
        ++clients_.counts_.requests;
        co_await http::async_write(*stream_, serializer, into(error));
        Parser parser;
        parser.body_limit(std::uint64_t{1} << 24U);
        if (!error) co_await http::async_read(*stream_, buffer_, parser, into(error));
        co_return judge(parser, nonce, error);
    }

    bool judge(Parser const& parser, std::string const& nonce, error_code error) {
        auto& counts = clients_.counts_;
        if (error == beast::error::timeout) {
            unexpected("no response");
            return false;
        }
        if (error) {
            // It ended in a way that cannot be mistaken for a complete response.
            ++counts.aborted;
            return false;
        }
        auto const& response = parser.get();
        counts.take(static_cast<int>(response.result_int()), response.body(), nonce);
        return response.keep_alive();
    }

    void unexpected(std::string what) { clients_.counts_.note_unexpected(std::move(what)); }

    using Clock = std::chrono::steady_clock;

    Clients& clients_;
    std::mt19937_64 random_;
    std::optional<Stream> stream_;
    beast::flat_buffer buffer_;
    Clock::time_point next_ = Clock::now();
};

Clients::Clients(asio::io_context& loop, ClientSettings settings)
    : loop_{loop}, settings_{std::move(settings)}, tls_{asio::ssl::context::tls_client} {
    tls_.load_verify_file(settings_.authority);
    tls_.set_verify_mode(asio::ssl::verify_peer);
    for (std::size_t i = 0; i < settings_.connections; ++i)
        asio::co_spawn(loop_, run(i + 1), asio::detached);
}

asio::awaitable<void> Clients::run(std::uint64_t seed) {
    Session session{*this, seed};
    co_await session.run();
}

} // namespace sallyport::soak

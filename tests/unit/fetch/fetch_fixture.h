// A fetch on the loop of the test, and a server that the test plays step by step.
#pragma once

#include "gateway/fetch/fetch.h"
#include "gateway/net/plain_stream.h"
#include "gateway/net/tls_stream.h"
#include "tests/unit/net/tls_harness.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace sallyport::fetch::test {

using namespace std::chrono_literals;

inline constexpr std::string_view json_head =
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";

inline std::string with_length(std::string_view body, std::string_view fields = json_head) {
    return std::string{fields} + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n"
           + std::string{body};
}

inline net::Address address_of(std::string const& ip, std::uint16_t port) {
    return *net::literal_address({ip, port});
}

/// A socket that listens at 127.0.0.1.
class Port {
public:
    Port() : listener_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)} {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        auto* const generic = reinterpret_cast<sockaddr*>(&address);
        REQUIRE(::bind(listener_.get(), generic, size) == 0);
        REQUIRE(::listen(listener_.get(), 16) == 0);
        REQUIRE(::getsockname(listener_.get(), generic, &size) == 0);
        number_ = ntohs(address.sin_port);
    }
    std::uint16_t number() const { return number_; }
    /// Whether a connection waits to be accepted.
    bool has_connection() const {
        pollfd wait{listener_.get(), POLLIN, 0};
        return ::poll(&wait, 1, 0) == 1;
    }
    net::FileDescriptor accept() const {
        return net::FileDescriptor{::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC)};
    }

private:
    net::FileDescriptor listener_;
    std::uint16_t number_ = 0;
};

/// `issuer.test` is the host of the server; the certificate is for api.example.com.
struct FetchFixture {
    net::Loop loop;
    std::shared_ptr<Inbox> inbox = std::make_shared<Inbox>(loop.executor());
    Port port;
    std::vector<net::Address> addresses{address_of("127.0.0.1", port.number())};
    Names names{inbox, [this](net::Name const&) { return addresses; }};
    Counts counts{};
    Environment environment{loop, names, counts};
    std::shared_ptr<Target> target = std::make_shared<Target>();
    std::unique_ptr<net::Stream> server;
    std::optional<Result> result;

    FetchFixture() {
        set_url("http://issuer.test:" + std::to_string(port.number()) + "/introspect");
        target->limits.body = 1000;
    }
    ~FetchFixture() {
        inbox->close();
        server.reset();
        loop.end();
    }

    void set_url(std::string const& text) {
        auto const parsed = parse_url(text);
        REQUIRE(parsed.problem == "");
        target->url = parsed.url;
    }
    void use_tls(net::ClientTlsSettings settings = {},
                 std::string const& host = "api.example.com") {
        target->tls = net::test::make_client(std::move(settings));
        set_url("https://" + host + ":" + std::to_string(port.number()) + "/keys");
    }

    void start(Request request = {}) {
        request.target = target;
        net::test::start(loop,
                         net::test::keep_result(fetch(environment, std::move(request)), result));
    }
    Result& wait() {
        net::test::run_until(loop, [&] { return result.has_value(); });
        return *result;
    }
    /// Null: the fetch has ended before, for a time limit.
    std::unique_ptr<net::Socket> accept() {
        auto const limit = net::Clock::now() + net::test::hang;
        while (!port.has_connection()) {
            if (result) return nullptr;
            REQUIRE(net::Clock::now() < limit);
            net::test::run_ready(loop);
        }
        return std::make_unique<net::Socket>(loop, port.accept());
    }
    /// The request that the server reads.
    std::string accept_plain(std::size_t body = 0) {
        auto socket = accept();
        if (socket == nullptr) return {};
        server = std::make_unique<net::PlainStream>(std::move(socket), net::Peer{});
        return read_request(body);
    }
    /// The error of the server's side of the handshake.
    net::Error accept_tls(net::ServerTlsSettings settings = {}) {
        auto stream = std::make_unique<net::TlsStream>(accept(), net::Peer{},
                                                       net::test::make_server(settings));
        auto const error = net::test::run(loop, stream->handshake());
        server = std::move(stream);
        return error;
    }
    std::string read_request(std::size_t body = 0) {
        std::string all;
        while (all.find("\r\n\r\n") == std::string::npos
               || all.size() < all.find("\r\n\r\n") + 4 + body) {
            std::string block(4096, '\0');
            auto const read = net::test::run(loop, server->read_some(block));
            if (!read) break; // the fetch has ended
            all.append(block, 0, *read);
        }
        return all;
    }
    void respond(std::string_view bytes) {
        if (server == nullptr) return;
        auto const error = net::test::run(loop, server->write(bytes));
        static_cast<void>(error); // it may have closed
    }
    /// The result of a fetch with this response.
    Result& fetch_of(std::string_view response) {
        start();
        accept_plain();
        respond(response);
        return wait();
    }
    /// The same, after which the server closes.
    Result& fetch_cut(std::string_view response) {
        start();
        accept_plain();
        respond(response);
        server->close();
        return wait();
    }
    Failure failure() const {
        REQUIRE(result);
        auto const* const found = std::get_if<Failure>(&*result);
        return found != nullptr ? *found : Failure{};
    }
    std::string body() const {
        REQUIRE(result);
        INFO(to_string(failure().cause) << " " << failure().detail);
        REQUIRE(std::holds_alternative<Response>(*result));
        return std::string{std::get<Response>(*result).body.reveal()};
    }
};

/// The cause of the failure of a fetch that gets this response.
inline Cause cause_of(std::string_view response) {
    FetchFixture fixture;
    fixture.fetch_of(response);
    return fixture.failure().cause;
}

inline Cause cause_of_cut(std::string_view response) {
    FetchFixture fixture;
    fixture.fetch_cut(response);
    return fixture.failure().cause;
}

} // namespace sallyport::fetch::test

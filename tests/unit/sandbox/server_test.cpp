// The server over the loopback interface: too large or malformed requests are refused, others get
// responses in order.
#include "deploy/sandbox/server.h"

#include "tests/support/certificates.h"
#include "tests/support/raw_client.h"

#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>
#include <catch2/catch.hpp>

#include <stdexcept>
#include <string>
#include <thread>

namespace server_test {

using namespace sallyport::sandbox;
namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

// A server on a thread of its own whose response contains the request.
class Running {
public:
    explicit Running(ServerLimits limits = {}, std::optional<TlsFiles> const& tls = std::nullopt)
        : server_{tcp::endpoint{asio::ip::address_v4::loopback(), 0}, tls, limits,
                  [](Request const& request) {
                      if (request.target == "/bug") throw std::runtime_error{"a bug"};
                      return Reply{
                          200, {}, request.method + ' ' + request.target + ' ' + request.body};
                  }},
          endpoint_{server_.local_endpoint()}, thread_{[this] { server_.run(); }} {}

    ~Running() {
        server_.stop();
        thread_.join();
    }
    Running(Running const&) = delete;
    Running& operator=(Running const&) = delete;

    tcp::socket connect() {
        tcp::socket socket{loop_};
        socket.connect(endpoint_);
        return socket;
    }

    [[nodiscard]] std::uint16_t port() const { return endpoint_.port(); }

    // Everything that the server sends for these bytes until it closes.
    std::string say(std::string const& bytes) {
        tcp::socket socket = connect();
        boost::system::error_code error;
        asio::write(socket, asio::buffer(bytes), error);
        return rest_of(socket);
    }

    static std::string rest_of(tcp::socket& socket) {
        std::string response;
        boost::system::error_code error;
        asio::read(socket, asio::dynamic_buffer(response), error);
        return response;
    }

private:
    asio::io_context loop_;
    Server server_;
    tcp::endpoint endpoint_;
    std::thread thread_;
};

using Catch::Contains;
using Catch::EndsWith;
using Catch::StartsWith;

} // namespace

TEST_CASE("bytes that are not HTTP are refused and the connection ends") {
    Running server;
    CHECK_THAT(server.say("nonsense\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
    CHECK_THAT(server.say("GET / HTTP/1.1\r\nHost: h\r\nContent-Length: x\r\n\r\n"),
               StartsWith("HTTP/1.1 400 "));
}

TEST_CASE("a head over the limit is refused") {
    Running server;
    std::string const head = "GET / HTTP/1.1\r\nHost: h\r\nX: " + std::string(40'000, 'x');
    CHECK_THAT(server.say(head + "\r\n\r\n"), StartsWith("HTTP/1.1 431 "));
}

TEST_CASE("a body over the limit is refused, declared or chunked; one at the limit is accepted") {
    Running server{ServerLimits{.body = 4}};
    std::string const post = "POST / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n";
    CHECK_THAT(server.say(post + "Content-Length: 5\r\n\r\n12345"), StartsWith("HTTP/1.1 413 "));
    CHECK_THAT(
        server.say(post + "Transfer-Encoding: chunked\r\n\r\n3\r\n123\r\n2\r\n45\r\n0\r\n\r\n"),
        StartsWith("HTTP/1.1 413 "));
    CHECK_THAT(server.say(post + "Content-Length: 4\r\n\r\n1234"), EndsWith("POST / 1234"));
    CHECK_THAT(server.say(post + "Transfer-Encoding: chunked\r\n\r\n4\r\n1234\r\n0\r\n\r\n"),
               EndsWith("POST / 1234"));
}

TEST_CASE("a trailer without end closes its connection and nothing else") {
    Running server;
    std::string const post =
        "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: ";
    (void)server.say(post + std::string(70'000, 'x') + "\r\n\r\n");
    CHECK_THAT(server.say("GET /next HTTP/1.0\r\nHost: h\r\n\r\n"), EndsWith("GET /next "));
}

TEST_CASE("a connection over the limit is closed at once") {
    Running server{ServerLimits{.connections = 1}};
    tcp::socket first = server.connect();
    asio::write(first, asio::buffer(std::string_view{"GET /1 HTTP/1.1\r\nHost: h\r\n\r\n"}));
    std::string response;
    (void)asio::read_until(first, asio::dynamic_buffer(response), "GET /1 ");
    CHECK(server.say("GET /2 HTTP/1.1\r\nHost: h\r\n\r\n").empty());
}

TEST_CASE("a silent client is disconnected after its time limit") {
    Running server{ServerLimits{.head_time = std::chrono::seconds{1}}};
    tcp::socket socket = server.connect();
    CHECK(Running::rest_of(socket).empty());
}

TEST_CASE("a certificate that cannot be read is an error before anything is served") {
    CHECK_THROWS(Running{{}, TlsFiles{"/nowhere.pem", "/nowhere.key"}});
    auto const& made = sallyport::test::certificates();
    CHECK_THROWS(
        Running{{}, TlsFiles{made.server.certificate.string(), made.second.private_key.string()}});
}

TEST_CASE("with a certificate it serves https, and plain http gets no response") {
    auto const& made = sallyport::test::certificates();
    Running server{{},
                   TlsFiles{made.server.certificate.string(), made.server.private_key.string()}};
    CHECK(server.say("GET / HTTP/1.1\r\nHost: h\r\n\r\n").find("HTTP/1.1") == std::string::npos);

    sallyport::test::RawClient client{server.port()};
    CHECK(client.exchange("GET /1 HTTP/1.1\r\nHost: h\r\n\r\n").body == "GET /1 ");
    CHECK(client.exchange("GET /2 HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n").body
          == "GET /2 ");
    CHECK(client.read_to_end() == sallyport::test::End::orderly);
}

TEST_CASE("a failure of the handler is a 500 and the connection stays open") {
    Running server;
    std::string const responses = server.say("GET /bug HTTP/1.1\r\nHost: h\r\n\r\n"
                                             "GET /next HTTP/1.0\r\nHost: h\r\n\r\n");
    CHECK_THAT(responses, StartsWith("HTTP/1.1 500 "));
    CHECK_THAT(responses, EndsWith("GET /next "));
}

TEST_CASE("HEAD gets only a head") {
    Running server;
    CHECK_THAT(server.say("HEAD / HTTP/1.0\r\nHost: h\r\n\r\n"), EndsWith("\r\n\r\n"));
}

TEST_CASE("pipelined requests get their responses in order on one connection") {
    Running server;
    std::string const responses =
        server.say("GET /1 HTTP/1.1\r\nHost: h\r\n\r\n"
                   "PUT /2 HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nab"
                   "GET /3 HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
    CHECK(responses.find("GET /1 ") < responses.find("PUT /2 ab"));
    CHECK(responses.find("PUT /2 ab") < responses.find("GET /3 "));
    CHECK_THAT(responses, EndsWith("GET /3 "));
    CHECK_THAT(responses, Contains("Connection: close"));
}

TEST_CASE("a client that expects 100-continue gets it before its body") {
    Running server;
    tcp::socket socket = server.connect();
    asio::write(socket, asio::buffer(
                            std::string_view{"PUT / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\n"
                                             "Content-Length: 2\r\nConnection: close\r\n\r\n"}));
    std::string response;
    std::size_t const interim =
        asio::read_until(socket, asio::dynamic_buffer(response), "\r\n\r\n");
    CHECK(response.substr(0, interim) == "HTTP/1.1 100 Continue\r\n\r\n");
    asio::write(socket, asio::buffer(std::string_view{"ab"}));
    CHECK_THAT(Running::rest_of(socket), EndsWith("PUT / ab"));
}

} // namespace server_test

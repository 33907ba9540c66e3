// The admin listener over loopback: requests, connections that are closed for new ones, workers
// that hang.
#include "gateway/admin/listener.h"

#include "gateway/accept/listening_socket.h"
#include "tests/support/raw_client.h"
#include "tests/unit/admin/admin_harness.h"

#include <boost/asio/post.hpp>

#include <list>
#include <optional>
#include <thread>

namespace listener_test {

using namespace sallyport;
using namespace sallyport::admin;
using admin::test::FactsFixture;
using sallyport::test::RawClient;

namespace {

constexpr std::size_t most_connections = 32;

// The listener, with a control loop in a thread of its own.
class Served : public FactsFixture {
public:
    Served() {
        auto opened = accept::open_listener({"127.0.0.1", 0});
        REQUIRE(opened.problem.empty());
        auto const& address = opened.listening.address;
        port_ = static_cast<std::uint16_t>(std::stoul(address.substr(address.rfind(':') + 1)));
        listener_.emplace(control_, std::move(opened.listening.descriptor),
                          AllowedClients::this_machine,
                          Gateway{[this] { return facts; },
                                  [this](std::function<void()> const& alive) {
                                      if (has_pulse) alive();
                                  }});
        thread_ = std::thread{[this] { control_.run(); }};
    }
    ~Served() { close(); }

    void close() {
        if (!thread_.joinable()) return;
        net::asio::post(control_, [this] { listener_.reset(); });
        thread_.join();
    }
    RawClient connect() const { return RawClient{port_, sallyport::test::without_tls()}; }
    int descriptor() const { return listener_->descriptor(); }

    bool has_pulse = true;

private:
    net::asio::io_context control_;
    std::optional<Listener> listener_;
    std::thread thread_;
    std::uint16_t port_ = 0;
};

std::string get(std::string const& path) {
    return "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
}

} // namespace

TEST_CASE_METHOD(Served, "several requests are served on one connection") {
    auto client = connect();
    CHECK(descriptor() >= 0);
    CHECK(client.exchange(get("/healthz")).body == "ok\n");
    CHECK(client.exchange(get("/readyz")).body == "ready\n");
    CHECK(client.exchange("HEAD /status HTTP/1.1\r\nHost: localhost\r\n\r\n").status == 200);
    CHECK(client.exchange(get("/nothing")).status == 404);
    CHECK(client.exchange(get("/metrics")).status == 200);
}

TEST_CASE_METHOD(Served, "a connection ends after a response if its client requests that") {
    auto client = connect();
    CHECK(client.exchange("GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
              .status
          == 200);
    CHECK(client.read_to_end() == sallyport::test::End::orderly);
}

TEST_CASE_METHOD(Served, "a malformed request gets no response") {
    auto client = connect();
    client.send("\x16\x03\x01\r\n\r\n");
    client.read_to_end();
    CHECK(client.unread().empty());
}

TEST_CASE_METHOD(Served, "a worker that hangs is reported after a while") {
    has_pulse = false;
    auto client = connect();
    auto const response = client.exchange(get("/healthz"));
    CHECK(response.status == 503);
    CHECK(response.body == "a worker does not respond\n");
    // The other pages do not need it.
    CHECK(client.exchange(get("/readyz")).status == 200);
}

TEST_CASE_METHOD(Served,
                 "of too many connections the one on which nothing began for longest ends") {
    std::list<RawClient> clients;
    for (std::size_t i = 0; i < most_connections; ++i) {
        clients.push_back(connect());
        CHECK(clients.back().exchange(get("/readyz")).status == 200);
    }
    CHECK(clients.front().exchange(get("/readyz")).status == 200);
    clients.push_back(connect());
    CHECK(clients.back().exchange(get("/readyz")).status == 200);
    // Not the first one, which has just been used, but the second.
    CHECK(std::next(clients.begin())->read_to_end() == sallyport::test::End::orderly);
    CHECK(clients.front().exchange(get("/readyz")).status == 200);
}

TEST_CASE_METHOD(Served, "open connections end with the listener") {
    auto client = connect();
    CHECK(client.exchange(get("/readyz")).status == 200);
    close();
    client.read_to_end();
    CHECK(client.unread().empty());
}

} // namespace listener_test

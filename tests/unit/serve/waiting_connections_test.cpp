// Which connection is closed: the one that has waited longest, of all or of an address, without
// received bytes.
#include "gateway/serve/waiting_connections.h"

#include "gateway/serve/connection.h"
#include "tests/unit/support/memory_stream.h"

#include <catch2/catch.hpp>

#include <deque>
#include <memory>

namespace waiting_connections_test {

using namespace sallyport;
using namespace sallyport::serve;

namespace {

constexpr auto request = WaitsFor::request;
constexpr auto handshake = WaitsFor::handshake;

class Fixture {
public:
    // By number: 0, 1, 2, ...
    Connection& connect(std::string const& address = "192.0.2.1") {
        auto stream = std::make_unique<net::test::MemoryStream>(worker_.loop);
        streams_.push_back(stream.get());
        pipeline::ClientConnection client;
        client.address = address;
        return *connections_.emplace_back(
            std::make_unique<Connection>(worker_, std::move(stream), std::move(client)));
    }
    Connection& wait(WaitsFor what, std::string const& address = "192.0.2.1") {
        auto& connection = connect(address);
        connection.place().begin(what, net::Clock::now());
        return connection;
    }
    static void begin_again(Connection& connection) {
        connection.place().begin(request, net::Clock::now());
    }
    void receive(std::size_t number) { streams_[number]->receive("x"); }
    void leave(std::size_t number) { connections_[number].reset(); }
    Connection& operator[](std::size_t number) { return *connections_[number]; }

    [[nodiscard]] WaitingConnections const& waiting() const { return worker_.waiting; }

private:
    net::Budget budget_{1UL << 20};
    observe::LogWakeUp wake_up_{-1};
    observe::LogRing ring_{1UL << 12, wake_up_};
    observe::ControlLog control_log_{-1};
    ExchangeLimits exchange_limits_{100, 100};
    WorkerState worker_{0, budget_, exchange_limits_, {}, ring_, control_log_};
    std::deque<std::unique_ptr<Connection>> connections_;
    std::deque<net::test::MemoryStream*> streams_;
};

} // namespace

TEST_CASE("addresses of one 64-bit network are counted together, and IPv4 addresses alone") {
    CHECK(counted_as("2001:db8:1:2::1") == counted_as("2001:0DB8:1:2:ffff::"));
    CHECK(counted_as("2001:db8:1:2::1") != counted_as("2001:db8:1:3::1"));
    CHECK(counted_as("2001:db8:1:2::1") != counted_as("2001:db8:0:2::1"));
    CHECK(counted_as("::ffff:192.0.2.1") != counted_as("192.0.2.1"));
    CHECK(counted_as("192.0.2.1") == "192.0.2.1");
    CHECK(counted_as("192.0.2.1") != counted_as("192.0.2.2"));
    CHECK(counted_as("") == ""); // of a unix socket
}

TEST_CASE_METHOD(Fixture, "without waiting connections none is closed") {
    auto& connection = connect();
    CHECK(waiting().count(request) == 0);
    CHECK(connection.place().count_of_address(request) == 0);
    CHECK(connection.place().longest_of_address(request) == nullptr);
    CHECK(waiting().longest(request) == nullptr);
    CHECK(waiting().longest(request, "192.0.2.1") == nullptr);
    CHECK(waiting().longest(request, "192.0.2.9") == nullptr);
}

TEST_CASE_METHOD(Fixture,
                 "the connection that has waited longest is first, and after another wait last") {
    for (int i = 0; i < 3; ++i)
        wait(request);
    Fixture& all = *this;
    CHECK(waiting().count(request) == 3);
    CHECK(waiting().longest(request) == &all[0]);
    auto const since = all[0].place().since();
    begin_again(all[0]); // it was served meanwhile
    CHECK(all[0].place().since() >= since);
    CHECK(waiting().count(request) == 3);
    CHECK(waiting().longest(request) == &all[1]);
    all[1].place().end(); // it is served
    all[1].place().end();
    CHECK(waiting().count(request) == 2);
    CHECK(waiting().longest(request) == &all[2]);
    leave(2);
    CHECK(waiting().count(request) == 1);
    CHECK(waiting().longest(request) == &all[0]);
    leave(0);
    CHECK(waiting().count(request) == 0);
    CHECK(waiting().longest(request) == nullptr);
}

TEST_CASE_METHOD(Fixture, "handshakes and idle connections wait in separate lists") {
    auto& first = wait(handshake);
    auto& second = wait(request);
    CHECK(waiting().longest(handshake) == &first);
    CHECK(waiting().longest(request) == &second);
    begin_again(first); // its handshake is complete
    CHECK(waiting().count(handshake) == 0);
    CHECK(first.place().count_of_address(handshake) == 0);
    CHECK(waiting().longest(handshake) == nullptr);
    CHECK(waiting().count(request) == 2);
    CHECK(first.place().count_of_address(request) == 2);
    CHECK(waiting().longest(request) == &second);
}

TEST_CASE_METHOD(Fixture, "connections of an address are counted and closed separately") {
    auto& oldest = wait(request, "192.0.2.1");
    auto& of_network = wait(request, "2001:db8::1");
    wait(request, "2001:db8::2");
    CHECK(waiting().longest(request) == &oldest);
    CHECK(oldest.place().count_of_address(request) == 1);
    CHECK(of_network.place().count_of_address(request) == 2);
    CHECK(waiting().longest(request, "2001:db8::3") == &of_network);
    CHECK(of_network.place().longest_of_address(request) == &of_network);
    CHECK(waiting().longest(request, "192.0.2.1") == &oldest);
    CHECK(oldest.place().longest_of_address(request) == &oldest);
    leave(0);
    CHECK(waiting().longest(request, "192.0.2.1") == nullptr);
    CHECK(waiting().longest(request) == &of_network);
}

TEST_CASE_METHOD(Fixture, "a connection with received bytes is skipped, 32 at most") {
    for (int i = 0; i < 40; ++i)
        wait(request);
    Fixture& all = *this;
    receive(0);
    CHECK(waiting().longest(request) == &all[1]);
    CHECK(waiting().longest(request, "192.0.2.1") == &all[1]);
    CHECK(waiting().count(request) == 40);
    for (std::size_t i = 1; i < 31; ++i)
        receive(i);
    CHECK(waiting().longest(request) == &all[31]);
    receive(31);
    CHECK(waiting().longest(request) == nullptr);
}

TEST_CASE_METHOD(
    Fixture,
    "a connection that is closed waits no more: idle ones in order, handshakes by a reset") {
    auto& idle = wait(request);
    auto& unfinished = wait(handshake);
    auto const ending = [](Connection& connection) {
        return dynamic_cast<net::test::MemoryStream&>(connection.stream()).ending();
    };
    idle.give_way(request);
    CHECK(idle.gave_place());
    CHECK(ending(idle) == net::test::MemoryStream::Ending::closed);
    unfinished.give_way(handshake);
    CHECK_FALSE(unfinished.gave_place());
    CHECK(ending(unfinished) == net::test::MemoryStream::Ending::aborted);
    CHECK(waiting().count(request) + waiting().count(handshake) == 0);
    CHECK(idle.worker().metrics.idle_gave_way.value() == 1);
    CHECK(idle.worker().metrics.handshakes_gave_way.value() == 1);
}

} // namespace waiting_connections_test

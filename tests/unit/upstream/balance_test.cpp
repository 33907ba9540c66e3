// The selection of endpoints: with the test's own clock and addresses, without a socket.
#include "gateway/upstream/balance.h"

#include <boost/asio/ip/tcp.hpp>
#include <catch2/catch.hpp>

#include <set>

namespace balance_test {

using namespace sallyport::upstream;
using namespace std::chrono_literals;

namespace {

Balance::Clock::time_point const origin{1h};

Address address(std::uint16_t port) {
    return boost::asio::ip::tcp::endpoint{boost::asio::ip::make_address("192.0.2.1"), port};
}

// One endpoint per number, with that address.
Balance make(std::vector<std::uint16_t> const& ports) {
    Balance balance{ports.size()};
    for (std::size_t i = 0; i < ports.size(); ++i)
        balance.set_addresses(i, {address(ports[i])});
    return balance;
}

// The first address of the next round, with its result.
Balance::Target take(Balance& balance, Balance::Clock::time_point now) {
    auto round = balance.begin(now);
    auto const target = balance.next(round, now);
    REQUIRE(target);
    return *target;
}

} // namespace

TEST_CASE("without addresses there is no attempt") {
    Balance balance{2};
    auto round = balance.begin(origin);
    CHECK_FALSE(balance.has_addresses());
    CHECK_FALSE(balance.next(round, origin));
}

TEST_CASE("no address is tried twice in a round, and their number is limited") {
    auto balance = make({1, 2});
    auto round = balance.begin(origin);
    std::set<std::uint64_t> seen;
    while (auto const target = balance.next(round, origin)) {
        CHECK(seen.insert(target->id).second);
        balance.failed(target->id, origin, origin);
    }
    CHECK(seen.size() == 2);

    auto many = make({1, 2, 3, 4, 5, 6});
    auto long_round = many.begin(origin);
    std::size_t attempts = 0;
    while (many.next(long_round, origin))
        ++attempts;
    CHECK(attempts == Balance::most_attempts);
}

TEST_CASE("endpoints are taken in turn") {
    auto balance = make({1, 2, 3});
    std::vector<std::size_t> order;
    for (int i = 0; i < 6; ++i)
        order.push_back(take(balance, origin).endpoint);
    CHECK(order == std::vector<std::size_t>{0, 1, 2, 0, 1, 2});
}

TEST_CASE(
    "the addresses of an endpoint are taken in turn, and the others are tried after a failure") {
    Balance balance{1};
    balance.set_addresses(0, {address(1), address(2)});
    CHECK(take(balance, origin).address == address(1));
    CHECK(take(balance, origin).address == address(2));
    auto round = balance.begin(origin);
    CHECK(balance.next(round, origin)->address == address(1));
    CHECK(balance.next(round, origin)->address == address(2));
    CHECK_FALSE(balance.next(round, origin));
}

TEST_CASE("a failed endpoint is skipped for a while, longer with each consecutive failure") {
    auto balance = make({1, 2});
    auto now = origin;
    for (auto const pause : {5s, 10s, 20s, 40s, 60s, 60s}) {
        INFO("a pause of " << pause.count() << " s");
        auto target = take(balance, now);
        if (target.endpoint != 0) target = take(balance, now);
        REQUIRE(target.endpoint == 0);
        balance.failed(target.id, now, now);
        for (int i = 0; i < 3; ++i)
            CHECK(take(balance, now + pause - 1ms).endpoint == 1);
        now += pause;
    }
}

TEST_CASE("concurrent failed attempts count as one failure") {
    auto balance = make({1, 2});
    auto const bad = take(balance, origin);
    for (auto const ended : {1s, 2s, 2s, 3s})
        balance.failed(bad.id, origin, origin + ended);
    auto const back = origin + 1s + Balance::first_pause;
    for (int i = 0; i < 3; ++i)
        CHECK(take(balance, back - 1ms).endpoint != bad.endpoint);
    int probes = 0;
    for (int i = 0; i < 3; ++i)
        if (take(balance, back).endpoint == bad.endpoint) ++probes;
    CHECK(probes == 1);
}

TEST_CASE("an endpoint is skipped once none of its addresses is left to try") {
    Balance balance{2};
    CHECK(balance.is_passed_over(0, origin));
    balance.set_addresses(0, {address(1), address(2)});
    balance.set_addresses(1, {address(3)});
    auto round = balance.begin(origin);
    for (int i = 0; i < 2; ++i) {
        CHECK_FALSE(balance.is_passed_over(0, origin));
        auto const target = balance.next(round, origin);
        REQUIRE(target);
        CHECK(target->endpoint == 0);
        balance.failed(target->id, origin, origin);
    }
    CHECK(balance.is_passed_over(0, origin));
    CHECK_FALSE(balance.is_passed_over(1, origin));
    // An address whose pause is over may work again.
    CHECK_FALSE(balance.is_passed_over(0, origin + Balance::first_pause));
}

TEST_CASE("after a pause one request retries, and the others wait for its result") {
    auto balance = make({1, 2});
    auto const bad = take(balance, origin);
    balance.failed(bad.id, origin, origin);
    auto const later = origin + Balance::first_pause;
    int probes = 0;
    for (int i = 0; i < 6; ++i)
        if (take(balance, later).endpoint == bad.endpoint) ++probes;
    CHECK(probes == 1);
    balance.succeeded(bad.id);
    std::set<std::size_t> seen;
    for (int i = 0; i < 2; ++i)
        seen.insert(take(balance, later).endpoint);
    CHECK(seen.size() == 2);
}

TEST_CASE("if all are skipped the one whose pause ends first is used") {
    auto balance = make({1, 2});
    auto const first = take(balance, origin);
    auto const second = take(balance, origin);
    balance.failed(second.id, origin, origin);
    balance.failed(first.id, origin + 1s, origin + 1s);
    auto round = balance.begin(origin + 2s);
    CHECK(balance.next(round, origin + 2s)->endpoint == second.endpoint);
    CHECK(balance.next(round, origin + 2s)->endpoint == first.endpoint);
    CHECK_FALSE(balance.next(round, origin + 2s));
}

TEST_CASE("addresses that stay keep their state, removed ones lose it") {
    Balance balance{1};
    balance.set_addresses(0, {address(1), address(2)});
    auto const bad = take(balance, origin);
    balance.failed(bad.id, origin, origin);
    balance.set_addresses(0, {address(3), address(1), address(1)});
    for (int i = 0; i < 3; ++i)
        CHECK(take(balance, origin).address == address(3));
    balance.set_addresses(0, {address(2)});
    // For a removed address.
    balance.failed(bad.id, origin, origin);
    balance.succeeded(bad.id);
    CHECK(take(balance, origin).address == address(2));
    balance.set_addresses(0, {});
    CHECK_FALSE(balance.has_addresses());
}

} // namespace balance_test

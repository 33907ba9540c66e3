// Ticket keys: three generations, and nothing older.
#include "gateway/net/ticket_keys.h"

#include <catch2/catch.hpp>

using namespace sallyport::net;
using namespace std::chrono_literals;

TEST_CASE("a ticket key that is three periods old opens nothing any more") {
    TicketKeys keys(1h);
    auto const start = Clock::now();
    auto const first = keys.current(start);
    REQUIRE(first);
    SECTION("when keys were asked for all the time") {
        for (auto at = start; at < start + 3h; at += 10min)
            REQUIRE(keys.current(at));
        CHECK_FALSE(keys.find(first->name, start + 3h));
    }
    SECTION("when nobody asked meanwhile") {
        CHECK_FALSE(keys.find(first->name, start + 3h));
    }
}

TEST_CASE("an unknown name finds no key") {
    TicketKeys keys;
    std::array<unsigned char, 16> const name{};
    CHECK_FALSE(keys.find(name, Clock::now()));
}

TEST_CASE("tickets are made under the newest key and opened under three") {
    TicketKeys keys(1h);
    auto const start = Clock::now();
    auto const first = keys.current(start);
    auto const still_first = keys.current(start + 59min);
    auto const second = keys.current(start + 60min);
    auto const third = keys.current(start + 120min);
    REQUIRE((first && still_first && second && third));
    CHECK(first->name == still_first->name);
    CHECK(first->name != second->name);
    CHECK(first->cipher != second->cipher);
    CHECK(first->mac != second->mac);
    auto const now = start + 170min;
    REQUIRE(keys.find(first->name, now));
    CHECK(keys.find(first->name, now)->age == TicketKeys::Age::older);
    CHECK(keys.find(first->name, now)->key.cipher == first->cipher);
    CHECK(keys.find(second->name, now)->age == TicketKeys::Age::older);
    CHECK(keys.find(third->name, now)->age == TicketKeys::Age::current);
}

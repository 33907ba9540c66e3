// The shared budget: nothing beyond the limit, and everything comes back.
#include "gateway/net/budget.h"

#include <catch2/catch.hpp>

#include <thread>
#include <vector>

using namespace sallyport::net;

TEST_CASE("a reservation beyond the limit is refused and changes nothing") {
    Budget budget(100);
    Reservation reservation(budget);
    CHECK(reservation.grow_to(60) == Granted::yes);
    CHECK(reservation.grow_to(101) == Granted::no);
    CHECK(reservation.bytes() == 60);
    CHECK(budget.used() == 60);
    Reservation other(budget);
    CHECK(other.grow_to(41) == Granted::no);
    CHECK(other.grow_to(40) == Granted::yes);
    CHECK(other.grow_to(SIZE_MAX) == Granted::no);
    CHECK(budget.used() == 100);
}

TEST_CASE("what could be done without never takes the last half, which is there for the rest") {
    Budget budget(101);
    Reservation copy(budget);
    CHECK(copy.grow_to(50, Claim::first_half) == Granted::yes);
    CHECK(copy.grow_to(51, Claim::first_half) == Granted::no);
    Reservation body(budget);
    CHECK(body.grow_to(51) == Granted::yes);
    copy.release();
    // Whoever holds the first half: there is none of it left.
    CHECK(copy.grow_to(1, Claim::first_half) == Granted::no);
}

TEST_CASE("a reservation without a budget is refused everything but nothing") {
    Reservation reservation;
    CHECK(reservation.grow_to(1) == Granted::no);
    CHECK(reservation.grow_to(0) == Granted::yes);
}

TEST_CASE("a limit that was lowered below what is used grants nothing until it came back") {
    Budget budget(100);
    Reservation reservation(budget);
    REQUIRE(reservation.grow_to(80) == Granted::yes);
    budget.set_limit(50);
    Reservation other(budget);
    CHECK(other.grow_to(1) == Granted::no);
    reservation.release();
    CHECK(other.grow_to(50) == Granted::yes);
}

TEST_CASE("a reservation gives back what it holds, once, wherever it was moved") {
    Budget budget(100);
    {
        Reservation first(budget);
        REQUIRE(first.grow_to(30) == Granted::yes);
        Reservation second(std::move(first));
        CHECK(second.grow_to(70) == Granted::yes);
        CHECK(budget.used() == 70);
        Reservation third(budget);
        REQUIRE(third.grow_to(10) == Granted::yes);
        third = std::move(second);
        CHECK(budget.used() == 70);
        third.release();
        CHECK(budget.used() == 0);
    }
    CHECK(budget.used() == 0);
}

TEST_CASE("workers that reserve at once never pass the limit together") {
    Budget budget(1000);
    std::atomic<bool> over = false;
    std::vector<std::thread> workers;
    for (int i = 0; i < 4; ++i) {
        workers.emplace_back([&] {
            for (int round = 0; round < 5000; ++round) {
                Reservation reservation(budget);
                if (reservation.grow_to(300) == Granted::yes && budget.used() > 1000) over = true;
            }
        });
    }
    for (auto& worker : workers)
        worker.join();
    CHECK_FALSE(over);
    CHECK(budget.used() == 0);
}

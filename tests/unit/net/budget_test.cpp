// The shared budget: nothing beyond the limit, and everything is released.
#include "gateway/net/budget.h"

#include <catch2/catch.hpp>

#include <thread>
#include <vector>

namespace budget_test {

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

TEST_CASE("a first_half claim never uses the last half of the budget") {
    Budget budget(101);
    Reservation copy(budget);
    CHECK(copy.grow_to(50, Claim::first_half) == Granted::yes);
    CHECK(copy.grow_to(51, Claim::first_half) == Granted::no);
    Reservation body(budget);
    CHECK(body.grow_to(51) == Granted::yes);
    copy.release();
    // The first half is used: none of it is left.
    CHECK(copy.grow_to(1, Claim::first_half) == Granted::no);
}

TEST_CASE("a reservation without a budget can only be empty") {
    Reservation reservation;
    CHECK(reservation.grow_to(1) == Granted::no);
    CHECK(reservation.grow_to(0) == Granted::yes);
}

TEST_CASE("a limit lowered below the used bytes grants nothing until enough is released") {
    Budget budget(100);
    Reservation reservation(budget);
    REQUIRE(reservation.grow_to(80) == Granted::yes);
    budget.set_limit(50);
    Reservation other(budget);
    CHECK(other.grow_to(1) == Granted::no);
    reservation.release();
    CHECK(other.grow_to(50) == Granted::yes);
}

TEST_CASE("a reservation releases its bytes once, wherever it was moved") {
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

TEST_CASE("workers that reserve concurrently never exceed the limit together") {
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

TEST_CASE("one owner cannot hold the last eighth beside what it has, and others can") {
    Budget budget(800, 100);
    Reservation first(budget, 1);
    Reservation second(budget, 1);
    Reservation other(budget, 2);
    REQUIRE(first.grow_to(600) == Granted::yes);
    CHECK(second.grow_to(101) == Granted::no);
    CHECK(second.is_over_share());
    CHECK(second.grow_to(100) == Granted::yes);
    CHECK_FALSE(second.is_over_share());
    CHECK(first.grow_to(601) == Granted::no);
    CHECK(other.grow_to(60) == Granted::yes);
    CHECK(budget.used() == 760);
    // Of the last eighth an owner gets no more than it leaves.
    Reservation more(budget, 2);
    CHECK(more.grow_to(1) == Granted::no);
    CHECK(more.is_over_share());
    Reservation third(budget, 3);
    CHECK(third.grow_to(20) == Granted::yes);
    Reservation of_third(budget, 3);
    CHECK(of_third.grow_to(20) == Granted::no);
    // Beyond the whole: the share is not the reason.
    Reservation fourth(budget, 4);
    CHECK(fourth.grow_to(21) == Granted::no);
    CHECK_FALSE(fourth.is_over_share());
    CHECK(fourth.grow_to(20) == Granted::yes);
    // A refused reservation holds nothing.
    first.release();
    CHECK(more.grow_to(200) == Granted::yes);
}

TEST_CASE("the only reservation of an owner may be larger than its share") {
    Budget budget(800, 100);
    Reservation first(budget, 1);
    CHECK(first.grow_to(500) == Granted::yes);
    CHECK(first.grow_to(800) == Granted::yes);
    Reservation second(budget, 1);
    CHECK(second.grow_to(1) == Granted::no);
    Reservation moved(std::move(first));
    moved.release();
    CHECK(second.grow_to(1) == Granted::yes);
    budget.set_share(800);
    Reservation third(budget, 1);
    CHECK(third.grow_to(799) == Granted::yes);
}

} // namespace budget_test

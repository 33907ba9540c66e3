// Owners of places: how many each may hold, and whose turn it is.
#include "gateway/net/holders.h"

#include <catch2/catch.hpp>

#include <array>
#include <deque>

namespace holders_test {

using namespace sallyport::net;

namespace {

constexpr OwnerKey greedy = 1;
constexpr OwnerKey other = 2;
constexpr OwnerKey third = 3;

// Takes places for an owner until it gets no more; how many it has then.
std::size_t take_all(Holders& holders, OwnerKey owner) {
    auto& holder = holders.of(owner);
    while (holders.is_entitled(holder))
        holders.take(holder);
    return holder.held;
}

} // namespace

TEST_CASE("one owner may hold everything but the last eighth") {
    CHECK(Shares{64, 16}.reserve() == 8);
    for (auto const& [all, share, most] : {std::array<std::size_t, 3>{64, 16, 56},
                                           {8, 2, 7}, {4, 1, 3}, {2, 1, 1}, {9, 8, 8}}) {
        Holders holders{{all, share}};
        CHECK(take_all(holders, greedy) == most);
        CHECK(holders.in_use() == most);
        // The reserve is there for others.
        CHECK(take_all(holders, other) > 0);
    }
}

TEST_CASE("an owner whose share is everything leaves nothing") {
    for (std::size_t const all : {std::size_t{1}, std::size_t{64}}) {
        Holders holders{{all, all}};
        CHECK(take_all(holders, greedy) == all);
    }
}

TEST_CASE("of the last eighth an owner takes no more than it leaves, so that many find a place") {
    Holders holders{{64, 16}};
    REQUIRE(take_all(holders, greedy) == 56);
    CHECK(take_all(holders, other) == 4);
    CHECK(take_all(holders, third) == 2);
    CHECK(take_all(holders, 4) == 1);
    CHECK(take_all(holders, 5) == 1);
    CHECK(take_all(holders, 6) == 0);
}

TEST_CASE("what an owner holds beyond its share is not renewed while others need it") {
    Holders holders{{8, 2}};
    REQUIRE(take_all(holders, greedy) == 7);
    auto& its = holders.of(greedy);
    auto& others = holders.of(other);
    REQUIRE(take_all(holders, other) == 1);
    std::deque<Queued> waiting(4);
    waiting[0].join(holders, its);
    waiting[1].join(holders, others);
    waiting[2].join(holders, others);
    CHECK(holders.next() == nullptr);
    SECTION("what it gives back is for those within their share, and fills what is kept for them") {
        // One is free: as many as the other one holds.
        holders.give_back(its);
        CHECK(holders.next() == nullptr);
        holders.give_back(its);
        REQUIRE(holders.next() == &waiting[1]);
        holders.serve(waiting[1]);
        // Both are beyond their share now, or have it.
        CHECK(holders.next() == nullptr);
        holders.give_back(its);
        REQUIRE(holders.next() == &waiting[0]);
    }
    SECTION("an owner that has none is first") {
        waiting[3].join(holders, holders.of(third));
        holders.give_back(its);
        REQUIRE(holders.next() == &waiting[3]);
        CHECK(&holders.serve(waiting[3]) == &holders.of(third));
        CHECK(holders.next() == nullptr);
        CHECK(holders.waiting() == 3);
    }
}

TEST_CASE("owners are served in turn, however much one of them waits for") {
    Holders holders{{1, 1}};
    holders.take(holders.of(greedy));
    std::deque<Queued> waiting(6);
    for (std::size_t i = 0; i < 3; ++i)
        waiting[i].join(holders, holders.of(greedy));
    waiting[3].join(holders, holders.of(other));
    waiting[4].join(holders, holders.of(other));
    waiting[5].join(holders, holders.of(third));
    auto* holder = &holders.of(greedy);
    for (auto const expected : std::array<std::size_t, 6>{0, 3, 5, 1, 4, 2}) {
        holders.give_back(*holder);
        auto* const next = holders.next();
        REQUIRE(next == &waiting[expected]);
        holder = &holders.serve(*next);
    }
    CHECK(holders.waiting() == 0);
}

TEST_CASE("one that leaves has no turn, and one that is destroyed neither") {
    Holders holders{{1, 1}};
    auto& holder = holders.of(greedy);
    holders.take(holder);
    Queued last;
    {
        Queued gone;
        Queued left;
        gone.join(holders, holders.of(other));
        left.join(holders, holders.of(other));
        last.join(holders, holders.of(other));
        left.leave();
        left.leave();
        CHECK(holders.waiting() == 2);
    }
    CHECK(holders.waiting() == 1);
    holders.give_back(holder);
    CHECK(holders.next() == &last);
}

TEST_CASE("of a full queue the last one of the owner with most of it gives way to one with fewer") {
    Holders holders{{1, 1}};
    std::deque<Queued> waiting(5);
    CHECK(holders.displaced_by(holders.of(greedy)) == nullptr);
    for (std::size_t i = 0; i < 3; ++i)
        waiting[i].join(holders, holders.of(greedy));
    waiting[3].join(holders, holders.of(other));
    CHECK(holders.displaced_by(holders.of(greedy)) == nullptr);
    CHECK(holders.displaced_by(holders.of(third)) == &waiting[2]);
    CHECK(holders.displaced_by(holders.of(other)) == &waiting[2]);
    // It would be as long as the longest.
    waiting[4].join(holders, holders.of(other));
    CHECK(holders.displaced_by(holders.of(other)) == nullptr);
}

TEST_CASE("inactive owners are forgotten, those that hold places are not") {
    Holders holders{{8, 2}};
    holders.take(holders.of(1));
    for (OwnerKey owner = 2; owner < 5'000; ++owner) {
        auto& holder = holders.of(owner);
        holders.take(holder);
        holders.give_back(holder);
    }
    CHECK(holders.of(1).held == 1);
    CHECK(holders.known() <= 1'024);
}

} // namespace holders_test

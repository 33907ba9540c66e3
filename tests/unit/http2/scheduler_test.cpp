// Who sends next, and how a client says what it wants first (RFC 9218).
#include "gateway/http2/scheduler.h"
#include "gateway/http2/urgency.h"

#include <catch2/catch.hpp>

#include <deque>
#include <string>
#include <vector>

namespace scheduler_test {

using namespace sallyport::http2;

namespace {

struct Fixture {
    Scheduler scheduler;
    std::deque<SendTurn> turns;

    SendTurn& add(std::uint32_t stream, unsigned level, bool incremental = false) {
        auto& turn = turns.emplace_back(stream);
        scheduler.change(turn, {static_cast<std::uint8_t>(level), incremental});
        scheduler.add(turn);
        return turn;
    }
    // The streams that send the next frames, if none of them ends.
    std::vector<std::uint32_t> next(int frames) {
        std::vector<std::uint32_t> streams;
        for (int i = 0; i < frames; ++i) {
            auto* const turn = scheduler.first();
            if (turn == nullptr) break;
            streams.push_back(turn->stream());
            scheduler.has_sent(*turn);
        }
        return streams;
    }
};

using Streams = std::vector<std::uint32_t>;

} // namespace

TEST_CASE("responses that are not incremental follow each other in the order of their ids") {
    Fixture test;
    test.add(5, 3);
    auto& first = test.add(1, 3);
    test.add(3, 3);
    CHECK(test.next(3) == Streams{1, 1, 1});
    test.scheduler.remove(first);
    CHECK(test.next(2) == Streams{3, 3});
    test.scheduler.add(first);
    CHECK(test.next(1) == Streams{1});
}

TEST_CASE("incremental ones take turns") {
    Fixture test;
    test.add(1, 3, true);
    test.add(3, 3, true);
    auto& last = test.add(5, 3, true);
    CHECK(test.next(7) == Streams{1, 3, 5, 1, 3, 5, 1});
    test.scheduler.remove(last);
    CHECK(test.next(3) == Streams{3, 1, 3});
}

TEST_CASE("of both kinds in one level neither waits for the other's end") {
    Fixture test;
    test.add(1, 3);
    test.add(3, 3, true);
    test.add(5, 3, true);
    test.add(7, 3);
    CHECK(test.next(6) == Streams{1, 3, 1, 5, 1, 3});
}

TEST_CASE("what is more urgent goes first, also if its urgency changes while it waits") {
    Fixture test;
    auto& last = test.add(1, 7);
    test.add(3, 3, true);
    auto& first = test.add(5, 0);
    CHECK(test.next(2) == Streams{5, 5});
    test.scheduler.remove(first);
    CHECK(test.next(2) == Streams{3, 3});
    test.scheduler.change(last, {2, false});
    CHECK(test.next(2) == Streams{1, 1});
    CHECK(last.urgency() == Urgency{2, false});
    test.scheduler.change(first, {1, true});
    CHECK_FALSE(first.is_waiting());
    test.scheduler.add(first);
    test.scheduler.add(first); // no effect
    CHECK(test.next(2) == Streams{5, 5});
}

TEST_CASE("a stream goes before another by its level, then by its id") {
    Fixture test;
    auto& first = test.add(1, 3);
    auto& second = test.add(3, 3);
    auto& shared = test.add(5, 3, true);
    auto& urgent = test.add(7, 2, true);
    CHECK(goes_before(first, second));
    CHECK_FALSE(goes_before(second, first));
    CHECK_FALSE(goes_before(first, shared));
    CHECK_FALSE(goes_before(shared, second));
    CHECK(goes_before(urgent, first));
    CHECK_FALSE(goes_before(first, urgent));
}

TEST_CASE("a stream that ends while it waits leaves the schedule") {
    Scheduler scheduler;
    {
        SendTurn turn{1};
        scheduler.add(turn);
        CHECK_FALSE(scheduler.is_empty());
    }
    CHECK(scheduler.is_empty());
    CHECK(scheduler.first() == nullptr);
    SendTurn other{3};
    {
        Scheduler short_lived;
        short_lived.add(other);
    }
    CHECK_FALSE(other.is_waiting());
    scheduler.remove(other);
    scheduler.has_sent(other);
    CHECK(scheduler.is_empty());
}

TEST_CASE("a priority is read from a dictionary of structured fields") {
    struct Row {
        std::string value;
        Urgency urgency;
    };
    Urgency const usual;
    auto const row = GENERATE_COPY(values<Row>({
        {"", usual},
        {"u=0", {0, false}},
        {"u=7, i", {7, true}},
        {"i,u=1", {1, true}},
        {"i;a=\"x\\\"y\";b, \tu=2;c=?0", {2, true}},
        {"u=5, i=?0", {5, false}},
        {"u=5, i=?1 ", {5, true}},
        {"  u=6", {6, false}},
        {"u=1, u=2", {2, false}}, // the last one counts (RFC 8941, 3.2)
        {"u=02", {2, false}},
        {"u=8", usual},
        {"u=-1", usual},
        {"u=1.0", usual},
        {"u=\"1\"", usual},
        {"u", usual},   // a boolean
        {"i=1", usual}, // an integer
        {"U=1", usual}, // a key is lower case: no dictionary
        {"u=1,", usual},
        {"u=1;", usual},
        {"u=1 i", usual},
        {"u=1, x=(1 \"a\";q=1 tok), i", {1, true}},
        {"u=1, x=(1 2", usual},
        {"u=1, x=(1\t2)", usual},
        {"x=:aGk=:, *y=a/b:c, u=4, i", {4, true}},
        {"x=:a, u=4", usual},
        {"x=\"a, u=4", usual},
        {"x=?2, u=4", usual},
        {"x=1234567890123456, u=4", usual},
        {"x=123456789012.345, u=4", {4, false}},
        {"x=1234567890123.1, u=4", usual},
        {"x=1., u=4", usual},
        {"x=\x7F, u=4", usual},
        {"u=1, x=" + std::string(256, 'a'), usual},
    }));
    CAPTURE(row.value);
    CHECK(parse_urgency(row.value).level == row.urgency.level);
    CHECK(parse_urgency(row.value).incremental == row.urgency.incremental);
}

TEST_CASE("what a later priority does not say stays as it was") {
    CHECK(parse_urgency("i", {1, false}) == Urgency{1, true});
    CHECK(parse_urgency("u=2", {1, true}) == Urgency{2, true});
    CHECK(parse_urgency("!", {1, true}) == Urgency{1, true});
}

} // namespace scheduler_test

// The ring between a worker and the writer: whole lines in order, drops counted, gaps visible.
#include "gateway/observe/log_ring.h"

#include <catch2/catch.hpp>

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <thread>

namespace log_ring_test {

using namespace sallyport::observe;

namespace {

// An event descriptor, and whether it was signalled.
class Event {
public:
    Event() : descriptor_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)} {}
    Event(Event const&) = delete;
    Event& operator=(Event const&) = delete;
    ~Event() { ::close(descriptor_); }

    int descriptor() const { return descriptor_; }
    std::uint64_t take_signals() {
        std::uint64_t signals = 0;
        return ::read(descriptor_, &signals, sizeof signals) == sizeof signals ? signals : 0;
    }

private:
    int descriptor_;
};

struct Fixture {
    Event event;
    LogWakeUp wake_up{event.descriptor()};
};

std::string waiting(LogRing const& ring) {
    auto const parts = ring.readable();
    return std::string{parts[0]} + std::string{parts[1]};
}

} // namespace

TEST_CASE_METHOD(Fixture, "a line that does not fit is dropped, counted, and leaves a gap in seq") {
    LogRing ring{16, wake_up};
    CHECK(ring.take_seq() == 0);
    CHECK(ring.push("0123456789\n") == Pushed::yes);
    CHECK(ring.take_seq() == 1);
    CHECK(ring.push("abcde\n") == Pushed::dropped);
    CHECK(ring.dropped() == 1);
    CHECK(ring.take_seq() == 2);
    CHECK(ring.push("abcd\n") == Pushed::yes);
    CHECK(waiting(ring) == "0123456789\nabcd\n");
    CHECK(ring.push("\n") == Pushed::dropped);
    CHECK(ring.dropped() == 2);
}

TEST_CASE_METHOD(Fixture, "a line longer than the ring is dropped") {
    LogRing ring{16, wake_up};
    CHECK(ring.push("0123456789abcdef\n") == Pushed::dropped);
    CHECK(ring.push("0123456789abcde\n") == Pushed::yes);
    CHECK(waiting(ring) == "0123456789abcde\n");
}

TEST_CASE_METHOD(Fixture, "released space is reused, and lines wrap around the end") {
    LogRing ring{16, wake_up};
    std::string expected;
    for (int i = 0; i < 100; ++i) {
        auto const line =
            std::string(static_cast<std::size_t>(i) % 9, 'x') + std::to_string(i) + "\n";
        REQUIRE(ring.push(line) == Pushed::yes);
        REQUIRE(waiting(ring) == line);
        ring.release(line.size());
        REQUIRE(waiting(ring).empty());
    }
    REQUIRE(ring.push("01234567\n") == Pushed::yes);
    ring.release(3);
    CHECK(waiting(ring) == "34567\n");
}

TEST_CASE_METHOD(Fixture, "the writer is woken once, by the line that makes a ring half full") {
    LogRing ring{64, wake_up};
    std::string const line = "123456789012345\n";
    CHECK(ring.push(line) == Pushed::yes);
    CHECK(ring.push(line) == Pushed::yes);
    CHECK(event.take_signals() == 0);
    CHECK(ring.push(line) == Pushed::yes);
    CHECK(event.take_signals() == 1);
    CHECK(ring.push(line) == Pushed::yes);
    CHECK(ring.push(line) == Pushed::dropped);
    CHECK(event.take_signals() == 0);
    // Once it has woken up it can be woken again.
    wake_up.accept();
    CHECK(ring.push(line) == Pushed::dropped);
    CHECK(event.take_signals() == 1);
    ring.release(4 * line.size());
    wake_up.accept();
    CHECK(ring.push(line) == Pushed::yes);
    CHECK(event.take_signals() == 0);
}

TEST_CASE_METHOD(Fixture, "reserved space is kept free, and released for its line") {
    LogRing ring{4 * LogRing::reserved_line, wake_up};
    std::string const line(LogRing::reserved_line - 1, 'x');
    for (int i = 0; i < 3; ++i)
        REQUIRE(ring.reserve());
    CHECK(ring.push(line + "\n") == Pushed::yes); // one that has no reservation
    CHECK_FALSE(ring.has_room(1));
    CHECK(event.take_signals() == 1); // the writer must hurry
    CHECK(ring.push("\n") == Pushed::dropped);
    CHECK_FALSE(ring.reserve());
    for (int i = 0; i < 3; ++i) {
        ring.release_reservation();
        CHECK(ring.has_room(LogRing::reserved_line));
        CHECK_FALSE(ring.has_room(LogRing::reserved_line + 1));
        CHECK(ring.push(line + "\n") == Pushed::yes);
    }
    CHECK(ring.push("\n") == Pushed::dropped);
    ring.release(line.size() + 1);
    CHECK(ring.reserve());
    CHECK_FALSE(ring.reserve());
}

TEST_CASE_METHOD(Fixture, "an empty ring restarts at its beginning, so that it stays small") {
    constexpr std::size_t capacity = std::size_t{1} << 20;
    LogRing ring{capacity, wake_up};
    std::string const line = std::string(999, 'x') + "\n";
    auto const* const start = ring.readable()[0].data();
    std::size_t furthest = 0;
    // Never more than 100 lines wait: the ring wraps ten times.
    for (int round = 0; round < 100; ++round) {
        for (int i = 0; i < 100; ++i)
            REQUIRE(ring.push(line) == Pushed::yes);
        auto const parts = ring.readable();
        REQUIRE(parts[0].size() == 100 * line.size());
        furthest = std::max(furthest, static_cast<std::size_t>(parts[0].data() - start)
                                          + parts[0].size());
        ring.release(40 * line.size());
        REQUIRE(ring.readable()[0].size() == 60 * line.size());
        ring.release(60 * line.size());
        REQUIRE(ring.readable()[0].empty());
    }
    CHECK(furthest < capacity / 2);
    // After the restart all of it is free: space is not counted twice.
    std::size_t pushed = 0;
    while (ring.push(line) == Pushed::yes)
        ++pushed;
    CHECK(pushed == capacity / line.size());
    CHECK(waiting(ring).size() == pushed * line.size());
}

TEST_CASE_METHOD(Fixture, "two threads see whole lines in order in a ring that restarts") {
    LogRing ring{std::size_t{1} << 20, wake_up};
    constexpr std::uint64_t lines = 20'000;
    std::thread producer{[&ring] {
        for (std::uint64_t i = 0; i < lines;) {
            auto const line = std::to_string(i) + std::string(500, ' ') + "\n";
            if (ring.push(line) == Pushed::yes) ++i;
        }
    }};
    std::uint64_t expected = 0;
    bool in_order = true;
    while (expected < lines) {
        auto const text = waiting(ring);
        ring.release(text.size());
        for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1)
            in_order = in_order && std::stoull(text.substr(at, 20)) == expected++;
    }
    producer.join();
    CHECK(in_order);
}

TEST_CASE_METHOD(Fixture, "two threads see whole lines in order, and every drop as a gap") {
    LogRing ring{1024, wake_up};
    constexpr std::uint64_t lines = 200'000;
    std::thread producer{[&ring] {
        for (std::uint64_t i = 0; i < lines; ++i) {
            auto const seq = ring.take_seq();
            auto const line = std::to_string(seq) + std::string(seq % 40, ' ') + "\n";
            ring.push(line);
        }
        // The last line marks the end, so it must not be dropped.
        while (ring.push("end\n") == Pushed::dropped)
            std::this_thread::yield();
    }};
    std::uint64_t expected = 0;
    std::uint64_t received = 0;
    auto ended = false;
    auto in_order = true;
    std::string text;
    while (!ended) {
        text = waiting(ring);
        ring.release(text.size());
        if (text.empty()) std::this_thread::yield();
        in_order = in_order && (text.empty() || text.back() == '\n');
        for (std::size_t at = 0; at < text.size();) {
            auto const end = text.find('\n', at);
            auto const line = std::string_view{text}.substr(at, end - at);
            at = end + 1;
            if (line == "end") {
                ended = true;
                break;
            }
            auto const seq = std::stoull(std::string{line});
            in_order = in_order && seq >= expected && line.size() >= seq % 40;
            expected = seq + 1;
            ++received;
        }
    }
    producer.join();
    CHECK(in_order);
    CHECK(received + ring.dropped() >= lines);
    // Drops of "end" are counted too.
    CHECK(received <= lines);
    CHECK(received > 0);
}

} // namespace log_ring_test

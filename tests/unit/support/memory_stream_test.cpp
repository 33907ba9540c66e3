// Tests of the test stream itself.
#include "tests/unit/net/harness.h"
#include "tests/unit/support/memory_stream.h"

namespace memory_stream_test {

using namespace sallyport::net;
using namespace sallyport::net::test;

namespace {

struct Watcher final : PeerWatcher {
    void peer_gone() override { ++calls; }
    int calls = 0;
};

Task<std::size_t> operations_that_fail(Loop& loop) {
    for (std::size_t n = 1;; ++n) {
        MemoryStream stream(loop);
        stream.receive("ab").receive_end().fail_at(n, asio::error::connection_reset);
        Error end;
        auto const all = co_await read_all(stream, &end, 1);
        auto const sent = co_await stream.write("pong");
        if (end == asio::error::eof && !sent) co_return n - 1;
        CHECK((end == asio::error::connection_reset || sent == asio::error::connection_reset));
    }
}

} // namespace

TEST_CASE("a fault can be injected at every operation until all succeed") {
    Loop loop;
    // Two bytes, the end, and one write.
    CHECK(run(loop, operations_that_fail(loop)) == 4);
}

TEST_CASE("a failing write accepts the given number of bytes") {
    Loop loop;
    MemoryStream stream(loop);
    stream.fail_at(1, asio::error::broken_pipe).take_before_failure(3);
    CHECK(run(loop, stream.write("response")) == asio::error::broken_pipe);
    CHECK(stream.sent() == "res");
}

TEST_CASE("a read returns bytes of one piece at most") {
    Loop loop;
    MemoryStream stream(loop);
    stream.receive_in_pieces("abcde", 2).receive_end(StreamError::truncated);
    std::string block(10, '\0');
    CHECK(stream.unread() == 5);
    CHECK(*stream.try_read(block) == 2);
    CHECK(*stream.try_read(std::span(block).first(1)) == 1);
    CHECK(*stream.try_read(block) == 1);
    CHECK(*stream.try_read(block) == 1);
    CHECK(stream.try_read(block).error() == StreamError::truncated);
}

TEST_CASE("reads wait at a stall until resumed, and at the end of the script until more comes") {
    Loop loop;
    MemoryStream stream(loop);
    stream.stall().receive("x");
    std::optional<std::string> result;
    start(loop, keep_result(read_exactly(stream, 2), result));
    run_ready(loop);
    CHECK(stream.unread() == 1);
    stream.resume();
    run_ready(loop);
    CHECK(stream.unread() == 0);
    CHECK_FALSE(result);
    stream.receive("y");
    run_ready(loop);
    CHECK(result == "xy");
}

TEST_CASE("an interrupted wait ends with operation_aborted and the stream stays usable") {
    Loop loop;
    MemoryStream stream(loop);
    std::optional<Error> result;
    start(loop, keep_result(stream.wait_readable(), result));
    run_ready(loop);
    stream.interrupt();
    run_ready(loop);
    REQUIRE(result);
    CHECK(*result == asio::error::operation_aborted);
    stream.receive("z");
    CHECK(run(loop, read_exactly(stream, 1)) == "z");
}

TEST_CASE("writes wait while they are stalled, and are split as configured") {
    Loop loop;
    MemoryStream stream(loop);
    stream.stall_writing().write_in_pieces(3);
    std::optional<Error> result;
    start(loop, keep_result(stream.write("abcdefgh"), result));
    run_ready(loop);
    CHECK(stream.sent().empty());
    stream.resume_writing();
    run_ready(loop);
    CHECK(stream.sent() == "abcdefgh");
    REQUIRE(result);
    CHECK_FALSE(*result);
    CHECK(stream.writes() == std::vector<std::size_t>{8});
}

TEST_CASE("a watcher of a memory stream is called once for the scripted end") {
    Loop loop;
    MemoryStream stream(loop);
    Watcher watcher;
    CHECK(stream.watch_peer(watcher) == PeerState::present);
    stream.receive("pipelined");
    CHECK(watcher.calls == 0);
    stream.receive_end();
    CHECK(watcher.calls == 1);
    CHECK_FALSE(stream.is_watched());
    CHECK(run(loop, read_exactly(stream, 9)) == "pipelined");
    CHECK(stream.watch_peer(watcher) == PeerState::gone);
}

TEST_CASE("after an ending everything is aborted, and the ending is known") {
    Loop loop;
    MemoryStream stream(loop);
    std::optional<Error> result;
    start(loop, keep_result(stream.wait_readable(), result));
    run_ready(loop);
    stream.abort();
    run_ready(loop);
    REQUIRE(result);
    CHECK(*result == asio::error::operation_aborted);
    CHECK(stream.ending() == MemoryStream::Ending::aborted);
    CHECK(run(loop, stream.write("late")) == asio::error::operation_aborted);
    CHECK(stream.sent().empty());
}

} // namespace memory_stream_test

// Plain streams over socket pairs: ends, back-pressure, watching, and their cost.
#include "gateway/net/plain_stream.h"

#include "gateway/net/counters.h"
#include "tests/unit/net/harness.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <functional>
#include <vector>

namespace plain_stream_test {

using namespace sallyport::net;
using namespace sallyport::net::test;
using namespace std::chrono_literals;

namespace {

struct Watcher final : PeerWatcher {
    void peer_gone() override { ++calls; }
    int calls = 0;
};

struct Ends {
    Loop loop;
    PlainStream near;
    PlainStream far;

    explicit Ends(std::pair<FileDescriptor, FileDescriptor> pair = make_pair())
        : near(loop, std::move(pair.first), {}), far(loop, std::move(pair.second), {}) {}
};

void send_raw(int descriptor, std::string_view bytes) {
    REQUIRE(::send(descriptor, bytes.data(), bytes.size(), MSG_NOSIGNAL)
            == static_cast<ssize_t>(bytes.size()));
}

} // namespace

TEST_CASE("a plain stream ends with eof only after FIN, and with the error after RST") {
    SECTION("FIN") {
        Ends ends;
        REQUIRE_FALSE(run(ends.loop, ends.far.write("last words")));
        ends.far.close();
        Error end;
        CHECK(run(ends.loop, read_all(ends.near, &end)) == "last words");
        CHECK(end == asio::error::eof);
    }
    SECTION("RST") {
        Ends ends(make_tcp_pair());
        ends.far.abort();
        Error end;
        run(ends.loop, read_all(ends.near, &end));
        CHECK(end == asio::error::connection_reset);
    }
    SECTION("destruction is RST, too") {
        Loop loop;
        auto pair = make_tcp_pair();
        PlainStream near(loop, std::move(pair.first), {});
        { PlainStream const far(loop, std::move(pair.second), {}); }
        Error end;
        run(loop, read_all(near, &end));
        CHECK(end == asio::error::connection_reset);
    }
}

TEST_CASE("on a socket that cannot be registered every call fails with the reason") {
    Loop loop;
    PlainStream stream(loop, FileDescriptor(::open("/dev/null", O_RDWR | O_CLOEXEC)), {});
    CHECK_FALSE(stream.is_open());
    char byte = 0;
    CHECK(stream.try_read({&byte, 1}).error() == boost::system::errc::operation_not_permitted);
    CHECK(run(loop, stream.wait_readable()) == boost::system::errc::operation_not_permitted);
    CHECK(run(loop, stream.write("x")) == boost::system::errc::operation_not_permitted);
    Watcher watcher;
    CHECK(stream.watch_peer(watcher) == PeerState::gone);
    stream.abort();
    stream.close();
}

TEST_CASE("abort ends pending operations with operation_aborted") {
    Ends ends;
    std::optional<Error> read;
    std::optional<Error> write;
    std::string const much(8 << 20, 'x');
    start(ends.loop, keep_result(ends.near.wait_readable(), read));
    start(ends.loop, keep_result(ends.near.write(much), write));
    run_ready(ends.loop);
    ends.near.abort();
    CHECK_FALSE(read);
    run_until(ends.loop, [&] { return read && write; });
    CHECK(*read == asio::error::operation_aborted);
    CHECK(*write == asio::error::operation_aborted);
    char byte = 0;
    CHECK(ends.near.try_read({&byte, 1}).error() == asio::error::operation_aborted);
}

TEST_CASE("an interrupted wait ends and the stream stays usable") {
    Ends ends;
    std::optional<Error> read;
    start(ends.loop, keep_result(ends.near.wait_readable(), read));
    run_ready(ends.loop);
    ends.near.interrupt();
    run_until(ends.loop, [&] { return read.has_value(); });
    CHECK(*read == asio::error::operation_aborted);
    ends.near.interrupt(); // nothing waits: no effect
    REQUIRE_FALSE(run(ends.loop, ends.far.write("x")));
    CHECK(run(ends.loop, read_exactly(ends.near, 1)) == "x");
}

TEST_CASE("data written under back-pressure arrive completely and in order") {
    Ends ends;
    std::string body;
    for (int i = 0; i < 400000; ++i)
        body += std::to_string(i) + ' ';
    std::array<std::string_view, 4> const pieces{"head ", "", body, "tail"};
    std::optional<Error> written;
    start(ends.loop, keep_result(ends.near.write(pieces), written));
    auto const got = run(ends.loop, read_exactly(ends.far, body.size() + 9));
    CHECK(got == "head " + body + "tail");
    run_until(ends.loop, [&] { return written.has_value(); });
    CHECK_FALSE(*written);
}

TEST_CASE("more pieces than one system call accepts all arrive") {
    Ends ends;
    std::vector<std::string_view> const pieces(50, "ab");
    REQUIRE_FALSE(run(ends.loop, ends.near.write(pieces)));
    CHECK(run(ends.loop, read_exactly(ends.far, 100)).size() == 100);
}

TEST_CASE("a head and a body are sent in one system call, and a response costs one receive") {
    Ends ends;
    std::array<std::string_view, 2> const pieces{"head", "body"};
    run_ready(ends.loop);
    auto const before = system_calls();
    REQUIRE_FALSE(run(ends.loop, ends.far.write(pieces)));
    CHECK(system_calls().sends - before.sends == 1);
    std::string block(100, '\0');
    REQUIRE_FALSE(run(ends.loop, ends.near.wait_readable()));
    CHECK(*ends.near.try_read(block) == 8);
    // Drained by a short read: neither this nor the wait makes a system call.
    CHECK(ends.near.try_read(block).error() == asio::error::would_block);
    CHECK_FALSE(ends.near.has_pending());
    CHECK(system_calls().receives - before.receives == 1);
    CHECK(system_calls().controls == before.controls);
}

TEST_CASE("a stream that always has bytes pauses after its share, until the loop's next turn") {
    auto pair = make_pair();
    Loop loop;
    PlainStream near(loop, std::move(pair.first), {});
    std::string const piece(std::size_t{64} * 1024, 'x');
    std::vector<char> into(piece.size());
    send_raw(pair.second.get(), piece);
    REQUIRE_FALSE(run(loop, near.wait_readable()));
    for (std::size_t seen = 0; seen < Socket::turn_share; seen += piece.size()) {
        auto const got = near.try_read(into);
        REQUIRE(got.has_value());
        REQUIRE(*got == piece.size());
        send_raw(pair.second.get(), piece);
    }
    auto const rests = near.try_read(into);
    REQUIRE_FALSE(rests.has_value());
    CHECK(rests.error() == asio::error::would_block);
    // Pending bytes are remembered: a pool must not take such a connection for a quiet one.
    CHECK(near.has_pending());
    CHECK_FALSE(near.is_quiet());
    CHECK_FALSE(run(loop, near.wait_readable()));
    auto const goes_on = near.try_read(into);
    REQUIRE(goes_on.has_value());
    CHECK(*goes_on == piece.size());
}

TEST_CASE("a watcher is called once when the peer closes, and pipelined bytes stay") {
    SECTION("FIN behind unread bytes") {
        Ends ends;
        Watcher watcher;
        CHECK(ends.near.watch_peer(watcher) == PeerState::present);
        REQUIRE_FALSE(run(ends.loop, ends.far.write("GET /next")));
        run_until(ends.loop, [&] { return ends.near.has_pending(); });
        CHECK(watcher.calls == 0);
        ends.far.close();
        run_until(ends.loop, [&] { return watcher.calls > 0; });
        CHECK(watcher.calls == 1);
        Error end;
        CHECK(run(ends.loop, read_all(ends.near, &end, 3)) == "GET /next");
        CHECK(end == asio::error::eof);
        CHECK(watcher.calls == 1);
        CHECK(ends.near.watch_peer(watcher) == PeerState::gone);
    }
    SECTION("RST") {
        Ends ends(make_tcp_pair());
        Watcher watcher;
        CHECK(ends.near.watch_peer(watcher) == PeerState::present);
        ends.far.abort();
        run_until(ends.loop, [&] { return watcher.calls > 0; });
        CHECK(watcher.calls == 1);
    }
    SECTION("not after unwatching") {
        Ends ends;
        Watcher watcher;
        CHECK(ends.near.watch_peer(watcher) == PeerState::present);
        ends.near.unwatch_peer();
        ends.far.close();
        Error end;
        run(ends.loop, read_all(ends.near, &end));
        CHECK(watcher.calls == 0);
    }
}

TEST_CASE("a stream is quiet only while no bytes have arrived and the peer is connected") {
    Ends ends;
    CHECK(ends.near.is_quiet());
    send_raw(ends.far.native_handle(), "x");
    CHECK_FALSE(ends.near.is_quiet());
    CHECK(run(ends.loop, read_exactly(ends.near, 1)) == "x");
    CHECK(ends.near.is_quiet());
    ends.far.close();
    CHECK_FALSE(ends.near.is_quiet());
}

namespace {

// Does something at the bottom of the call stack as soon as `stream` has bytes: within a batch of
// the poller.
Task<> when_readable(Stream& stream, std::function<void()> action) {
    CHECK_FALSE(co_await stream.wait_readable());
    action();
}

std::uint64_t receives_of(std::function<void()> const& action) {
    auto const before = system_calls().receives;
    action();
    return system_calls().receives - before;
}

} // namespace

TEST_CASE("a stream that ended in the same turn is not quiet for the first handler, without a "
          "system call") {
    Ends first;
    auto second = make_pair();
    PlainStream watched(first.loop, std::move(second.first), {});
    run_ready(first.loop);
    bool has_acted = false;
    start(first.loop, when_readable(first.near, [&] {
              has_acted = true;
              CHECK(receives_of([&] { CHECK_FALSE(watched.is_quiet()); }) == 0);
              CHECK(watched.has_pending());
          }));
    // Ready in this order, and notified in it.
    send_raw(first.far.native_handle(), "a request");
    second.second.reset();
    run_until(first.loop, [&] { return has_acted; });
}

TEST_CASE("bytes that arrived since the last poll are found by reading the socket each time") {
    Ends first;
    auto second = make_pair();
    PlainStream watched(first.loop, std::move(second.first), {});
    run_ready(first.loop);
    bool has_acted = false;
    start(first.loop, when_readable(first.near, [&] {
              has_acted = true;
              CHECK(receives_of([&] { CHECK(watched.is_quiet()); }) == 1);
              // Within the same turn: it was not reported yet.
              send_raw(second.second.get(), "left over");
              CHECK_FALSE(watched.has_pending());
              CHECK(receives_of([&] { CHECK_FALSE(watched.is_quiet()); }) == 1);
              CHECK(watched.has_pending());
          }));
    send_raw(first.far.native_handle(), "a request");
    run_until(first.loop, [&] { return has_acted; });
    CHECK(run(first.loop, read_exactly(watched, 9)) == "left over");
    CHECK(watched.is_quiet());
}

TEST_CASE("a stream whose last read filled the buffer is quiet once it is known to be empty") {
    Ends ends;
    send_raw(ends.far.native_handle(), "whole");
    std::string into(5, '\0');
    REQUIRE_FALSE(run(ends.loop, ends.near.wait_readable()));
    REQUIRE(ends.near.try_read(into).has_value());
    CHECK(ends.near.has_pending()); // as far as reported
    CHECK(ends.near.is_quiet());
    CHECK_FALSE(ends.near.has_pending());
    send_raw(ends.far.native_handle(), "more.");
    CHECK(run(ends.loop, read_exactly(ends.near, 5)) == "more.");
}

TEST_CASE("an end that did not fit into this turn's batch is reported") {
    Ends first;
    auto second = make_pair();
    PlainStream watched(first.loop, std::move(second.first), {});
    std::vector<std::pair<FileDescriptor, std::unique_ptr<PlainStream>>> crowd;
    for (int i = 0; i < 200; ++i) {
        auto pair = make_pair();
        crowd.emplace_back(std::move(pair.second), std::make_unique<PlainStream>(
                                                       first.loop, std::move(pair.first), Peer{}));
    }
    for (int i = 0; i < 4; ++i)
        run_ready(first.loop);
    bool has_acted = false;
    start(first.loop, when_readable(first.near, [&] {
              has_acted = true;
              CHECK_FALSE(watched.is_quiet());
          }));
    send_raw(first.far.native_handle(), "a request");
    for (auto const& [far, near] : crowd)
        send_raw(far.get(), "another one");
    second.second.reset();
    run_until(first.loop, [&] { return has_acted; });
}

TEST_CASE("shutdown waits for the peer's end and discards what still arrives") {
    Ends ends(make_tcp_pair());
    REQUIRE_FALSE(run(ends.loop, ends.far.write("more of the refused body")));
    REQUIRE_FALSE(run(ends.loop, ends.near.write("HTTP/1.1 413")));
    bool done = false;
    start(ends.loop, ends.near.shutdown(), &done);
    Error end;
    CHECK(run(ends.loop, read_all(ends.far, &end)) == "HTTP/1.1 413");
    CHECK(end == asio::error::eof);
    CHECK_FALSE(done);
    ends.far.close();
    run_until(ends.loop, [&] { return done; });
    CHECK_FALSE(ends.near.is_open());
}

TEST_CASE("shutdown ends within its limits if the peer neither closes nor stops sending") {
    SECTION("time") {
        Ends ends;
        auto const begin = Clock::now();
        run(ends.loop, ends.near.shutdown({64 << 10, 100ms}));
        CHECK(Clock::now() - begin >= 100ms);
        CHECK(Clock::now() - begin < 5s);
        CHECK_FALSE(ends.near.is_open());
    }
    SECTION("bytes") {
        Ends ends;
        std::string const flood(1 << 20, 'x');
        std::optional<Error> written;
        start(ends.loop, keep_result(ends.far.write(flood), written));
        auto const before = system_calls().receives;
        run(ends.loop, ends.near.shutdown({64 << 10, 10s}));
        CHECK(system_calls().receives - before <= 64);
        CHECK_FALSE(ends.near.is_open());
        run_until(ends.loop, [&] { return written.has_value(); });
        CHECK(*written == asio::error::broken_pipe);
    }
    SECTION("an abort") {
        Ends ends;
        bool done = false;
        start(ends.loop, ends.near.shutdown({64 << 10, 1h}), &done);
        run_ready(ends.loop);
        ends.near.abort();
        run_until(ends.loop, [&] { return done; });
    }
}

TEST_CASE("a loop that ends destroys streams that are waited for") {
    auto pair = make_pair();
    {
        Loop loop;
        auto stream = std::make_shared<PlainStream>(loop, std::move(pair.first), Peer{});
        struct Hold {
            static Task<> wait(std::shared_ptr<PlainStream> held) {
                (void)co_await held->wait_readable();
            }
        };
        start(loop, Hold::wait(std::move(stream)));
        run_ready(loop);
    }
    char byte = 0;
    CHECK(::recv(pair.second.get(), &byte, 1, MSG_DONTWAIT) == 0);
}

namespace {

asio::generic::stream_protocol::endpoint listen_on(FileDescriptor& listener) {
    listener = FileDescriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    REQUIRE(::bind(listener.get(), reinterpret_cast<sockaddr*>(&address), size) == 0);
    REQUIRE(::listen(listener.get(), 8) == 0);
    REQUIRE(::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size) == 0);
    return {&address, size};
}

} // namespace

TEST_CASE("connect distinguishes refusal from success") {
    Loop loop;
    FileDescriptor listener;
    auto const endpoint = listen_on(listener);
    auto made = run(loop, connect(loop, endpoint, 5s));
    REQUIRE(made);
    PlainStream stream(std::move(*made), {});
    CHECK_FALSE(run(loop, stream.write("hello")));
    listener.reset();
    auto const refused = run(loop, connect(loop, endpoint, 5s));
    REQUIRE_FALSE(refused);
    CHECK(refused.error() == asio::error::connection_refused);
}

TEST_CASE("connect ends after its time limit without a response") {
    Loop loop;
    FileDescriptor listener;
    auto const endpoint = listen_on(listener);
    // A full backlog: the kernel drops further connections.
    std::vector<std::unique_ptr<Socket>> made;
    for (int i = 0; i < 64; ++i) {
        auto attempt = run(loop, connect(loop, endpoint, 50ms));
        if (!attempt) {
            CHECK(attempt.error() == asio::error::timed_out);
            return;
        }
        made.push_back(std::move(*attempt));
    }
    FAIL("the backlog never filled");
}

TEST_CASE("urgent data do not end a read: the bytes behind their mark arrive, too") {
    Ends ends(make_tcp_pair());
    auto const far = ends.far.native_handle();
    bool const at_once = GENERATE(true, false);
    CAPTURE(at_once);
    REQUIRE(::send(far, "before", 6, 0) == 6);
    if (!at_once) {
        CHECK(run(ends.loop, read_exactly(ends.near, 6)) == "before");
    }
    REQUIRE(::send(far, "!", 1, MSG_OOB) == 1);
    REQUIRE(::send(far, "behind", 6, 0) == 6);
    CHECK(run(ends.loop, read_exactly(ends.near, at_once ? 12 : 6))
          == (at_once ? "beforebehind" : "behind"));
    // And so are later ones.
    REQUIRE(::send(far, "later", 5, 0) == 5);
    CHECK(run(ends.loop, read_exactly(ends.near, 5)) == "later");
}

} // namespace plain_stream_test

// HTTP/1.1 towards a client, with a fault at every step; and what a response declares about the
// connection.
#include "gateway/http/http1.h"

#include "tests/unit/net/harness.h"
#include "tests/unit/support/memory_stream.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace http1_faults {

using namespace sallyport;
using namespace sallyport::http;
using namespace std::chrono_literals;
using net::test::run;

namespace {

constexpr std::size_t most_steps = 200;

struct Fixture {
    net::Loop loop;
    net::test::MemoryStream stream{loop};
    ConnectionLimits limits;
    Http1 http{stream, loop, limits};
    RequestHead head;

    HeadRead read_head() {
        if (run(loop, http.wait_for_request(net::Clock::now()))) return HeadRead::closed;
        return run(loop, http.read_head(head));
    }
    // The whole body, or nothing if it is truncated.
    std::optional<std::string> read_body(std::uint64_t limit = 1000) {
        std::string body;
        for (;;) {
            auto const part = run(loop, http.read_body(limit, Gather::parts));
            if (part.refused != nullptr || part.error) return std::nullopt;
            body += part.bytes;
            if (part.complete) return body;
        }
    }
    // In two parts, unless it is short.
    net::Error respond(std::string_view body, std::optional<std::uint64_t> length) {
        constexpr std::array<AddedField, 1> fields{{{"X-Own", "1"}}};
        OutgoingHead const outgoing{.status = 200,
                                    .reason = {},
                                    .kept = {},
                                    .added = fields,
                                    .length = length,
                                    .has_body = true};
        auto const first = body.substr(0, 2);
        if (auto const error = run(loop, http.send_head(outgoing, first, Ends::no))) return error;
        return run(loop, http.send_body(body.substr(first.size()), Ends::yes));
    }
};

// One exchange: whether it succeeded completely.
bool exchange(Fixture& test) {
    if (test.read_head() != HeadRead::complete) return false;
    if (run(test.loop, test.http.send_continue())) return false;
    if (test.read_body() != "body") return false;
    if (test.respond("answer", std::nullopt)) return false;
    return run(test.loop, test.http.finish_exchange()) == KeepAlive::yes;
}

} // namespace

TEST_CASE("a fault at any step of an exchange with a client is reported once, and ends it") {
    struct Row {
        std::string head;
        std::string body;
    };
    auto const row = GENERATE(values<Row>({
        {"PUT /a HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n", "body"},
        {"PUT /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n",
         "2\r\nbo\r\n2\r\ndy\r\n0\r\n\r\n"},
    }));
    CAPTURE(row.head);
    bool is_complete = false;
    for (std::size_t step = 1; !is_complete; ++step) {
        REQUIRE(step < most_steps);
        CAPTURE(step);
        Fixture test;
        test.stream.fail_at(step, net::asio::error::connection_reset);
        test.stream.receive_in_pieces(row.head, 20).receive_in_pieces(row.body, 3);
        bool const went_well = exchange(test);
        bool const was_reached = test.stream.operations() >= step;
        CHECK(went_well == !was_reached);
        is_complete = !was_reached;
        run(test.loop, test.http.close());
        CHECK_FALSE(test.stream.is_open());
    }
}

TEST_CASE("an incomplete head is reported by how much of it arrived") {
    struct Row {
        std::string begin;
        net::Error error;
        HeadRead expected;
    };
    auto const row = GENERATE(values<Row>({
        {"", net::asio::error::eof, HeadRead::closed},
        {"GET / HT", net::asio::error::eof, HeadRead::broken},
        {"GET / HT", net::StreamError::protocol, HeadRead::not_tls},
        {"", net::StreamError::protocol, HeadRead::not_tls},
    }));
    Fixture test;
    test.stream.receive(row.begin);
    test.stream.receive_end(row.error);
    CHECK(test.read_head() == row.expected);
    CHECK(test.http.bytes_in() == row.begin.size());
}

TEST_CASE("bytes behind a request begin the next one") {
    Fixture test;
    std::string const next = "GET /next HTTP/1.1\r\nHost: a\r\n\r\n";
    auto const framed = GENERATE(as<std::string>{}, "Content-Length: 4\r\n\r\nbody",
                                 "Transfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n");
    test.stream.receive("PUT / HTTP/1.1\r\nHost: a\r\n" + framed + next);
    REQUIRE(exchange(test));
    REQUIRE(test.read_head() == HeadRead::complete);
    CHECK(test.head.target.path == "/next");
}

TEST_CASE("a response declares how it ends, and whether another may follow") {
    struct Row {
        std::string request;
        std::optional<std::uint64_t> length;
        std::string framing;
        std::string body;
        KeepAlive keep_alive;
    };
    auto const row = GENERATE(values<Row>({
        {"GET / HTTP/1.1\r\nHost: a\r\n\r\n", 6, "Content-Length: 6\r\n\r\n", "answer",
         KeepAlive::yes},
        {"GET / HTTP/1.1\r\nHost: a\r\n\r\n", std::nullopt, "Transfer-Encoding: chunked\r\n\r\n",
         "2\r\nan\r\n4\r\nswer\r\n0\r\n\r\n", KeepAlive::yes},
        {"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", 6,
         "Content-Length: 6\r\nConnection: close\r\n\r\n", "answer", KeepAlive::no},
        {"GET / HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n", 6,
         "Content-Length: 6\r\nConnection: keep-alive\r\n\r\n", "answer", KeepAlive::yes},
        {"GET / HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n", std::nullopt,
         "Connection: close\r\n\r\n", "answer", KeepAlive::no},
    }));
    CAPTURE(row.request, row.framing);
    Fixture test;
    test.stream.receive(row.request);
    REQUIRE(test.read_head() == HeadRead::complete);
    REQUIRE_FALSE(test.respond("answer", row.length));
    CHECK(test.stream.sent() == "HTTP/1.1 200 OK\r\nX-Own: 1\r\n" + row.framing + row.body);
    CHECK(run(test.loop, test.http.finish_exchange()) == row.keep_alive);
    CHECK(test.http.bytes_out() == test.stream.sent().size());
}

TEST_CASE("an unread body is discarded, up to a limit") {
    Fixture test;
    SECTION("a short one") {
        test.stream.receive("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbody");
        REQUIRE(test.read_head() == HeadRead::complete);
        REQUIRE_FALSE(test.respond("no", 2));
        CHECK(run(test.loop, test.http.finish_exchange()) == KeepAlive::yes);
    }
    SECTION("a long one") {
        test.stream.receive("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n");
        REQUIRE(test.read_head() == HeadRead::complete);
        REQUIRE_FALSE(test.respond("no", 2));
        CHECK(test.stream.sent().find("\r\nConnection: close\r\n") != std::string::npos);
        CHECK(run(test.loop, test.http.finish_exchange()) == KeepAlive::no);
    }
    SECTION("one without an end") {
        test.stream.receive("PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
        REQUIRE(test.read_head() == HeadRead::complete);
        REQUIRE_FALSE(test.respond("no", 2));
        for (int i = 0; i < 100; ++i)
            test.stream.receive("400\r\n" + std::string(1024, 'x') + "\r\n");
        CHECK(run(test.loop, test.http.finish_exchange()) == KeepAlive::no);
    }
    SECTION("one that waits for 100 Continue") {
        test.stream.receive("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n"
                            "Expect: 100-continue\r\n\r\n");
        REQUIRE(test.read_head() == HeadRead::complete);
        REQUIRE_FALSE(test.respond("no", 2));
        CHECK(run(test.loop, test.http.finish_exchange()) == KeepAlive::no);
    }
}

TEST_CASE("a client that does not read a response in time is disconnected") {
    Fixture test;
    test.limits.body_idle = 60ms;
    test.stream.receive("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    REQUIRE(test.read_head() == HeadRead::complete);
    test.stream.stall_writing();
    CHECK(test.respond("answer", 6) == net::asio::error::timed_out);
    CHECK(test.stream.ending() == net::test::MemoryStream::Ending::aborted);
    CHECK(run(test.loop, test.http.finish_exchange()) == KeepAlive::no);
}

TEST_CASE("a connection that is to stop announces it, and waits briefly for a request in flight") {
    Fixture test;
    SECTION("a request comes") {
        test.http.stop_after_exchange();
        test.stream.receive("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
        REQUIRE(test.read_head() == HeadRead::complete);
        REQUIRE_FALSE(test.respond("answer", 6));
        CHECK(test.stream.sent().find("\r\nConnection: close\r\n") != std::string::npos);
    }
    SECTION("none comes") {
        std::optional<net::Error> waited;
        net::test::start(test.loop, net::test::keep_result(
                                        test.http.wait_for_request(net::Clock::now()), waited));
        net::test::run_ready(test.loop);
        REQUIRE_FALSE(waited);
        test.http.stop_after_exchange();
        net::test::run_until(test.loop, [&] { return waited.has_value(); });
        CHECK(*waited);
    }
    run(test.loop, test.http.close());
    CHECK(test.stream.ending() == net::test::MemoryStream::Ending::shut_down);
}

} // namespace http1_faults

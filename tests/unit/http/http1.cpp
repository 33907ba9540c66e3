// HTTP/1.1 towards a client, over a scripted stream.
#include "gateway/http/http1.h"

#include "tests/unit/net/harness.h"
#include "tests/unit/support/memory_stream.h"

#include <array>
#include <optional>
#include <string_view>

namespace http1 {

using namespace sallyport;
using namespace sallyport::http;
using namespace std::chrono_literals;

namespace {

struct Bell {
    bool rang = false;
    void ring() { rang = true; }
};

} // namespace

TEST_CASE("the time limit of a body applies while it is read, and ends no write meanwhile") {
    net::Loop loop;
    net::test::MemoryStream stream{loop};
    ConnectionLimits limits;
    limits.body_idle = 20ms;
    Http1 http{stream, loop, limits};
    RequestHead head;
    stream.receive("PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
    REQUIRE(net::test::run(loop, http.read_head(head)) == HeadRead::complete);

    std::optional<BodyPart> part;
    net::test::start(loop, net::test::keep_result(http.read_body(1000, Gather::parts), part));
    net::test::run_ready(loop);
    REQUIRE_FALSE(part);
    stream.receive("1\r\nx\r\n");
    net::test::run_until(loop, [&] { return part.has_value(); });
    CHECK(part->bytes == "x");

    // The test reads no further: as if an upstream did not accept the bytes.
    stream.stall_writing();
    constexpr std::array<std::string_view, 1> answer{"an answer"};
    std::optional<net::Error> written;
    net::test::start(loop, net::test::keep_result(stream.write(answer), written));
    Bell bell;
    auto later = net::Deadline::calling<&Bell::ring>(loop.deadlines(), bell);
    later.arm_after(4 * limits.body_idle);
    net::test::run_until(loop, [&] { return bell.rang; });
    CHECK_FALSE(written);
    stream.resume_writing();
    net::test::run_until(loop, [&] { return written.has_value(); });
    CHECK_FALSE(*written);

    // The next read has a time limit of its own.
    part.reset();
    net::test::start(loop, net::test::keep_result(http.read_body(1000, Gather::parts), part));
    net::test::run_until(loop, [&] { return part.has_value(); });
    CHECK(part->error == net::asio::error::timed_out);
}

TEST_CASE("a body of at most 64 KiB whose length is known can be waited for as a whole") {
    net::Loop loop;
    net::test::MemoryStream stream{loop};
    ConnectionLimits const limits;
    Http1 http{stream, loop, limits};
    RequestHead head;
    auto const begin = [&](std::string const& framing) {
        stream.receive("PUT / HTTP/1.1\r\nHost: a\r\n" + framing + "\r\n\r\n");
        REQUIRE(net::test::run(loop, http.read_head(head)) == HeadRead::complete);
    };
    std::optional<BodyPart> part;
    auto const read = [&] {
        part.reset();
        net::test::start(
            loop, net::test::keep_result(http.read_body(1'000'000, Gather::whole_if_small), part));
        net::test::run_ready(loop);
    };
    constexpr std::size_t most = 65'536;
    std::string body;
    for (std::size_t i = 0; i < most; ++i)
        body += static_cast<char>('a' + i % 26);

    SECTION("in one part, wherever it began to come") {
        auto const with_head = GENERATE(std::size_t{0}, std::size_t{100}, std::size_t{15'000});
        begin("Content-Length: " + std::to_string(most));
        stream.receive(body.substr(0, with_head));
        read();
        REQUIRE_FALSE(part);
        stream.receive(body.substr(with_head, 40'000));
        net::test::run_ready(loop);
        REQUIRE_FALSE(part);
        stream.receive(body.substr(with_head + 40'000) + "GET /next HTTP/1.1\r\n");
        net::test::run_until(loop, [&] { return part.has_value(); });
        CHECK(part->complete);
        CHECK(part->bytes == body);
    }
    SECTION("behind the head where there is room for it") {
        begin("Content-Length: 10");
        stream.receive("01234");
        read();
        REQUIRE_FALSE(part);
        stream.receive("56789");
        net::test::run_until(loop, [&] { return part.has_value(); });
        CHECK(part->complete);
        CHECK(part->bytes == "0123456789");
    }
    SECTION("but of a longer one the first part is enough") {
        begin("Content-Length: " + std::to_string(most + 1));
        stream.receive("x");
        read();
        net::test::run_until(loop, [&] { return part.has_value(); });
        CHECK_FALSE(part->complete);
        CHECK(part->bytes == "x");
    }
    SECTION("and of one without a length") {
        begin("Transfer-Encoding: chunked");
        stream.receive("1\r\nx\r\n");
        read();
        net::test::run_until(loop, [&] { return part.has_value(); });
        CHECK_FALSE(part->complete);
        CHECK(part->bytes == "x");
    }
}

TEST_CASE("bytes that arrived fast give a body only limited time below the minimum rate") {
    net::Loop loop;
    net::test::MemoryStream stream{loop};
    ConnectionLimits limits;
    limits.body_idle = 200ms;
    limits.minimum_rate = 1'000;
    limits.most_credit = 200ms;
    Http1 http{stream, loop, limits};
    RequestHead head;
    stream.receive("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n");
    REQUIRE(net::test::run(loop, http.read_head(head)) == HeadRead::complete);
    // Worth a minute.
    stream.receive(std::string(60'000, 'x'));
    auto const begun = net::Clock::now();
    std::optional<BodyPart> part;
    for (;;) {
        part.reset();
        net::test::start(loop,
                         net::test::keep_result(http.read_body(1'000'000, Gather::parts), part));
        Bell bell;
        auto trickle = net::Deadline::calling<&Bell::ring>(loop.deadlines(), bell);
        trickle.arm_after(50ms);
        net::test::run_until(loop, [&] { return part.has_value() || bell.rang; });
        if (!part) {
            stream.receive("x");
            net::test::run_until(loop, [&] { return part.has_value(); });
        }
        if (part->error) break;
        REQUIRE(net::Clock::now() - begun < 10s);
    }
    CHECK(part->error == net::asio::error::timed_out);
}

} // namespace http1

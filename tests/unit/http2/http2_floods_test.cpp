// HTTP/2 towards a client: what it may do that costs us more than it, up to a limit.
#include "tests/unit/http2/http2_harness.h"

namespace http2_floods_test {

using namespace sallyport;
using namespace sallyport::http2;
using namespace sallyport::http2::test;
using sallyport::http2::test::frame;
using Kind = ConnectionEnd::Kind;

TEST_CASE("floods end the connection at the last point, and one before they do not") {
    struct Row {
        std::string_view what;
        std::string frames; // of one
        int most;           // at once
    };
    auto const row = GENERATE_COPY(values<Row>({
        {"ping", ping(), 1'000},
        {"settings", settings(), 100}, // the first one was free
        {"priority", priority(1, 0), 1'000},
        {"priority", priority_update(1, "u=1"), 1'000},
        {"unknown_frame", frame(0xEE, 0, 1, "x"), 1'000},
        {"unknown_frame", goaway(0, 0), 1'000},
        {"unknown_frame", settings_ack(), 1'000},
        {"unknown_frame", ping("12345678", flag::ack), 1'000},
        {"window_update", window_update(0, 1), 1'100},
        {"window_update", window_update(1, 1), 1'100},
        {"empty_data", data(1, ""), 500},
        {"empty_data", data(1, std::string(1, '\x05') + "ppppp", flag::padded), 500},
    }));
    CAPTURE(row.what);
    Http2Limits limits;
    limits.patience.per_second = 0;
    limits.window = 1'000'000;
    Fixture test{limits};
    test.begin();
    test.send(put(1, "/large"));
    for (int i = 0; i < row.most; ++i)
        test.stream.receive(row.frames);
    run_ready(test.loop);
    CHECK_FALSE(test.goaway_code());
    CHECK_FALSE(test.of(1).ended);
    test.send(row.frames);
    test.wait_for_end();
    CHECK(test.goaway_code() == ErrorCode::enhance_your_calm);
    CHECK(test.http->end().kind == Kind::flooded);
    CHECK(test.http->end().note == row.what);
    CHECK(test.of(1).error == net::asio::error::connection_reset);
    check_nothing_is_left(test);
}

TEST_CASE("short frames of a body that is read cost nothing, those that nobody reads do") {
    Http2Limits limits;
    limits.patience.per_second = 0;
    limits.patience.points = 10;
    limits.patience.free_small_data = 20;
    Fixture test{limits};
    test.begin();
    auto const send_short = [&](std::uint32_t stream, int count) {
        for (int i = 0; i < count; ++i)
            test.stream.receive(data(stream, "{\"n\":1}\n"));
        run_ready(test.loop);
    };
    SECTION("before it is read") {
        test.send(put(1, "/wait"));
    }
    SECTION("behind a refusal") {
        test.send(put(1, "/deny"));
    }
    SECTION("of a body that is too large") {
        test.most_body = 10;
        test.send(put(1, "/large") + data(1, std::string(200, 'x')));
        CHECK(test.of(1).refused == "body_too_large");
    }
    SECTION("of a stream that we have reset") {
        test.budget.set_limit(1);
        test.send(put(1, "/large") + data(1, std::string(200, 'x')));
        CHECK(test.response(1).code == 2);
    }
    SECTION("also while their reader is busy, as with its upstream") {
        test.send(put(1, "/large"));
        send_short(1, 5'000);
        CHECK(test.of(1).body.size() == 40'000);
        CHECK_FALSE(test.goaway_code());
        CHECK(test.http->patience().spent(Annoyance::small_data) == 0);
        return;
    }
    send_short(1, 30);
    CHECK_FALSE(test.goaway_code());
    CHECK(test.http->patience().spent(Annoyance::small_data) == 10);
    send_short(1, 1);
    test.wait_for_end();
    CHECK(test.goaway_code() == ErrorCode::enhance_your_calm);
    CHECK(test.http->end().note == "small_data");
    check_nothing_is_left(test);
}

TEST_CASE("streams that are reset at once, refused or malformed have their points") {
    Http2Limits limits;
    limits.patience.per_second = 0;
    limits.patience.points = 20;
    limits.streams = 1;
    Fixture test{limits};
    test.begin();
    std::uint32_t id = 1;
    std::string_view what;
    SECTION("reset") {
        what = "reset";
        for (; id < 20; id += 2)
            test.send(get(id, "/wait") + reset(id, 8));
        CHECK_FALSE(test.goaway_code());
        test.send(get(id, "/wait") + reset(id, 8));
    }
    SECTION("refused") {
        what = "refused_stream";
        test.send(get(1, "/wait"));
        for (id = 3; id < 22; id += 2)
            test.send(get(id, "/1"));
        CHECK_FALSE(test.goaway_code());
        test.send(get(id, "/1"));
    }
    SECTION("malformed") {
        what = "fault";
        for (; id < 20; id += 2)
            test.send(headers(id, field("a", "b"), 5));
        CHECK_FALSE(test.goaway_code());
        test.send(headers(id, field("a", "b"), 5));
    }
    SECTION("in pieces") {
        what = "continuation";
        auto const in_pieces = [&] {
            auto const block = request_block("GET", "/1");
            test.send(headers(id, block.substr(0, 5), 1) + continuation(id, block.substr(5, 5))
                      + continuation(id, block.substr(10), 4));
            id += 2;
        };
        in_pieces();
        in_pieces();
        CHECK_FALSE(test.goaway_code());
        in_pieces();
    }
    test.wait_for_end();
    CHECK(test.goaway_code() == ErrorCode::enhance_your_calm);
    CHECK(test.http->end().note == what);
    check_nothing_is_left(test);
}

TEST_CASE("a client that gives up its request later than at once has half the points") {
    Fixture test;
    test.begin(settings(setting(4, 10)));
    auto const later = net::Clock::now() + 60ms;
    test.send(get(1, "/wait") + get(3, "/100"));
    SECTION("because it takes too long") {
        run_until(test.loop, [later] { return net::Clock::now() >= later; });
        test.send(reset(1, 8));
    }
    SECTION("or because its response is too long") {
        test.send(reset(3, 8));
    }
    CHECK(test.http->patience().spent(Annoyance::late_reset) == 1);
    CHECK(test.http->patience().spent(Annoyance::reset) == 0);
    test.send(get(5, "/wait") + reset(5, 8));
    CHECK(test.http->patience().spent(Annoyance::reset) == 2);
}

TEST_CASE("DATA on its way is ignored of as many streams as a client may have") {
    Http2Limits limits;
    limits.streams = 300;
    limits.patience.points = 10'000;
    Fixture test{limits};
    test.begin();
    test.budget.set_limit(1);
    std::uint32_t last = 1;
    for (int i = 0; i < 300; ++i, last += 2)
        test.send(put(last, "/large") + data(last, "x"));
    CHECK(test.http->streams() == 0);
    CHECK(test.response(1).code == 2);
    // Streams beyond the limit, of a client that has not read our SETTINGS.
    test.budget.set_limit(std::size_t{1} << 26);
    for (int i = 0; i < 300; ++i, last += 2)
        test.send(get(last, "/wait"));
    for (int i = 0; i < 128; ++i, last += 2)
        test.send(put(last, "/echo"));
    CHECK(test.response(last - 2).code == 7);
    for (std::uint32_t id = 1; id < 600; id += 2)
        test.send(data(id, "late"));
    CHECK_FALSE(test.goaway_code());
    test.let_go();
    // One more takes the place of the oldest.
    test.budget.set_limit(1);
    test.send(put(last, "/large") + data(last, "x") + data(3, "late"));
    CHECK_FALSE(test.goaway_code());
    test.send(data(1, "late"));
    CHECK(test.goaway_code() == ErrorCode::stream_closed);
}

} // namespace http2_floods_test

// HTTP/2 towards a client: resets, drains, time limits, faults at each step.
#include "tests/unit/http2/http2_harness.h"

namespace http2_ends_test {

using namespace sallyport;
using namespace sallyport::http2;
using namespace sallyport::http2::test;
using Kind = ConnectionEnd::Kind;

TEST_CASE("a stream that was reset in the turn of its head has no client any more") {
    Fixture test;
    test.begin();
    test.send(get(1, "/wait") + put(3, "/echo") + data(3, "x") + reset(1, 8) + reset(3, 8)
              + get(5, "/5"));
    CHECK(test.of(1).read == http::HeadRead::broken);
    CHECK(test.of(3).read == http::HeadRead::broken);
    CHECK_FALSE(test.response(1).code);
    CHECK(test.response(5).ended);
    CHECK(test.http->patience().spent(Annoyance::reset) == 4);
    CHECK(test.http->streams() == 0);
    CHECK(test.budget.used() == 0);
}

TEST_CASE("a reset of the client wakes what waits, which walks out by itself") {
    Fixture test;
    test.begin(settings(setting(4, 10)));
    SECTION("for an upstream") {
        test.send(get(1, "/wait"));
        test.send(reset(1, 8));
        CHECK(test.of(1).client_gone);
    }
    SECTION("for a body") {
        test.send(put(1, "/echo") + data(1, "some"));
        test.send(reset(1, 8));
        CHECK(test.of(1).error == net::asio::error::connection_reset);
    }
    SECTION("for a window") {
        test.send(get(1, "/1000"));
        test.send(reset(1, 8));
        CHECK(test.of(1).error == net::asio::error::connection_reset);
    }
    CHECK(test.of(1).ended);
    CHECK_FALSE(test.response(1).code); // RFC 9113, 5.4.2: no reset for a reset
    CHECK(test.http->streams() == 0);
    CHECK(test.budget.used() == 0);
    test.send(get(3, "/3"));
    CHECK(test.response(3).body == "xxx");
    // RFC 9113, 5.1: what may cross with it is ignored.
    test.send(window_update(1, 5) + priority(1, 0) + reset(1, 8));
    CHECK_FALSE(test.goaway_code());
}

TEST_CASE("a place is free when the coroutine has ended, not when its stream was reset") {
    Http2Limits limits;
    limits.streams = 2;
    Fixture test{limits};
    test.begin();
    test.send(put(1, "/large") + get(3, "/deny"));
    REQUIRE(test.http->streams() == 1);
    test.send(get(5, "/wait"));
    REQUIRE(test.http->streams() == 2);
    test.send(get(7, "/1"));
    CHECK_FALSE(test.was_served(7));
    CHECK(test.response(7).code == 7); // REFUSED_STREAM
    CHECK(test.http->patience().spent(Annoyance::refused_stream) == 2);
    // In one turn: the coroutine of 5 has not ended when 9 comes.
    test.send(reset(5, 8) + get(9, "/1"));
    CHECK(test.response(9).code == 7);
    test.send(get(11, "/1"));
    CHECK(test.response(11).ended);
}

TEST_CASE("what a client must not do ends the connection with the code of the RFC") {
    struct Row {
        std::string frames;
        ErrorCode code;
    };
    auto const ended = get(1, "/1");
    auto const open = put(1, "/wait");
    auto const row = GENERATE_COPY(values<Row>({
        {data(1, "x"), ErrorCode::protocol_error},
        {reset(1, 8), ErrorCode::protocol_error},
        {window_update(1, 1), ErrorCode::protocol_error},
        {get(3, "/1") + data(1, "x"), ErrorCode::stream_closed},
        {get(3, "/1") + get(1, "/1"), ErrorCode::protocol_error},
        {ended, ErrorCode::no_error},
        {ended + data(1, "x"), ErrorCode::stream_closed},
        {open + data(1, "x", 1) + data(1, "x"), ErrorCode::stream_closed},
        {open + data(1, "x", 1) + headers(1, field("a", "b"), 5), ErrorCode::stream_closed},
        {open + reset(1, 8) + data(1, "x"), ErrorCode::stream_closed},
        {open + reset(1, 8) + headers(1, field("a", "b"), 5), ErrorCode::stream_closed},
        {headers(1, "\xFF\xFF\xFF\xFF\xFF\xFF\xFF", 5), ErrorCode::compression_error},
        {window_update(0, 0x7FFF'FFFF), ErrorCode::flow_control_error},
        {open + window_update(1, 1) + settings(setting(4, 0x7FFF'FFFF)),
         ErrorCode::flow_control_error},
        {settings(setting(4, 0x8000'0000)), ErrorCode::flow_control_error},
        {settings(setting(5, 1)), ErrorCode::protocol_error},
        {frame(5, 4, 1, "1234"), ErrorCode::protocol_error},
        {raw_frame(16'385, 0, 0, 1, ""), ErrorCode::frame_size_error},
    }));
    Fixture test;
    test.begin();
    test.send(row.frames);
    if (row.code == ErrorCode::no_error) {
        // Its stream has ended; the head is of one that is closed.
        test.send(get(1, "/1"));
        CHECK(test.goaway_code() == ErrorCode::stream_closed);
        return;
    }
    test.wait_for_end();
    CHECK(name_of(test.goaway_code().value()) == name_of(row.code));
    CHECK(test.http->end().kind == Kind::protocol_failed);
    CHECK(name_of(test.http->end().code) == name_of(row.code));
    CHECK_FALSE(test.http->end().note.empty());
    CHECK(test.stream.ending() == MemoryStream::Ending::shut_down);
    check_nothing_is_left(test);
}

TEST_CASE("a stream that has lost its client says whether that was the client's fault") {
    using Loss = http::ClientLoss::Kind;
    struct Row {
        std::string frames;
        Loss loss;
        std::string_view note;
    };
    std::string pings;
    for (int i = 0; i < 2'000; ++i)
        pings += ping();
    auto const row = GENERATE_COPY(values<Row>({
        {reset(1, 8) + reset(3, 8) + reset(5, 8), Loss::closed, ""},
        {"", Loss::closed, ""}, // its connection ends
        {data(9, "x"), Loss::protocol_failed, "DATA on an idle stream"},
        {pings, Loss::flooded, "ping"},
        {ping().substr(0, 16), Loss::too_slow, "a frame was too slow"},
    }));
    CAPTURE(row.note);
    Fixture test;
    test.limits.head_time = 80ms;
    test.begin(settings(setting(4, 10)));
    test.send(get(1, "/wait") + put(3, "/echo") + get(5, "/100"));
    test.send(row.frames);
    if (row.loss == Loss::closed) test.stream.receive_end();
    test.wait_for_end();
    for (auto const id : {1U, 3U, 5U}) {
        CAPTURE(id);
        CHECK(test.of(id).loss.kind == row.loss);
        CHECK(test.of(id).loss.note == row.note);
    }
    check_nothing_is_left(test);
}

TEST_CASE("a window of a stream beyond 2^31-1 resets it, and its coroutine walks out") {
    Http2Limits limits;
    limits.streams = 1;
    Fixture test{limits};
    test.begin(settings(setting(4, 1)));
    SECTION("while it waits for an upstream") {
        test.send(put(1, "/wait"));
        test.send(window_update(1, 0x7FFF'FFFF));
        CHECK(test.of(1).client_gone);
    }
    SECTION("while it waits for a body") {
        test.send(put(1, "/large"));
        test.send(settings(setting(4, 0x7FFF'FFFF)) + window_update(1, 1));
        CHECK(test.of(1).error == net::asio::error::connection_reset);
    }
    SECTION("while it waits for its window") {
        test.send(get(1, "/10") + window_update(1, 0x7FFF'FFFF));
        // In the turn of its head: it is not served.
        CHECK(test.response(1).code == 3);
        test.send(get(3, "/10"));
        test.send(window_update(3, 0x7FFF'FFFF) + window_update(3, 1) + get(5, "/1"));
        CHECK(test.of(3).error == net::asio::error::connection_reset);
        CHECK(test.response(3).code == 3);
        CHECK(test.response(5).code == 7); // its place was taken until then
        CHECK(test.http->patience().spent(Annoyance::fault) == 4);
        return;
    }
    CHECK(test.response(1).code == 3); // FLOW_CONTROL_ERROR
    CHECK(test.of(1).loss.kind == http::ClientLoss::Kind::protocol_failed);
    CHECK(test.of(1).loss.note == "WINDOW_UPDATE exceeds the stream's window");
    CHECK(test.http->streams() == 0);
    test.send(data(1, "on its way", 1));
    CHECK_FALSE(test.goaway_code());
}

TEST_CASE("DATA beyond a window ends the connection") {
    Fixture test;
    test.begin();
    std::string const most(16'384, 'x');
    SECTION("of the stream") {
        test.send(put(1, "/wait") + put(3, "/large"));
        // The window of the connection is wider now.
        for (int i = 0; i < 3; ++i)
            test.send(data(1, most));
        test.send(data(1, most.substr(1)));
        CHECK_FALSE(test.goaway_code());
        test.send(data(1, "x"));
    }
    SECTION("of the connection") {
        test.send(put(1, "/wait") + put(3, "/wait"));
        for (int i = 0; i < 3; ++i)
            test.send(data(1, most));
        test.send(data(3, most.substr(1)));
        CHECK_FALSE(test.goaway_code());
        test.send(data(3, "x"));
    }
    CHECK(test.goaway_code() == ErrorCode::flow_control_error);
}

TEST_CASE("streams that are not read starve none that is") {
    Fixture test;
    test.begin();
    test.send(put(1, "/wait") + data(1, std::string(16'384, 'x'))
              + data(1, std::string(16'384, 'x')) + data(1, std::string(16'384, 'x'))
              + data(1, std::string(16'383, 'x')));
    CHECK(test.updates_of(0) == 0); // its window is used up
    test.send(put(3, "/echo", field("content-length", "60000")));
    CHECK(test.updates_of(0) >= 60'000);
    for (int i = 0; i < 6; ++i)
        test.send(data(3, std::string(10'000, 'y'), i == 5 ? 1 : 0));
    CHECK(test.response(3).body.size() == 60'000);
}

TEST_CASE("a client that does not read our replies is not read any more, then left") {
    Fixture test;
    test.limits.body_idle = 100ms;
    test.begin();
    test.stream.stall_writing();
    test.send(get(1, "/wait"));
    // 17 bytes each: more than 16 KiB of replies.
    for (int i = 0; i < 970; ++i)
        test.stream.receive(ping());
    for (int i = 0; i < 300; ++i)
        test.stream.receive(frame(0xEE, 0, 0, std::string(1'000, 'x')));
    run_ready(test.loop);
    CHECK(test.stream.unread() > 200'000);
    // Also of what was read already.
    CHECK(test.http->patience().spent(Annoyance::unknown_frame) == 0);
    test.wait_for_end();
    CHECK(test.stream.ending() == MemoryStream::Ending::aborted);
    CHECK(test.of(1).client_gone);
    check_nothing_is_left(test);
}

TEST_CASE("a client that does not read for too long is told from one that leaves") {
    Fixture test;
    test.limits.body_idle = 2s; // the request below is read before that, on a busy machine too
    test.begin();
    test.stream.stall_writing();
    test.send(ping());
    // The time of the write is over before that of the stream's part.
    auto const later = net::Clock::now() + 100ms;
    run_until(test.loop, [later] { return net::Clock::now() >= later; });
    test.send(get(1, "/1000000"));
    test.wait_for_end();
    CHECK(test.of(1).error == net::asio::error::timed_out);
    CHECK(test.http->end().kind == Kind::too_slow);
    CHECK(test.http->end().note == "the client does not read");
    check_nothing_is_left(test);
}

TEST_CASE("a connection drains by two GOAWAYs, and loses no stream") {
    Fixture test;
    test.begin();
    test.send(get(1, "/wait"));
    test.http->stop_after_exchange();
    test.http->stop_after_exchange(); // once is enough
    run_ready(test.loop);
    auto const first = test.sent(7);
    REQUIRE(first.size() == 1);
    CHECK(first[0].word(0) == 0x7FFF'FFFF);
    CHECK(first[0].word(4) == 0);
    auto const pings = test.sent(6);
    REQUIRE(pings.size() == 1);
    // Begun before the client has read of it: served.
    test.send(get(3, "/3") + put(5, "/echo"));
    CHECK(test.response(3).body == "xxx");
    test.send(frame(6, flag::ack, 0, pings[0].payload));
    auto const second = test.sent(7);
    REQUIRE(second.size() == 2);
    CHECK(second[1].word(0) == 5);
    CHECK(second[1].word(4) == 0);
    // Later ones are ignored, but their heads are decoded: the next one is understood.
    test.send(get(7, "/7") + data(5, "body", 1));
    CHECK_FALSE(test.was_served(7));
    CHECK(test.response(5).body == "body");
    CHECK_FALSE(test.has_ended);
    test.let_go();
    test.wait_for_end();
    CHECK(test.response(1).ended);
    CHECK(test.sent(7).size() == 2);
    CHECK(test.http->end().kind == Kind::drained);
    CHECK(test.stream.ending() == MemoryStream::Ending::shut_down);
    check_nothing_is_left(test);
}

TEST_CASE("all frames of streams beyond the last GOAWAY are ignored") {
    Http2Limits limits;
    limits.going_away = 20ms;
    Fixture test{limits};
    test.begin();
    test.send(get(1, "/wait") + put(3, "/echo"));
    test.http->stop_after_exchange();
    run_until(test.loop, [&] { return test.sent(7).size() == 2; });
    CHECK(test.sent(7)[1].word(0) == 3);
    // More of them than there are streams that we reset. What they send counts all the same.
    std::string const body(16'000, 'x');
    for (std::uint32_t id = 5; id < 605; id += 2)
        test.send(put(id, "/echo") + data(id, body));
    for (std::uint32_t id = 5; id < 45; id += 2)
        test.send(id % 4 == 1 ? data(id, "end", 1) : headers(id, field("x", "y"), 5));
    test.send(window_update(45, 1) + reset(45, 8));
    CHECK(test.updates_of(0) >= 300 * body.size() - 65'535);
    CHECK_FALSE(test.was_served(5));
    test.send(data(3, "body", 1));
    CHECK(test.response(3).body == "body");
    CHECK(test.sent(7).size() == 2);
    SECTION("but of those that have not begun") {
        test.send(data(605, "x"));
        CHECK(test.goaway_code() == ErrorCode::protocol_error);
    }
    SECTION("until the last response") {
        test.let_go();
        test.wait_for_end();
        CHECK(test.response(1).ended);
        CHECK(test.http->end().kind == Kind::drained);
        check_nothing_is_left(test);
    }
}

TEST_CASE("a client that acknowledges nothing is drained after a while") {
    Http2Limits limits;
    limits.going_away = 60ms;
    Fixture test{limits};
    test.begin();
    test.http->stop_after_exchange();
    test.wait_for_end();
    CHECK(test.sent(7).size() == 2);
    CHECK(test.http->end().kind == Kind::drained);
}

TEST_CASE("an idle connection ends, and pings keep none alive") {
    Fixture test;
    test.limits.idle = 150ms;
    test.begin();
    SECTION("that has served") {
        test.send(get(1, "/1"));
    }
    SECTION("that has not") {}
    auto const begun = net::Clock::now();
    while (!test.has_ended && net::Clock::now() < begun + 5s) {
        test.send(ping());
        test.loop.context().run_for(30ms);
    }
    CHECK(net::Clock::now() - begun >= 150ms);
    CHECK(test.goaway_code() == ErrorCode::no_error);
    CHECK(test.http->end().kind == Kind::idle);
    check_nothing_is_left(test);
}

TEST_CASE("frames that do not come in time end the connection") {
    Fixture test;
    test.limits.head_time = 80ms;
    std::string_view note = "a frame was too slow";
    auto code = ErrorCode::enhance_your_calm;
    SECTION("a preface") {
        test.start();
        test.send(preface.substr(0, 20));
    }
    SECTION("SETTINGS") {
        test.start();
        test.send(preface);
    }
    SECTION("a header block") {
        test.begin();
        test.send(get(1, "/wait") + headers(3, "x", 0));
    }
    SECTION("a part of a frame") {
        test.begin();
        test.send(get(1, "/wait") + ping().substr(0, 16));
    }
    SECTION("an acknowledgement") {
        test.own.settings_ack = 80ms;
        test.limits.head_time = 10s;
        test.start();
        test.send(std::string{preface} + settings());
        note = "SETTINGS were not acknowledged";
        code = ErrorCode::settings_timeout;
    }
    test.wait_for_end();
    CHECK(test.goaway_code() == code);
    CHECK(test.http->end().kind == Kind::too_slow);
    CHECK(test.http->end().note == note);
    check_nothing_is_left(test);
}

TEST_CASE("an exception ends the connection, and every stream is told") {
    Fixture test;
    test.begin();
    test.send(get(1, "/wait"));
    test.http->fail();
    test.wait_for_end();
    CHECK(test.goaway_code() == ErrorCode::internal_error);
    CHECK(test.of(1).client_gone);
    CHECK(test.of(1).loss.kind == http::ClientLoss::Kind::gateway_failed);
    check_nothing_is_left(test);
}

TEST_CASE("a fault at any operation of the stream leaves nothing behind") {
    auto const requests = get(1, "/wait") + put(3, "/echo", field("content-length", "20000"))
                          + data(3, std::string(10'000, 'x'));
    auto const rest = data(3, std::string(10'000, 'y'), 1) + get(5, "/200000") + put(7, "/deny")
                      + get(9, "/abort");
    bool succeeded = false;
    for (std::size_t operation = 1; !succeeded; ++operation) {
        CAPTURE(operation);
        REQUIRE(operation < 200);
        Fixture test;
        test.stream.fail_at(operation, net::asio::error::connection_reset).take_before_failure(5);
        test.begin(settings(setting(4, 1'000'000)));
        test.send(window_update(0, 1'000'000));
        test.send(requests);
        test.send(rest);
        test.let_go();
        test.send(get(11, "/11"));
        test.stream.receive_end();
        test.wait_for_end();
        check_nothing_is_left(test);
        succeeded = test.stream.operations() < operation;
        if (succeeded) CHECK(test.response(11).body.size() == 11);
    }
}

TEST_CASE("a stream may be reset at any byte of its exchange") {
    auto const exchange = put(1, "/echo") + data(1, "some ") + data(1, "bytes", 1);
    std::string const after = reset(1, 8) + get(3, "/3");
    std::size_t const first = put(1, "/echo").size();
    for (auto const at : {first, first + 14, exchange.size()}) {
        for (std::size_t piece = 1; piece < 60; ++piece) {
            CAPTURE(at, piece);
            Fixture test;
            test.begin(settings(setting(4, 3)));
            test.stream.receive_in_pieces(exchange.substr(0, at) + after, piece);
            run_ready(test.loop);
            CHECK(test.response(3).body == "xxx");
            CHECK_FALSE(test.response(1).code);
            CHECK_FALSE(test.goaway_code());
            CHECK(test.http->streams() == 0);
            CHECK(test.budget.used() == 0);
        }
    }
}

TEST_CASE("the loop may end while everything waits") {
    Fixture test;
    test.begin(settings(setting(4, 1)));
    test.stream.stall_writing();
    test.send(get(1, "/wait") + put(3, "/echo") + data(3, "x") + get(5, "/1000000"));
    CHECK(test.active == 3);
    // The fixture ends the loop, then destroys the connection.
}

} // namespace http2_ends_test

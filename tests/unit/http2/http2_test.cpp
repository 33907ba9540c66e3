// HTTP/2 towards a client: how requests are read and refused, over a stream in memory.
#include "tests/unit/http2/http2_harness.h"

#include "gateway/net/plain_stream.h"

namespace http2_test {

using namespace sallyport;
using namespace sallyport::http2;
using namespace sallyport::http2::test;
using sallyport::http2::test::frame;

TEST_CASE("our SETTINGS come first, those of the client are acknowledged") {
    Fixture test;
    test.start();
    run_ready(test.loop);
    auto const first = test.sent();
    REQUIRE(first.size() == 1);
    CHECK(first[0].type == 4);
    CHECK(first[0].payload == setting(3, 100) + setting(6, 16'384) + setting(8, 1) + setting(9, 1));
    test.send(std::string{preface} + settings());
    auto const acks = test.sent(4);
    REQUIRE(acks.size() == 2);
    CHECK(acks[1].has(flag::ack));
    CHECK(acks[1].payload.empty());
}

TEST_CASE("requests are served, wherever their bytes are cut") {
    auto const piece = GENERATE(as<std::size_t>{}, 1, 2, 3, 8, 9, 10, 64, 1'000, 100'000);
    CAPTURE(piece);
    Fixture test;
    test.start();
    std::string const body(3'000, 'b');
    auto const bytes = std::string{preface} + settings() + settings_ack() + get(1, "/5")
                       + put(3, "/echo", field("content-length", "3000"))
                       + data(3, body.substr(0, 1'000)) + data(3, body.substr(1'000), 1)
                       + put(5, "/echo") + data(5, "no length") + get(7, "/0")
                       + headers(5, field("trailer", "x"), flag::end_headers | flag::end_stream);
    test.stream.receive_in_pieces(bytes, piece);
    run_ready(test.loop);
    CHECK(test.response(1).body == "xxxxx");
    CHECK(test.response(3).body == body);
    CHECK(test.response(5).body == "no length");
    CHECK(test.response(7).body.empty());
    for (std::uint32_t id = 1; id <= 7; id += 2) {
        CAPTURE(id);
        auto const response = test.response(id);
        CHECK(response.ended);
        CHECK_FALSE(response.code);
        CHECK(response.heads == 1);
        CHECK(response.head.front() == '\x88'); // RFC 7541, appendix A: status 200
        CHECK(test.of(id).read == http::HeadRead::complete);
        CHECK_FALSE(test.of(id).error);
        CHECK(test.of(id).ended);
    }
    CHECK(test.http->streams() == 0);
    CHECK(test.budget.used() == 0);
    CHECK(test.of(1).bytes_in == get(1, "/5").size());
    CHECK(test.of(3).bytes_in
          == put(3, "/echo", field("content-length", "3000")).size() + 3'000 + 18);
    CHECK(test.of(1).bytes_out == 18 + test.response(1).head.size() + test.response(1).body.size());
    // Nothing was shut for them.
    CHECK_FALSE(test.goaway_code());
    test.stream.receive_end();
    test.wait_for_end();
    CHECK(test.http->end().kind == ConnectionEnd::Kind::closed);
}

TEST_CASE("all that a turn has produced is one write") {
    Fixture test;
    test.begin();
    auto const before = test.stream.writes().size();
    std::string requests;
    for (std::uint32_t id = 1; id < 40; id += 2)
        requests += get(id, "/10");
    test.send(requests + ping());
    CHECK(test.stream.writes().size() == before + 1);
    CHECK(test.sent(1).size() == 20);
    CHECK(test.sent(6).size() == 1);
}

TEST_CASE("more streams in one turn than it begins wait for the next") {
    Http2Limits limits;
    limits.begun_per_turn = 3;
    Fixture test{limits};
    test.begin();
    std::string requests;
    for (std::uint32_t id = 1; id < 16; id += 2)
        requests += get(id, "/wait");
    test.send(requests);
    CHECK(test.active == 8);
    CHECK(test.most_begun == 3);
    test.let_go();
    CHECK(test.active == 0);
    CHECK(test.response(15).ended);
}

TEST_CASE("bodies of all streams that a turn begins are read in it") {
    Http2Limits limits;
    limits.begun_per_turn = 3;
    Fixture test{limits};
    test.begin();
    auto const before = test.turns;
    // As clients send them: all heads, then their bodies.
    std::string const heads = put(1, "/echo") + put(3, "/echo") + put(5, "/echo");
    std::string const bodies = data(1, "a", 1) + data(3, "b") + ping() + data(5, "c", 1);
    SECTION("nothing is left for the next turn") {
        test.send(heads + bodies + data(3, {}, 1));
        CHECK(test.turns == before + 1);
    }
    SECTION("but more streams, and trailers") {
        test.send(heads + bodies
                  + headers(3, field("trailer", "x"), flag::end_headers | flag::end_stream)
                  + get(7, "/1"));
        CHECK(test.turns == before + 2);
        CHECK(test.most_begun == 3);
        CHECK(test.response(7).ended);
    }
    CHECK(test.response(1).body == "a");
    CHECK(test.response(3).body == "b");
    CHECK(test.response(5).body == "c");
}

TEST_CASE("bodies are promised as they are read, from the budget") {
    Fixture test;
    test.begin();
    SECTION("as far as the length says") {
        test.send(put(1, "/5", field("content-length", "200000")));
        CHECK(test.updates_of(1) == 200'000 - 65'535);
        CHECK(test.updates_of(0) == 200'000);
        CHECK(test.budget.used() == 200'000);
        std::string const part(10'000, 'p');
        for (int i = 0; i < 20; ++i)
            test.send(data(1, part, i == 19 ? 1 : 0));
        CHECK(test.of(1).body.size() == 200'000);
        CHECK(test.response(1).ended);
        CHECK(test.budget.used() == 0);
    }
    SECTION("and no more than there is") {
        test.budget.set_limit(100'000);
        test.send(put(1, "/echo", field("content-length", "200000")));
        CHECK(test.updates_of(1) == 0);
    }
    SECTION("but nothing for a body that is not read") {
        test.send(put(1, "/wait", field("content-length", "200000"))
                  + data(1, std::string(100, 'x')));
        CHECK(test.updates_of(1) == 0);
        CHECK(test.updates_of(0) == 0);
        CHECK(test.budget.used() == 4'096);
    }
    SECTION("and doubled where it runs dry while it is read") {
        test.most_body = 1'000'000'000;
        test.send(put(1, "/large"));
        std::uint64_t sent = 0;
        for (int i = 0; i < 40; ++i) {
            auto const window = 65'535 + test.updates_of(1) - sent;
            std::string burst;
            for (auto left = window; left > 0;) {
                auto const size = std::min<std::uint64_t>(left, 16'384);
                burst += data(1, std::string(size, 'x'));
                left -= size;
            }
            sent += window;
            test.send(burst);
        }
        CHECK(test.of(1).body.size() == sent);
        // Half of it may not be promised again yet.
        auto const window = 65'535 + test.updates_of(1) - sent;
        CHECK(window > std::size_t{1} << 19);
        CHECK(window <= std::size_t{1} << 20);
        CHECK(test.budget.used() <= 3 * (std::size_t{1} << 20));
    }
    test.let_go();
    test.stream.receive_end();
    test.wait_for_end();
    CHECK(test.budget.used() == 0);
    CHECK(test.loop.buffers().in_use() == 0);
}

TEST_CASE("a body for which the budget has no room ends its request") {
    Fixture test;
    test.begin();
    test.budget.set_limit(5'000);
    test.send(put(1, "/large") + data(1, std::string(10'000, 'x')));
    CHECK(test.of(1).error == net::asio::error::no_buffer_space);
    CHECK(test.response(1).code == 2);
    // What still comes is thrown away, and its window given back.
    for (int i = 0; i < 10; ++i)
        test.send(data(1, std::string(10'000, 'x')));
    CHECK(test.updates_of(0) > 50'000);
    CHECK_FALSE(test.goaway_code());
}

TEST_CASE("Content-Length is the sum of DATA, or the request is malformed") {
    struct Row {
        std::string frames;
        bool is_of_head;
    };
    auto const length = [](std::string_view value) { return field("content-length", value); };
    auto const row = GENERATE_COPY(values<Row>({
        {put(1, "/echo", length("3")) + data(1, "four", 1), true},
        {put(1, "/echo", length("5")) + data(1, "four", 1), true},
        {put(1, "/echo", length("3")) + data(1, "four"), true},
        {get(1, "/echo", length("1")), true},
        {put(1, "/echo", length("0")) + data(1, "x", 1), true},
    }));
    Fixture test;
    test.begin();
    test.send(row.frames);
    CHECK(test.of(1).refused == "content_length_is_not_body");
    CHECK(test.response(1).ended);
    CHECK(test.response(1).code == 1); // PROTOCOL_ERROR
    CHECK(test.http->patience().spent(Annoyance::fault) == 2);
    CHECK_FALSE(test.goaway_code());
}

TEST_CASE("Content-Length is compared with each frame that comes later") {
    auto const more = GENERATE(data(1, "", 1), data(1, "more"), data(1, "m", 1));
    Fixture test;
    test.begin();
    test.send(put(1, "/large", field("content-length", "5")) + data(1, "four"));
    REQUIRE(test.of(1).body == "four");
    test.send(more);
    if (more == data(1, "m", 1)) {
        CHECK(test.response(1).ended);
        CHECK_FALSE(test.response(1).code);
    } else {
        CHECK(test.of(1).refused == "content_length_is_not_body");
        CHECK(test.response(1).code == 1);
    }
}

TEST_CASE("trailers end a body, and are checked") {
    Fixture test;
    test.begin();
    test.send(put(1, "/echo") + data(1, "x"));
    SECTION("valid ones that were not announced are dropped") {
        test.send(headers(1, field("x", "y"), 5));
        CHECK(test.response(1).body == "x");
        CHECK(test.response(1).ended);
        CHECK(test.of(1).trailers.empty());
    }
    SECTION("valid ones that were announced are kept as lines") {
        test.send(put(3, "/echo", field("trailer", "x")) + data(3, "x")
                  + headers(3, field("x", "y") + field("not-announced", "z"), 5));
        CHECK(test.response(3).body == "x");
        CHECK(test.of(3).trailers == "x: y\r\nnot-announced: z\r\n");
    }
    SECTION("that break a rule they are refused, and none is kept") {
        test.send(put(3, "/echo", field("trailer", "x")) + data(3, "x")
                  + headers(3, field("x", "y") + field("x_forwarded_for", "z"), 5));
        CHECK(test.of(3).refused == "malformed_trailer");
        CHECK(test.of(3).trailers.empty());
    }
    SECTION("with a pseudo field they are refused") {
        test.send(headers(1, field(":path", "/"), 5));
        CHECK_FALSE(test.of(1).refused.empty());
        CHECK(test.response(1).code == 1);
    }
    SECTION("that end nothing they are an error of the connection") {
        test.send(headers(1, field("x", "y"), 4));
        CHECK(test.goaway_code() == ErrorCode::protocol_error);
        CHECK(test.of(1).error == net::asio::error::connection_reset);
    }
}

TEST_CASE("a malformed head gets a response, then RST_STREAM") {
    Fixture test;
    test.begin();
    test.send(headers(1, field(":method", "GET"), 5) + get(3, "/2"));
    CHECK(test.of(1).read == http::HeadRead::refused);
    CHECK(test.response(1).body == "refused");
    CHECK(test.response(1).ended);
    CHECK(test.response(1).code == 1);
    CHECK(test.response(3).body == "xx");
}

TEST_CASE("an early refusal ends its stream, and what still comes is thrown away") {
    Fixture test;
    test.begin();
    test.send(put(1, "/deny", field("content-length", "320000")));
    CHECK(test.response(1).body == "denied");
    CHECK(test.response(1).ended);
    CHECK_FALSE(test.response(1).code);
    run_until(test.loop, [&] { return test.http->streams() == 0; });
    run_ready(test.loop);
    CHECK(test.response(1).code == 0); // NO_ERROR
    for (int i = 0; i < 20; ++i)
        test.send(data(1, std::string(16'000, 'x'), i == 19 ? 1 : 0));
    CHECK(test.updates_of(0) >= 20 * 16'000 - 65'535);
    test.send(get(3, "/3"));
    CHECK(test.response(3).body == "xxx");
    CHECK_FALSE(test.goaway_code());
    CHECK(test.budget.used() == 0);
}

TEST_CASE("the rest of a body is awaited behind an early refusal") {
    Fixture test;
    test.own.refused_rest = 3s; // enough on a busy machine
    test.begin();
    auto const length = GENERATE(as<std::string>{}, "", "4");
    test.send(put(1, "/deny", length.empty() ? "" : field("content-length", length)));
    CHECK(test.response(1).ended);
    CHECK(test.http->streams() == 1);
    SECTION("and ends the stream in order") {
        CHECK(test.updates_of(1) == 0);
        test.send(data(1, "body", 1));
        CHECK_FALSE(test.response(1).code);
        CHECK(test.updates_of(1) == 1); // curl waits for a frame
    }
    SECTION("and may be long, if it is quick") {
        if (!length.empty()) return;
        std::size_t sent = 0;
        // As far as the window reaches, as clients do that read no response before.
        for (;;) {
            std::string frames;
            auto const promised = 65'535 + test.updates_of(1);
            for (; sent + 16'000 <= promised; sent += 16'000)
                frames += data(1, std::string(16'000, 'x'));
            if (frames.empty()) break;
            test.send(frames);
        }
        // But not for ever.
        CHECK(sent > std::size_t{15} << 20);
        CHECK(sent < std::size_t{17} << 20);
        test.send(data(1, {}, 1));
        CHECK_FALSE(test.response(1).code);
        CHECK(test.budget.used() == 0);
        CHECK(test.http->patience().spent(Annoyance::fault) == 0);
    }
    SECTION("and may be malformed") {
        test.send(length.empty() ? headers(1, field(":method", "GET"), 5) : data(1, "bodies", 1));
        CHECK(test.response(1).code == 1); // PROTOCOL_ERROR
        CHECK(test.http->patience().spent(Annoyance::fault) == 2);
    }
    SECTION("but not beyond its time") {
        run_until(test.loop, [&] { return test.http->streams() == 0; });
        run_ready(test.loop);
        CHECK(test.response(1).code == 0);
    }
    SECTION("or may be reset") {
        test.send(reset(1, 8));
        CHECK_FALSE(test.response(1).code);
    }
    CHECK(test.http->streams() == 0);
    test.send(get(3, "/3"));
    CHECK(test.response(3).body == "xxx");
    CHECK(test.budget.used() == 0);
}

TEST_CASE("100 Continue is sent to who waits for it") {
    Fixture test;
    test.begin();
    auto const expect = field("expect", "100-continue");
    test.send(put(1, "/echo", expect));
    CHECK(test.response(1).heads == 1);
    CHECK(test.response(1).head.find("100") != std::string::npos);
    test.send(data(1, "body", 1));
    CHECK(test.response(1).heads == 2);
    CHECK(test.response(1).body == "body");
    // Not where the body has come meanwhile.
    test.send(put(3, "/echo", expect) + data(3, "body", 1));
    CHECK(test.response(3).heads == 1);
}

TEST_CASE("bodies that are too large, or too slow, end their request") {
    Fixture test;
    SECTION("too large") {
        test.most_body = 10;
        test.begin();
        test.send(put(1, "/large") + data(1, "0123456789"));
        CHECK(test.of(1).refused.empty());
        test.send(data(1, "a"));
        CHECK(test.of(1).refused == "body_too_large");
        // RST_STREAM would take the response from some clients; this one stops by itself.
        CHECK_FALSE(test.response(1).code);
        auto const before = test.updates_of(1);
        for (int i = 0; i < 4; ++i)
            test.send(data(1, std::string(16'000, 'b')));
        CHECK(test.updates_of(1) > before);
        test.send(reset(1, 8));
    }
    SECTION("too slow") {
        test.limits.body_idle = 60ms;
        test.begin();
        test.send(put(1, "/large"));
        run_until(test.loop, [&] { return test.of(1).ended; });
        CHECK(test.of(1).error == net::asio::error::timed_out);
        run_ready(test.loop);
        CHECK(test.response(1).code == 2);
    }
    CHECK(test.http->streams() == 0);
}

namespace {

// The client of one upload over a socket: sends as much as it is promised.
net::Task<> upload(net::PlainStream* client, std::string* received, std::size_t size) {
    constexpr std::size_t frame_size = 16'000;
    std::string const begin = std::string{preface} + settings() + settings_ack()
                              + put(1, "/large", field("content-length", std::to_string(size)));
    auto first = client->write(begin);
    co_await std::move(first);
    std::string const part(frame_size, 'p');
    std::string block(100'000, '\0');
    std::size_t sent = 0;
    for (;;) {
        std::size_t window = 65'535;
        std::size_t used = 0;
        while (received->size() - used >= frame_head_size) {
            auto const head = get_frame_head(received->data() + used);
            if (received->size() - used < frame_head_size + head.length) break;
            bool const is_of_stream = head.stream == 1;
            if (head.type == FrameType::window_update && is_of_stream)
                window += get_32(received->data() + used + frame_head_size);
            if (is_of_stream && head.has(flags::end_stream) && head.type == FrameType::data)
                co_return;
            used += frame_head_size + head.length;
        }
        std::string frames;
        while (sent < size && sent + frame_size <= window) {
            auto const next = std::min(frame_size, size - sent);
            sent += next;
            frames += data(1, part.substr(0, next), sent == size ? 1 : 0);
        }
        if (!frames.empty()) {
            auto writing = client->write(frames);
            co_await std::move(writing);
        }
        auto reading = client->read_some(block);
        auto const read = co_await std::move(reading);
        if (!read) co_return;
        received->append(block, 0, *read);
    }
}

} // namespace

TEST_CASE("a long upload over a socket is read to its end") {
    constexpr std::size_t size = 3'000'000;
    Fixture test;
    auto ends = net::test::make_pair();
    net::PlainStream server{test.loop, std::move(ends.first), {"192.0.2.1", 1}};
    net::PlainStream client{test.loop, std::move(ends.second), {"192.0.2.1", 2}};
    test.start_over(server);
    std::string received;
    bool is_done = false;
    test.most_body = size;
    net::test::start(test.loop, upload(&client, &received, size), &is_done);
    run_until(test.loop, [&] { return test.was_served(1) && test.of(1).body.size() == size; });
    client.close();
    run_until(test.loop, [&] { return is_done && test.has_ended; });
    CHECK(test.http->end().kind == ConnectionEnd::Kind::closed);
    CHECK(test.budget.used() == 0);
    CHECK(test.loop.buffers().in_use() == 0);
}

TEST_CASE("nothing is kept for an idle connection") {
    Fixture test;
    test.begin();
    test.send(put(1, "/echo", field("content-length", "4")) + data(1, "body", 1));
    CHECK(test.response(1).ended);
    CHECK(test.loop.buffers().in_use() == 0);
}

} // namespace http2_test

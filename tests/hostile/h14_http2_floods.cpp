// Floods of HTTP/2: what costs the gateway more than its client is allowed up to a limit, and ends
// the connection, and it alone, beyond it.
#include "tests/hostile/greedy_stage.h"
#include "tests/hostile/http2_stage.h"
#include "tests/support/machine.h"
#include "tests/support/operations.h"

#include <catch2/catch.hpp>

#include <functional>

namespace h14_http2_floods {

using namespace sallyport::test;
namespace h2 = sallyport::test::http2;

namespace {

// The points of a connection in these tests, of which one comes back each second.
constexpr int patience_points = 100;
std::string const impatient = "  http2: { patience: 100, patience_per_second: 1 }\n";

// Of one kind of what costs points.
struct Kind {
    std::string_view name;
    int points;
    int free;                                     // that many cost nothing
    std::function<void(Http2Client&)> begin;      // before the first; may be empty
    std::function<std::string(Http2Client&)> one; // frames that cost the points once
};

// The stream that begin_upload() has begun is the last one.
std::uint32_t upload = 0;
void begin_upload(Http2Client& client) {
    upload = client.next_stream();
    client.send(upload_head(upload));
}

std::uint32_t ended = 0;
void end_stream(Http2Client& client) {
    ended = client.begin(cheap_request());
    CHECK(client.read_response(ended).message.status == 200);
}

std::string reset_at_once(Http2Client& client) {
    auto const stream = client.next_stream();
    return h2::headers(stream, cheap_block()) + h2::reset(stream);
}

std::string overflow_window(Http2Client& client) {
    auto const stream = client.next_stream();
    return upload_head(stream) + h2::window_update(stream, h2::most_window);
}

// RFC 9113, 6.10: a head in five frames, of which one costs four times a CONTINUATION.
std::string head_in_pieces(Http2Client& client) {
    auto const block = cheap_block();
    auto const stream = client.next_stream();
    return h2::headers(stream, block.substr(0, 4), h2::flag::end_stream)
           + h2::continuation(stream, block.substr(4, 4))
           + h2::continuation(stream, block.substr(8, 4)) + h2::continuation(stream, "")
           + h2::continuation(stream, block.substr(12), h2::flag::end_headers);
}

std::vector<Kind> const& kinds() {
    static std::vector<Kind> const all{
        {"reset", 2, 0, {}, reset_at_once},
        {"fault", 2, 0, {}, overflow_window},
        {"fault",
         2,
         0,
         {},
         [](auto& client) { return h2::headers(client.next_stream(), malformed_block()); }},
        {"continuation", 20, 0, {}, head_in_pieces},
        {"window_update", 1, 100, {}, [](auto&) { return h2::window_update(0, 1); }},
        {"empty_data", 2, 0, begin_upload, [](auto&) { return h2::data(upload, ""); }},
        {"empty_data", 2, 0, begin_upload,
         [](auto&) {
             return h2::data(upload, std::string(1, '\x0A') + std::string(10, '\0'),
                             h2::flag::padded);
         }},
        {"settings", 10, 0, {}, [](auto&) { return h2::settings(); }},
        {"ping", 1, 0, {}, [](auto&) { return h2::ping(); }},
        {"priority", 1, 0, {}, [](auto& client) { return h2::priority(client.next_stream(), 0); }},
        {"priority", 1, 0, {}, [](auto&) { return h2::priority_update(1, "u=0"); }},
        {"unknown_frame", 1, 0, {}, [](auto&) { return h2::frame(0xBA, 0, 0, "grease"); }},
        {"unknown_frame", 1, 0, {}, [](auto&) { return h2::goaway(0, 0); }},
        {"stray_frame", 1, 1, end_stream, [](auto&) { return h2::reset(ended); }},
    };
    return all;
}

// The test does not read the responses to streams that it leaves open.
Http2Client make_client(Http2Stage const& stage) {
    return Http2Client{stage.port()};
}

std::string times(int count, std::function<std::string()> const& one) {
    std::string frames;
    for (int i = 0; i < count; ++i)
        frames += one();
    return frames;
}

// A request over TLS after all that was sent, which costs nothing.
void check_is_served(Http2Client& client) {
    CHECK(client.exchange(cheap_request()).status == 200);
    CHECK_FALSE(client.goaway());
}

} // namespace

TEST_CASE("each kind of flood is allowed up to the limit, and ends its connection beyond it") {
    for (auto const& kind : kinds()) {
        INFO(kind.name);
        Http2Stage stage{impatient};
        auto client = make_client(stage);
        if (kind.begin) kind.begin(client);
        auto const one = [&] { return kind.one(client); };
        // In small portions, so that no stream is refused, which has points of its own.
        for (int left = kind.free + patience_points / kind.points; left > 0; left -= 10) {
            client.send(times(std::min(left, 10), one));
            check_is_served(client);
        }
        // Long enough for the control log to have a note for the end too: it has a limit of its
        // own.
        CHECK(client.is_open_for(std::chrono::milliseconds{250}));
        // One beyond; each second gives a point back.
        for (int i = 0; i < 50 && !client.goaway(); ++i) {
            static_cast<void>(client.try_send(one()));
            if (!client.is_open_for(std::chrono::milliseconds{50})) break;
        }
        stage.check_end(client, h2::code::enhance_your_calm, "ENHANCE_YOUR_CALM", "flooded",
                        kind.name);
        CHECK(stage.points(kind.name) >= patience_points);
        CHECK(stage.points(kind.name) <= patience_points + 50 * kind.points);
        stage.finish();
    }
}

TEST_CASE("a body may come in any number of short frames, unless nobody reads it") {
    Http2Stage stage{impatient};
    auto client = make_client(stage);
    begin_upload(client);
    // Within the window of a stream.
    constexpr int most = 40'000;
    auto const one = [] { return h2::data(upload, "d"); };
    for (int i = 0; i < 4; ++i) {
        client.send(times(most, one));
        check_is_served(client);
    }
    CHECK(stage.points("small_data") < 0); // it has no series
    client.send(h2::reset(upload));
    // Refused ones, whose client goes on.
    for (int i = 0; i < 2; ++i) {
        upload = client.next_stream();
        client.send(h2::headers(upload,
                                h2::block_of({{":method", "PUT"},
                                              {":scheme", "https"},
                                              {":authority", "localhost"},
                                              {":path", "/v1/nowhere"}}),
                                h2::flag::end_headers));
        CHECK(client.read_response(upload).message.status >= 400);
        static_cast<void>(client.try_send(times(most, one)));
    }
    stage.check_end(client, h2::code::enhance_your_calm, "ENHANCE_YOUR_CALM", "flooded",
                    "small_data");
    stage.finish();
}

TEST_CASE("streams beyond the limit are refused, and may be repeated; a flood of them ends") {
    Http2Stage stage{"  http2: { streams: 2, patience: 100, patience_per_second: 1 }\n"};
    auto client = make_client(stage);
    auto const first = client.begin(waiting_request());
    auto const second = client.begin(waiting_request());
    stage.upstream.wait_for_requests(2);
    std::uint32_t stream = 0;
    for (int i = 0; i < patience_points / 2; ++i) {
        stream = client.begin(cheap_request());
        CHECK(client.read_response(stream).reset == h2::code::refused_stream);
    }
    CHECK_FALSE(client.goaway());
    stage.open_gate();
    CHECK(client.read_response(first).message.status == 200);
    CHECK(client.read_response(second).message.status == 200);
    CHECK(client.exchange(cheap_request()).status == 200);
    client.channel().close();
    stage.finish();
}

TEST_CASE("a flood of streams beyond the limit ends the connection") {
    Http2Stage stage{"  http2: { streams: 2, patience: 100, patience_per_second: 1 }\n"};
    auto client = make_client(stage);
    client.begin(waiting_request());
    client.begin(waiting_request());
    stage.upstream.wait_for_requests(2);
    client.send(times(60, [&] { return h2::headers(client.next_stream(), cheap_block()); }));
    CHECK(client.read_goaway().last_stream == 3);
    CHECK(client.count_of(h2::type::reset) >= patience_points / 2);
    stage.open_gate();
    stage.check_end(client, h2::code::enhance_your_calm, "ENHANCE_YOUR_CALM", "flooded",
                    "refused_stream");
    stage.finish();
}

// CVE-2023-44487, with the limits that hold without a configuration.
TEST_CASE("rapid reset ends after 500 streams, and its upstream connections are bounded") {
    Http2Stage stage{{}};
    auto const before = resident_bytes(stage.gateway.id());
    auto client = make_client(stage);
    // Requests that would keep the upstream busy: their places are free once it was let go of.
    auto const one = [&] {
        auto const stream = client.next_stream();
        return h2::headers(stream,
                           h2::block_of(h2::fields_of(parse_request(waiting_request())->message)))
               + h2::reset(stream);
    };
    static_cast<void>(client.try_send(times(2'000, one)));
    auto const goaway = client.read_goaway();
    CHECK(goaway.code == h2::code::enhance_your_calm);
    // 1,000 points, 2 for each, and 100 that come back in a second.
    CHECK(goaway.last_stream >= 2 * 400);
    CHECK(goaway.last_stream <= 2 * 1'000);
    CHECK(stage.upstream.connections() <= 200);
    stage.open_gate();
    stage.check_end(client, h2::code::enhance_your_calm, "ENHANCE_YOUR_CALM", "flooded", "reset");
    if (sanitizers().empty()) CHECK(resident_bytes(stage.gateway.id()) < before + (16UL << 20));
    stage.finish();
}

TEST_CASE("what no client does by accident ends the connection with the code of the RFC") {
    struct Row {
        std::function<std::string(Http2Client&)> frames;
        std::uint32_t code;
        std::string_view code_name;
        std::string_view rule;
    };
    using h2::code::protocol_error;
    auto const done = [](Http2Client& client) {
        end_stream(client);
        return ended;
    };
    auto const large = std::string(16'000, 'a');
    std::vector<Row> const rows{
        // CVE-2025-8671 and its like.
        {[](auto&) { return h2::window_update(0, 0); }, protocol_error, "PROTOCOL_ERROR",
         "WINDOW_UPDATE of 0"},
        {[](auto& client) {
             begin_upload(client);
             return h2::window_update(upload, 0);
         },
         protocol_error, "PROTOCOL_ERROR", "WINDOW_UPDATE of 0"},
        {[](auto&) { return h2::window_update(0, h2::most_window); }, h2::code::flow_control_error,
         "FLOW_CONTROL_ERROR", "WINDOW_UPDATE exceeds a window"},
        {[](auto&) { return h2::frame(h2::type::priority, 0, 1, "1234"); },
         h2::code::frame_size_error, "FRAME_SIZE_ERROR", "PRIORITY has another size"},
        {[](auto&) { return h2::priority(1, 1); }, protocol_error, "PROTOCOL_ERROR",
         "a stream depends on itself"},
        {[&](auto& client) { return h2::data(done(client), "x"); }, h2::code::stream_closed,
         "STREAM_CLOSED", "DATA on a closed stream"},
        {[&](auto& client) { return h2::headers(done(client), cheap_block()); },
         h2::code::stream_closed, "STREAM_CLOSED", "HEADERS on a closed stream"},
        {[](auto& client) {
             auto const stream = client.begin(waiting_request());
             return h2::data(stream, "x");
         },
         h2::code::stream_closed, "STREAM_CLOSED", "DATA behind the end of a stream"},
        {[](auto& client) {
             auto const stream = client.begin(waiting_request());
             return h2::headers(stream, cheap_block());
         },
         h2::code::stream_closed, "STREAM_CLOSED", "HEADERS behind the end of a stream"},
        // Header blocks, before anything of them is decoded.
        {[&](auto&) {
             return h2::headers(1, large, 0) + h2::continuation(1, std::string(385, 'a'));
         },
         h2::code::enhance_your_calm, "ENHANCE_YOUR_CALM", "a header block is too large"},
        {[&](auto&) {
             return h2::headers(1, "", 0) + times(5, [] { return h2::continuation(1, ""); });
         },
         h2::code::enhance_your_calm, "ENHANCE_YOUR_CALM", "too many CONTINUATION frames"},
        // 64 KiB of text out of 3 KB: an entry of the table, again and again.
        {[&](auto&) {
             return h2::headers(1, cheap_block() + h2::indexed_field("x", std::string(4'000, 'x'))
                                       + times(20, [] { return h2::entry(62); }));
         },
         h2::code::enhance_your_calm, "ENHANCE_YOUR_CALM", "too_much_text"},
        {[](auto&) { return h2::headers(1, "\x80"); }, h2::code::compression_error,
         "COMPRESSION_ERROR", ""},
        // SETTINGS.
        {[](auto&) {
             return h2::settings(
                 times(33, [] { return h2::setting(h2::setting_id::max_frame_size, 16'384); }));
         },
         h2::code::enhance_your_calm, "ENHANCE_YOUR_CALM", "SETTINGS"},
    };
    Http2Stage stage{{}};
    for (auto const& row : rows) {
        INFO(row.rule);
        auto client = make_client(stage);
        auto const frames = row.frames(client);
        static_cast<void>(client.try_send(frames));
        bool const is_flood = row.code == h2::code::enhance_your_calm;
        stage.check_end(client, row.code, row.code_name, is_flood ? "flooded" : "protocol_failed",
                        row.rule);
    }
    stage.finish();
}

TEST_CASE("at the limits of a head a request is served, beyond them it is refused alone") {
    Http2Stage stage{{}};
    auto client = make_client(stage);
    // Four CONTINUATION frames, and 16,384 bytes in all.
    auto const stream = client.next_stream();
    client.send(head_in_pieces(client));
    CHECK(client.read_response(stream + 2).message.status == 200);
    // Fields, with the pseudo fields and each crumb of a cookie: 100.
    auto const with = [](std::string_view name, int count) {
        return cheap_block() + times(count, [&] { return h2::field(name, "a=b"); });
    };
    auto const send = [&](std::string const& block) {
        auto const id = client.next_stream();
        client.send(h2::headers(id, block));
        return client.read_response(id).message.status;
    };
    CHECK(send(with("x", 96)) == 200);
    CHECK(send(with("x", 97)) == 431);
    CHECK(send(with("cookie", 96)) == 200);
    CHECK(send(with("cookie", 97)) == 431);
    // Text, as lines of HTTP/1 with pseudo fields: 69 bytes, four times 4,005, and the last field.
    auto const text = [](std::size_t size) {
        return cheap_block() + h2::indexed_field("x", std::string(4'000, 'x'))
               + times(3, [] { return h2::entry(62); }) + h2::field("a", std::string(size, 'a'));
    };
    CHECK(send(text(290)) == 200);
    CHECK(send(text(291)) == 431);
    // An entry of the table that is used again and again: 60 KB of text.
    CHECK(send(cheap_block() + h2::indexed_field("x", std::string(4'000, 'x'))
               + times(14, [] { return h2::entry(62); }))
          == 431);
    // The table is that of the connection still.
    CHECK(send(cheap_block() + h2::entry(62)) == 200);
    check_is_served(client);
    client.channel().close();
    stage.finish();
}

TEST_CASE(
    "frames on the last 128 streams that the gateway has reset cost nothing but their points") {
    Http2Stage stage{{}};
    auto client = make_client(stage);
    auto const stream = client.next_stream();
    client.send(upload_head(stream) + h2::window_update(stream, h2::most_window));
    CHECK(client.read_response(stream).reset == h2::code::flow_control_error);
    client.send(h2::data(stream, std::string(1'000, 'd')) + h2::window_update(stream, 1)
                + h2::headers(stream, h2::field("x", "trailer")) + h2::reset(stream));
    check_is_served(client);
    client.channel().close();
    stage.finish();
}

TEST_CASE("a hundred streams at once are served, and others meanwhile") {
    Http2Stage stage{{}};
    auto client = make_client(stage);
    std::vector<std::uint32_t> streams;
    std::string frames;
    for (int i = 0; i < 100; ++i) {
        streams.push_back(client.next_stream());
        frames += h2::headers(streams.back(), cheap_block());
    }
    client.send(frames);
    stage.check_others();
    for (auto const stream : streams)
        CHECK(client.read_response(stream).message.status == 200);
    CHECK_FALSE(client.goaway());
    client.channel().close();
    stage.finish();
}

} // namespace h14_http2_floods

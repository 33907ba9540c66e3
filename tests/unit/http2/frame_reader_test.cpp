// Frames of a client, cut anywhere.
#include "gateway/http2/frame_reader.h"

#include "tests/unit/http2/client_frames.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace frame_reader_test {

using namespace sallyport::http2;
using namespace sallyport::http2::test;
using Event = FrameStep::Event;

namespace {

// What a connection makes of a step, with DATA joined: independent of where the bytes were cut.
struct Seen {
    std::vector<std::string> events;
    ErrorCode error = ErrorCode::no_error;
    std::string rule;
    std::size_t consumed = 0;

    friend bool operator==(Seen const&, Seen const&) = default;
};

std::string text_of(FrameStep const& step) {
    auto const stream = std::to_string(step.stream);
    auto const bytes = std::string{step.bytes};
    auto const end = std::string{step.end_stream ? " end" : ""};
    auto const more = std::string{step.is_needless ? " more" : ""};
    switch (step.event) {
    case Event::head: return "head " + stream + " " + bytes + end + more;
    case Event::head_part: return "head_part " + stream + more;
    case Event::priority: return "priority " + stream;
    case Event::reset: return "reset " + stream + " " + std::to_string(step.value);
    case Event::settings: return "settings " + std::to_string(step.bytes.size());
    case Event::settings_ack: return "settings_ack";
    case Event::ping: return "ping " + bytes;
    case Event::ping_ack: return "ping_ack " + bytes;
    case Event::goaway: return "goaway " + std::to_string(step.value);
    case Event::window_update: return "window_update " + stream + " " + std::to_string(step.value);
    case Event::priority_update: return "priority_update " + stream + " " + bytes;
    case Event::unknown: return "unknown " + stream;
    case Event::none:
    case Event::failed:
    case Event::data: break;
    }
    return {};
}

void note_data(FrameStep const& step, Seen& seen) {
    if (step.begins)
        seen.events.push_back("data " + std::to_string(step.stream) + " "
                              + std::to_string(step.value) + " ");
    seen.events.back() += step.bytes;
    if (step.ends) seen.events.back() += step.end_stream ? "| end" : "|";
}

// Feeds the bytes in pieces; what was not consumed comes again with the next piece.
Seen read(std::string_view bytes, std::size_t piece, FrameLimits const& limits = {}) {
    FrameReader reader{limits};
    Seen seen;
    std::string waiting;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
        waiting += bytes.substr(at, piece);
        for (;;) {
            auto const step = reader.step(waiting);
            REQUIRE(step.consumed <= waiting.size());
            if (step.event == Event::failed) {
                seen.error = step.error;
                seen.rule = step.rule;
                return seen;
            }
            if (step.event == Event::data) {
                note_data(step, seen);
            } else if (step.event != Event::none) {
                seen.events.push_back(text_of(step));
            }
            waiting.erase(0, step.consumed);
            seen.consumed += step.consumed;
            if (step.consumed == 0) break;
        }
        REQUIRE(waiting.size() < frame_head_size + most_frame_payload);
    }
    return seen;
}

std::string const beginning = std::string{preface} + settings();

} // namespace

TEST_CASE("each frame is found wherever its bytes are cut") {
    auto const bytes =
        beginning + settings(setting(4, 70'000)) + settings_ack()
        + headers(1, "block", flag::end_headers | flag::end_stream)
        + headers(3, std::string{"\x03", 1} + number(0, 4) + number(15, 1) + "head" + "pad",
                  flag::end_headers | flag::padded | flag::priority)
        + data(3, "") + data(3, "some bytes") + data(3, std::string{"\x04", 1} + "paddedPPPP", 8)
        + data(3, std::string{"\x02", 1} + "PP", 8) + data(3, "the last", flag::end_stream)
        + headers(5, "a", 0) + continuation(5, "b") + continuation(5, "c", flag::end_headers)
        + priority(7, 3) + reset(5, 8) + ping() + ping("abcdefgh", flag::ack)
        + frame(0xEE, 0xFF, 9, "an unknown format") + frame(0xEF, 0, 0, "") + goaway(0, 11)
        + window_update(0, 1) + window_update(3, 0x7FFF'FFFF) + priority_update(7, "u=1, i")
        + raw_frame(4, 8, 0, 0x8000'0003, number(0x8000'0005, 4));
    Seen expected;
    expected.events = {"settings 0",
                       "settings 6",
                       "settings_ack",
                       "head 1 block end",
                       "head 3 head",
                       "data 3 0 |",
                       "data 3 10 some bytes|",
                       "data 3 11 padded|",
                       "data 3 3 |",
                       "data 3 8 the last| end",
                       "head_part 5",
                       "head_part 5 more",
                       "head 5 abc more",
                       "priority 7",
                       "reset 5 8",
                       "ping 12345678",
                       "ping_ack abcdefgh",
                       "unknown 9",
                       "unknown 0",
                       "goaway 11",
                       "window_update 0 1",
                       "window_update 3 2147483647",
                       "priority_update 7 u=1, i",
                       "window_update 3 5"};
    expected.consumed = bytes.size();
    CHECK(read(bytes, bytes.size()) == expected);
    for (std::size_t piece = 1; piece < 40; ++piece) {
        CAPTURE(piece);
        CHECK(read(bytes, piece) == expected);
    }
}

TEST_CASE("what a frame violates by itself ends the connection with the code of the RFC") {
    struct Row {
        std::string bytes;
        ErrorCode error;
        std::string_view rule;
    };
    auto const protocol = ErrorCode::protocol_error;
    auto const size = ErrorCode::frame_size_error;
    auto const after = [](std::string const& frames) { return beginning + frames; };
    std::string const padded_by_3{"\x03", 1};
    auto const row = GENERATE_COPY(values<Row>({
        {"GET / HTTP/1.1\r\n\r\n", protocol, "the preface is invalid"},
        {std::string{preface.substr(0, 23)} + "x", protocol, "the preface is invalid"},
        {std::string{preface} + ping(), protocol, "the first frame is not SETTINGS"},
        {std::string{preface} + settings_ack(), protocol, "the first frame is not SETTINGS"},
        {after(raw_frame(16'385, 0, 0, 1, "")), size, "a frame is too large"},
        {after(raw_frame(16'385, 0xEE, 0, 1, "")), size, "a frame is too large"},
        {after(data(0, "x")), protocol, "a frame of a stream has none"},
        {after(data(2, "x")), protocol, "a client uses a stream of the server"},
        {after(data(1, "", flag::padded)), size, "DATA is too short"},
        {after(data(1, padded_by_3 + "ab", flag::padded)), protocol,
         "DATA is padded beyond its end"},
        {after(headers(0, "x")), protocol, "a frame of a stream has none"},
        {after(headers(4, "x")), protocol, "a client uses a stream of the server"},
        {after(headers(1, "", flag::padded)), size, "HEADERS is too short"},
        {after(headers(1, "1234", flag::priority)), size, "HEADERS is too short"},
        {after(headers(1, "12345", flag::priority | flag::padded)), size, "HEADERS is too short"},
        {after(headers(1, padded_by_3 + "ab", flag::padded)), protocol,
         "HEADERS is padded beyond its end"},
        {after(headers(1, number(1, 4) + "x", flag::priority | flag::end_headers)), protocol,
         "a stream depends on itself"},
        {after(headers(1, "x", 0) + data(1, "")), protocol, "a frame stands within a header block"},
        {after(headers(1, "x", 0) + continuation(3, "")), protocol,
         "a frame stands within a header block"},
        {after(headers(1, "x", 0) + frame(0xEE, 0, 1, "")), protocol,
         "a frame stands within a header block"},
        {after(continuation(1, "x")), protocol, "CONTINUATION without a header block"},
        {after(headers(1, "x") + continuation(1, "x")), protocol,
         "CONTINUATION without a header block"},
        {after(frame(2, 0, 1, "1234")), size, "PRIORITY has another size"},
        {after(frame(2, 0, 1, "123456")), size, "PRIORITY has another size"},
        {after(priority(0, 3)), protocol, "a frame of a stream has none"},
        {after(priority(3, 3)), protocol, "a stream depends on itself"},
        {after(frame(3, 0, 1, "123")), size, "RST_STREAM has another size"},
        {after(frame(3, 0, 1, "12345")), size, "RST_STREAM has another size"},
        {after(reset(0, 8)), protocol, "a frame of a stream has none"},
        {after(frame(4, 0, 0, "12345")), size, "SETTINGS has another size"},
        {after(frame(4, flag::ack, 0, "123456")), size, "SETTINGS has another size"},
        {after(frame(4, 0, 1, "")), protocol, "a frame of the connection has a stream"},
        {after(frame(5, 4, 1, "12345")), protocol, "PUSH_PROMISE of a client"},
        {after(ping("1234567")), size, "PING has another size"},
        {after(ping("123456789")), size, "PING has another size"},
        {after(frame(6, 0, 1, "12345678")), protocol, "a frame of the connection has a stream"},
        {after(frame(7, 0, 0, "1234567")), size, "GOAWAY is too short"},
        {after(frame(7, 0, 1, "12345678")), protocol, "a frame of the connection has a stream"},
        {after(frame(8, 0, 1, "123")), size, "WINDOW_UPDATE has another size"},
        {after(window_update(0, 0)), protocol, "WINDOW_UPDATE of 0"},
        {after(window_update(1, 0x8000'0000)), protocol, "WINDOW_UPDATE of 0"},
        {after(window_update(2, 1)), protocol, "a client uses a stream of the server"},
        {after(frame(16, 0, 0, "123")), size, "PRIORITY_UPDATE is too short"},
        {after(frame(16, 0, 1, "1234")), protocol, "a frame of the connection has a stream"},
        {after(priority_update(0, "u=1")), protocol, "PRIORITY_UPDATE of no stream of the client"},
        {after(priority_update(2, "u=1")), protocol, "PRIORITY_UPDATE of no stream of the client"},
    }));
    CAPTURE(row.rule);
    for (auto const piece : {row.bytes.size(), std::size_t{1}, std::size_t{7}}) {
        auto const seen = read(row.bytes, piece);
        CHECK(name_of(seen.error) == name_of(row.error));
        CHECK(seen.rule == row.rule);
    }
}

TEST_CASE("a header block is limited before any of it is decoded") {
    auto const calm = ErrorCode::enhance_your_calm;
    auto const one = headers(1, std::string(8'000, 'x'), 0);
    SECTION("by the sum of its frames' payloads") {
        auto const most = one + continuation(1, std::string(8'384, 'x'), flag::end_headers);
        CHECK(read(beginning + most, 4'096).error == ErrorCode::no_error);
        CHECK(read(beginning + most, 4'096).events.back()
              == "head 1 " + std::string(16'384, 'x') + " more");
        // It is refused by the head of the frame that exceeds it.
        auto const more = read(beginning + one + raw_frame(8'385, 9, 4, 1, ""), 4'096);
        CHECK(more.error == calm);
        CHECK(more.rule == "a header block is too large");
    }
    SECTION("and padding counts") {
        auto const padded =
            headers(1, std::string(1, '\xFF') + std::string(8'255, 'x'), flag::padded);
        CHECK(read(beginning + padded + raw_frame(8'129, 9, 4, 1, ""), 4'096).error == calm);
    }
    SECTION("by the number of CONTINUATION frames") {
        auto block = headers(1, "x", 0);
        for (int i = 0; i < 4; ++i)
            block += continuation(1, "x");
        CHECK(read(beginning + block, 4'096).error == ErrorCode::no_error);
        auto const more = read(beginning + block + continuation(1, "x", flag::end_headers), 4'096);
        CHECK(more.error == calm);
        CHECK(more.rule == "too many CONTINUATION frames");
    }
    SECTION("where a larger head may be sent, in as many frames as it needs") {
        FrameLimits const limits{.head_block = 40'000, .continuations = 8};
        std::string const full(16'384, 'x');
        auto const block = headers(1, full, 0) + continuation(1, full)
                           + continuation(1, std::string(7'232, 'x'), flag::end_headers);
        auto const seen = read(beginning + block, 4'096, limits);
        CHECK(seen.events.back() == "head 1 " + std::string(40'000, 'x'));
        CHECK(seen.events[seen.events.size() - 2] == "head_part 1");
        auto const early = headers(1, full.substr(1), 0) + continuation(1, "x", flag::end_headers);
        CHECK(read(beginning + early, 4'096, limits).events.back() == "head 1 " + full + " more");
    }
    SECTION("by smaller limits") {
        FrameLimits const limits{.head_block = 10, .continuations = 1};
        CHECK(read(beginning + headers(1, "0123456789"), 100, limits).error == ErrorCode::no_error);
        CHECK(read(beginning + headers(1, "0123456789a"), 100, limits).error == calm);
    }
}

TEST_CASE("the reader says what a connection is waiting for") {
    FrameReader reader;
    CHECK_FALSE(reader.has_begun());
    reader.step(preface);
    CHECK_FALSE(reader.has_begun());
    reader.step(settings());
    CHECK(reader.has_begun());
    CHECK_FALSE(reader.is_within_head());
    reader.step(headers(1, "x", 0));
    CHECK(reader.is_within_head());
    reader.step(continuation(1, "x", flag::end_headers));
    CHECK_FALSE(reader.is_within_head());
    auto const bytes = data(1, "0123");
    CHECK(reader.step(std::string_view{bytes}.substr(0, 10)).consumed == 10);
    CHECK(reader.is_within_data());
    reader.step(std::string_view{bytes}.substr(10));
    CHECK_FALSE(reader.is_within_data());
}

TEST_CASE("the reader tells when HEADERS are next") {
    FrameReader reader;
    auto const head = headers(1, "block");
    CHECK_FALSE(reader.is_at_headers(head)); // the preface and SETTINGS are
    auto const begin = std::string{preface} + settings();
    REQUIRE(reader.step(begin).consumed == preface.size());
    REQUIRE(reader.step(settings()).event == Event::settings);
    CHECK(reader.is_at_headers(head));
    CHECK(reader.is_at_headers(head.substr(0, 9)));
    CHECK_FALSE(reader.is_at_headers(head.substr(0, 8)));
    CHECK_FALSE(reader.is_at_headers(data(1, "block")));
    CHECK_FALSE(reader.is_at_headers(continuation(1, "block")));
    // What is within another frame is not one.
    auto const outer = data(1, head);
    REQUIRE(reader.step(outer.substr(0, 9)).event == Event::data);
    CHECK_FALSE(reader.is_at_headers(head));
    REQUIRE(reader.step(head).ends);
    auto const unknown = frame(0xEE, 0, 1, head);
    REQUIRE(reader.step(unknown.substr(0, 9)).event == Event::unknown);
    CHECK_FALSE(reader.is_at_headers(head));
    REQUIRE(reader.step(head).consumed == head.size());
    CHECK(reader.is_at_headers(head));
}

} // namespace frame_reader_test

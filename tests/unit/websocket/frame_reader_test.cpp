// Frames of one direction, cut anywhere.
#include "gateway/websocket/frame_reader.h"

#include <catch2/catch.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace frame_reader_of_websocket_test {

using namespace sallyport;
using namespace sallyport::websocket;
using namespace std::string_literals;

namespace {

constexpr auto client = http::Sender::client;
constexpr auto upstream = http::Sender::upstream;

struct Seen {
    std::string passed;
    std::string rule;
    std::uint64_t bytes = 0;
    std::uint64_t messages = 0;
    std::uint64_t pings = 0;
    bool is_at_border = false;
    bool has_closed = false;

    friend bool operator==(Seen const&, Seen const&) = default;
};

Seen read_in_pieces(std::string_view bytes, http::Sender sender, ReservedBits reserved,
                    std::size_t piece) {
    FrameReader reader{sender, reserved};
    Seen seen;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
        auto const part = bytes.substr(at, piece);
        // In memory of its own, so that a read past it is detected.
        auto const copy = std::make_unique<char[]>(part.size());
        part.copy(copy.get(), part.size());
        auto const passed = reader.take({copy.get(), part.size()});
        seen.passed += passed.carried;
        seen.passed += passed.bytes;
    }
    seen.rule = reader.violated();
    seen.bytes = reader.counts().bytes;
    seen.messages = reader.counts().messages;
    seen.pings = reader.counts().pings;
    seen.is_at_border = reader.is_at_border();
    seen.has_closed = reader.has_closed();
    return seen;
}

// The same, however the bytes are cut.
Seen read(std::string_view bytes, http::Sender sender = upstream, ReservedBits reserved = {}) {
    auto const whole = read_in_pieces(bytes, sender, reserved, bytes.size() + 1);
    for (std::size_t piece = 1; piece <= std::min<std::size_t>(bytes.size(), 20); ++piece) {
        INFO("in pieces of " << piece);
        CHECK(read_in_pieces(bytes, sender, reserved, piece) == whole);
    }
    CHECK(whole.bytes == whole.passed.size());
    return whole;
}

std::string rule_of(std::string_view bytes, http::Sender sender = upstream,
                    ReservedBits reserved = {}) {
    auto const seen = read(bytes, sender, reserved);
    if (!seen.rule.empty()) CHECK(seen.is_at_border);
    return seen.rule;
}

// RFC 6455, 5.7.
std::string const unmasked_hello = "\x81\x05Hello";
std::string const masked_hello = "\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58";
std::string const fragmented_hello = "\x01\x03Hel\x80\x02lo"s;
std::string const ping = "\x89\x05Hello";
std::string const masked_pong = "\x8a\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58";
std::string const bytes_256 = "\x82\x7E\x01\x00"s + std::string(256, 'x');
std::string const bytes_64k =
    "\x82\x7F\x00\x00\x00\x00\x00\x01\x00\x00"s + std::string(65'536, 'y');

} // namespace

TEST_CASE("the examples of RFC 6455, 5.7 are passed on as they are") {
    auto const hello = read(unmasked_hello);
    CHECK(hello.passed == unmasked_hello);
    CHECK(hello.rule.empty());
    CHECK(hello.messages == 1);
    CHECK(hello.bytes == 7);
    CHECK(hello.is_at_border);
    CHECK_FALSE(hello.has_closed);
    CHECK(read(masked_hello, client).passed == masked_hello);
    CHECK(read(masked_hello, client).messages == 1);
    CHECK(read(fragmented_hello).messages == 1);
    CHECK(read(fragmented_hello).passed == fragmented_hello);
    CHECK(read(ping).pings == 1);
    CHECK(read(ping).messages == 0);
    CHECK(read(masked_pong, client).passed == masked_pong);
    CHECK(read(masked_pong, client).pings == 0);
    CHECK(read(bytes_256).passed == bytes_256);
    CHECK(read(bytes_64k).passed == bytes_64k);
    auto const all = unmasked_hello + fragmented_hello + ping + bytes_256 + unmasked_hello;
    CHECK(read(all).passed == all);
    CHECK(read(all).messages == 4);
}

TEST_CASE("a control frame may stand between the frames of a message") {
    auto const text = "\x01\x03Hel"s + ping + "\x80\x02lo"s;
    CHECK(read(text).passed == text);
    CHECK(read(text).messages == 1);
    CHECK(read(text).pings == 1);
}

TEST_CASE("the head of a frame is passed on when it is whole, and the payload as it comes") {
    FrameReader reader{client, {}};
    auto const take = [&](std::string_view bytes) {
        auto const passed = reader.take(bytes);
        return std::string{passed.carried} + "|" + std::string{passed.bytes};
    };
    CHECK(take(masked_hello.substr(0, 5)) == "|");
    CHECK(reader.is_at_border());
    CHECK(reader.counts().bytes == 0);
    CHECK(take(masked_hello.substr(5, 3))
          == masked_hello.substr(0, 6) + "|" + masked_hello.substr(6, 2));
    CHECK_FALSE(reader.is_at_border());
    CHECK(reader.counts().messages == 0);
    // The end of one, the begin of the next.
    CHECK(take(masked_hello.substr(8) + masked_hello.substr(0, 1)) == "|" + masked_hello.substr(8));
    CHECK(reader.is_at_border());
    CHECK(reader.counts().messages == 1);
    // A carried head stays readable although another head is cut behind it.
    auto const next = masked_hello.substr(1) + masked_hello.substr(0, 3);
    CHECK(take(next) == masked_hello.substr(0, 6) + "|" + masked_hello.substr(6));
    CHECK(reader.counts().bytes == 2 * masked_hello.size());
}

TEST_CASE("frames of a client are masked, those of a server are not") {
    CHECK(rule_of(unmasked_hello, client) == "unmasked_frame");
    CHECK(rule_of(masked_hello, upstream) == "masked_frame");
    auto const seen = read(masked_hello + unmasked_hello, client);
    CHECK(seen.rule == "unmasked_frame");
    CHECK(seen.passed == masked_hello);
}

TEST_CASE("reserved bits are for extensions") {
    for (auto const bits : {'\x91', '\xA1', '\xC1', '\xC9', '\xD2'})
        CHECK(rule_of(std::string{bits} + "\x01x") == "reserved_bit");
    ReservedBits const deflate{.of_first = rsv1, .of_any = 0};
    CHECK(rule_of("\xC1\x01x", upstream, deflate).empty());
    CHECK(rule_of("\x41\x01x\x80\x01y", upstream, deflate).empty());
    CHECK(rule_of("\x41\x01x\xC0\x01y", upstream, deflate) == "reserved_bit");
    CHECK(rule_of("\xC9\x01x", upstream, deflate) == "reserved_bit");
    CHECK(rule_of("\xA1\x01x", upstream, deflate) == "reserved_bit");
    ReservedBits const any{.of_first = all_reserved_bits, .of_any = all_reserved_bits};
    CHECK(rule_of("\xF1\x01x\xF9\x01y", upstream, any).empty());
}

TEST_CASE("reserved opcodes are refused") {
    for (int const opcode : {3, 4, 5, 6, 7, 11, 12, 13, 14, 15})
        CHECK(rule_of(std::string{static_cast<char>(0x80 | opcode)} + "\x01x")
              == "reserved_opcode");
}

TEST_CASE("a control frame is one frame, of at most 125 bytes") {
    for (auto const* const start : {"\x08", "\x09", "\x0A"})
        CHECK(rule_of(start + "\x02xy"s) == "fragmented_control_frame");
    CHECK(rule_of("\x89\x7D"s + std::string(125, 'x')).empty());
    CHECK(rule_of("\x89\x7E\x00\x7E"s + std::string(126, 'x')) == "control_frame_too_long");
    CHECK(rule_of("\x88\x7F\x00\x00\x00\x00\x00\x01\x00\x00"s) == "control_frame_too_long");
}

TEST_CASE("a message ends before the next one begins") {
    CHECK(rule_of("\x80\x01x") == "continuation_of_nothing");
    CHECK(rule_of(fragmented_hello + "\x80\x01x") == "continuation_of_nothing");
    CHECK(rule_of("\x01\x01x\x81\x01y") == "message_within_message");
    CHECK(rule_of("\x02\x01x\x01\x01y") == "message_within_message");
    CHECK(rule_of("\x01\x01x\x00\x01y\x80\x01z"s).empty());
    CHECK(rule_of("\x01\x00\x00\x00\x80\x00"s).empty());
    CHECK(read("\x01\x00\x00\x00\x80\x00"s).messages == 1);
}

TEST_CASE("a length is written in the shortest way, and has 63 bits") {
    CHECK(rule_of("\x82\x7E\x00\x7D"s) == "length_not_minimal");
    CHECK(rule_of("\x82\x7E\x00\x7E"s + std::string(126, 'x')).empty());
    CHECK(rule_of("\x82\x7F\x00\x00\x00\x00\x00\x00\xFF\xFF"s) == "length_not_minimal");
    CHECK(rule_of("\x82\x7F\x80\x00\x00\x00\x00\x00\x00\x00"s) == "length_too_large");
    auto const largest = read("\x82\x7F\x7F\xFF\xFF\xFF\xFF\xFF\xFF\xFFx"s);
    CHECK(largest.rule.empty());
    CHECK(largest.bytes == 11);
    CHECK_FALSE(largest.is_at_border);
}

TEST_CASE("nothing is passed on behind a close frame") {
    auto const close = "\x88\x02\x03\xE8"s;
    auto seen = read(unmasked_hello + close + unmasked_hello);
    CHECK(seen.passed == unmasked_hello + close);
    CHECK(seen.has_closed);
    CHECK(seen.is_at_border);
    CHECK(seen.messages == 1);
    CHECK(read("\x88\x00"s).has_closed);
    CHECK(read("\x88\x00\xFF\xFF"s).rule.empty());
    seen = read(close.substr(0, 3));
    CHECK_FALSE(seen.has_closed);
    CHECK_FALSE(seen.is_at_border);
    CHECK(read("\x88\x82\x01\x02\x03\x04\x02\xEA"s + masked_hello, client).has_closed);
    CHECK(rule_of("\x88\x01\x03") == "close_code_cut");
}

TEST_CASE("nothing is passed on behind a violation, and what was passed on ends with a frame") {
    auto const seen = read(unmasked_hello + "\x83\x01x" + unmasked_hello);
    CHECK(seen.passed == unmasked_hello);
    CHECK(seen.rule == "reserved_opcode");
    CHECK(seen.is_at_border);
    FrameReader reader{upstream, {}};
    CHECK(reader.take("\x83").bytes.empty());
    CHECK(reader.take(std::string_view{"\x01", 1}).bytes.empty());
    CHECK(reader.violated() == "reserved_opcode");
    CHECK(reader.take(unmasked_hello).bytes.empty());
}

namespace {

// What is passed on of these when the reader was asked to stop after `asked` bytes.
std::string passed_until_border(std::string_view bytes, std::size_t asked, FrameReader& reader) {
    std::string passed;
    for (std::size_t at = 0; at < bytes.size(); at += 1) {
        if (at == asked) reader.stop_at_border();
        auto const part = reader.take(bytes.substr(at, 1));
        passed += part.carried;
        passed += part.bytes;
    }
    return passed;
}

} // namespace

TEST_CASE("a reader that stops passes on what is under way, and goes on to read") {
    auto const close = "\x88\x02\x03\xE8"s;
    auto const all = unmasked_hello + unmasked_hello + close;
    for (std::size_t asked = 0; asked < all.size(); ++asked) {
        CAPTURE(asked);
        // In a head, of which nothing was passed on, and at a border it is there already.
        bool const is_in_first = asked > 1 && asked < unmasked_hello.size();
        bool const is_in_second =
            asked > unmasked_hello.size() + 1 && asked < 2 * unmasked_hello.size();
        bool const is_in_close = asked > 2 * unmasked_hello.size() + 1;
        std::size_t const frames = is_in_first                          ? 1
                                   : is_in_second                       ? 2
                                   : is_in_close                        ? 3
                                   : asked >= 2 * unmasked_hello.size() ? 2
                                   : asked >= unmasked_hello.size()     ? 1
                                                                        : 0;
        auto const expected = all.substr(0, frames * unmasked_hello.size());
        FrameReader reader{upstream, {}};
        CHECK(passed_until_border(all, asked, reader) == expected);
        CHECK(reader.has_stopped());
        CHECK(reader.has_closed());
        CHECK(reader.has_passed_close() == (frames == 3));
        CHECK(reader.counts().bytes == expected.size());
        CHECK(reader.counts().messages == std::min<std::size_t>(frames, 2));
    }
}

TEST_CASE("of bytes that come at once a reader that stops passes on those before the border") {
    FrameReader reader{upstream, {}};
    CHECK(reader.take(unmasked_hello.substr(0, 4)).bytes == unmasked_hello.substr(0, 4));
    reader.stop_at_border();
    CHECK_FALSE(reader.has_stopped());
    auto const rest = unmasked_hello.substr(4) + unmasked_hello + "\x83\x01x";
    CHECK(reader.take(rest).bytes == unmasked_hello.substr(4));
    CHECK(reader.has_stopped());
    CHECK(reader.violated() == "reserved_opcode");
}

TEST_CASE("a reader that stops at a close frame passes on what is before it, and finds it") {
    auto const all = unmasked_hello + unmasked_hello + "\x88\x02\x03\xE8"s;
    auto const before = all.substr(0, 2 * unmasked_hello.size());
    for (std::size_t piece = 1; piece <= all.size(); ++piece) {
        CAPTURE(piece);
        FrameReader reader{upstream, {}};
        reader.stop_at_close();
        std::string passed;
        for (std::size_t at = 0; at < all.size(); at += piece) {
            CHECK_FALSE(reader.has_closed());
            auto const part = reader.take(std::string_view{all}.substr(at, piece));
            passed += part.carried;
            passed += part.bytes;
        }
        CHECK(passed == before);
        CHECK(reader.has_stopped());
        CHECK(reader.has_closed());
        CHECK_FALSE(reader.has_passed_close());
        CHECK(reader.counts().bytes == before.size());
    }
    for (std::size_t asked = before.size(); asked <= all.size(); ++asked) {
        CAPTURE(asked);
        FrameReader reader{upstream, {}};
        std::string_view const bytes = all;
        auto const first = std::string{reader.take(bytes.substr(0, asked)).bytes};
        reader.stop_at_close();
        auto const second = reader.take(bytes.substr(asked));
        // Of a head that was cut nothing has been passed on.
        bool const has_begun = asked > before.size() + 1;
        CHECK(first + std::string{second.carried} + std::string{second.bytes}
              == (has_begun ? all : before));
        CHECK(reader.has_passed_close() == has_begun);
        CHECK(reader.has_closed());
    }
}

} // namespace frame_reader_of_websocket_test

// Close frames of our own, towards both sides.
#include "gateway/websocket/close_frame.h"
#include "gateway/websocket/frame_reader.h"

#include <catch2/catch.hpp>

#include <string>

namespace close_frame_test {

using namespace sallyport;
using namespace sallyport::websocket;
using namespace std::string_literals;

TEST_CASE("a close frame for a client has a code and a reason") {
    CloseFrame const going{CloseCode::going_away, "bye", nullptr};
    CHECK(going.bytes() == "\x88\x05\x03\xE9"s + "bye");
    CHECK(CloseFrame{CloseCode::protocol_error, "", nullptr}.bytes() == "\x88\x02\x03\xEA"s);
    CHECK(CloseFrame{CloseCode::policy_violation, "", nullptr}.bytes() == "\x88\x02\x03\xF0"s);
}

TEST_CASE("a close frame for a server is masked, as RFC 6455, 5.3 has it") {
    Mask const mask{0x37, 0xfa, 0x21, 0x3d};
    CloseFrame const frame{CloseCode::going_away, "bye", &mask};
    CHECK(frame.bytes() == "\x88\x85\x37\xfa\x21\x3d\x34\x13\x43\x44\x52"s);
    FrameReader reader{http::Sender::client, {}};
    CHECK(reader.take(frame.bytes()).bytes == frame.bytes());
    CHECK(reader.has_closed());
}

TEST_CASE("a reason has 123 bytes at most, and no character is cut") {
    std::string const longest(123, 'x');
    auto const whole = CloseFrame{CloseCode::going_away, longest, nullptr};
    CHECK(whole.bytes().size() == 127);
    CHECK(whole.bytes().substr(4) == longest);
    CHECK((CloseFrame{CloseCode::going_away, longest + "y", nullptr}.bytes() == whole.bytes()));
    auto const cut = longest.substr(0, 122) + "\u00e4";
    CHECK((CloseFrame{CloseCode::going_away, cut, nullptr}.bytes().substr(4)
           == longest.substr(0, 122)));
    Mask const mask{1, 2, 3, 4};
    CHECK((CloseFrame{CloseCode::going_away, longest, &mask}.bytes().size() == 131));
}

TEST_CASE("masks are random") {
    auto const one = random_mask();
    auto const other = random_mask();
    REQUIRE(one);
    REQUIRE(other);
    // Equal once in four thousand million runs.
    CHECK(*one != *other);
}

} // namespace close_frame_test

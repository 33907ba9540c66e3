// HTTP/2 towards a client: CONNECT with a protocol (RFC 8441), over a stream in memory.
#include "tests/unit/http2/http2_harness.h"

namespace http2_tunnels_test {

using namespace sallyport;
using namespace sallyport::http2;
using namespace sallyport::http2::test;

namespace {

std::string connect(std::uint32_t stream, std::string_view path, std::string_view fields = {}) {
    return headers(stream, field(":method", "CONNECT") + field(":protocol", "websocket")
                               + field(":scheme", "https") + field(":authority", "a.example")
                               + field(":path", path) + std::string{fields});
}

} // namespace

// RFC 8441, 5, and RFC 9113, 8.1.
TEST_CASE("a CONNECT with a protocol does not wait for the end of its client's half") {
    Fixture test;
    test.begin();
    SECTION("that was refused") {
        test.send(connect(1, "/deny"));
        CHECK(test.response(1).body == "denied");
        CHECK(test.response(1).code == 0); // NO_ERROR
    }
    SECTION("whose tunnel ends in order") {
        test.send(connect(1, "/tunnel"));
        test.send(data(1, "bye"));
        CHECK(test.response(1).body == "bye");
        CHECK(test.response(1).code == 0);
        // What was on its way.
        test.send(data(1, "", 1));
    }
    SECTION("whose tunnel both have ended") {
        test.send(connect(1, "/tunnel"));
        test.send(data(1, "bye", 1));
        CHECK_FALSE(test.response(1).code);
    }
    CHECK(test.response(1).ended);
    CHECK(test.http->streams() == 0);
    CHECK_FALSE(test.goaway_code());
}

TEST_CASE("a tunnel that is cut off ends with CANCEL") {
    Fixture test;
    test.begin();
    test.send(connect(1, "/tunnel"));
    test.send(data(1, "hel", 1));
    CHECK(test.response(1).code == 8);
    CHECK_FALSE(test.response(1).ended);
    CHECK(test.http->streams() == 0);
}

TEST_CASE("what follows a switch of protocols is no body of the length that the head says") {
    Fixture test;
    test.begin();
    test.send(connect(1, "/tunnel", field("content-length", "0")));
    std::string const most(16'000, 'x');
    for (int i = 0; i < 20; ++i)
        test.send(data(1, "hello") + window_update(1, 16'000) + window_update(0, 16'000)
                  + data(1, most));
    CHECK(test.of(1).refused.empty());
    test.send(data(1, "bye"));
    CHECK(test.response(1).body.size() == 20 * 16'005 + 3);
    CHECK(test.response(1).ended);
}

} // namespace http2_tunnels_test

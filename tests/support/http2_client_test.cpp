// Tests of the client of HTTP/2: what it sends, what it takes, and what it calls wrong.
#include "tests/support/encodings.h"
#include "tests/support/http2_client.h"
#include "tests/support/operations.h"

#include <catch2/catch.hpp>

#include <sys/socket.h>

namespace http2_client_test {

using namespace sallyport::test;
namespace h2 = sallyport::test::http2;

namespace {

// A server whose frames a test writes by hand, at the other end of a pair of sockets.
struct Server {
    Server() {
        std::array<int, 2> ends{};
        REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0);
        own = Channel{Descriptor{ends[0]}};
        other = Descriptor{ends[1]};
    }
    void send(std::string_view bytes) { REQUIRE(own.write_all(bytes) == End::data); }
    /// What the client has sent, up to `size` bytes.
    std::string read(std::size_t size) {
        std::string bytes(size, '\0');
        std::size_t done = 0;
        while (done < size) {
            auto const result = own.read_some(std::span{bytes}.subspan(done));
            REQUIRE(result.end == End::data);
            done += result.count;
        }
        return bytes;
    }
    Http2Client client(Http2Options const& options = {}) {
        return Http2Client{std::move(other), options};
    }

    Channel own;
    Descriptor other;
};

std::string head(std::uint32_t stream, std::string_view status, unsigned flags = 0,
                 std::string_view more = {}) {
    return h2::headers(stream, h2::field(":status", status) + std::string{more},
                       h2::flag::end_headers | flags);
}

std::string const get = Outgoing{"GET", "/a?b"}.add("X-One", "1").add("Connection", "close").text();
std::string const get_frame =
    h2::headers(1, h2::field(":method", "GET") + h2::field(":scheme", "https")
                       + h2::field(":authority", "localhost") + h2::field(":path", "/a?b")
                       + h2::field("x-one", "1"));

} // namespace

TEST_CASE("a request in the text of HTTP/1.1 becomes frames, and its response comes by stream") {
    Server server;
    auto client = server.client({});
    server.send(h2::settings(h2::setting(h2::setting_id::max_concurrent_streams, 7))
                + head(3, "201", h2::flag::end_stream) + head(1, "100")
                + head(1, "200", 0, h2::indexed_field("x-two", std::string(200, '2')))
                + h2::data(1, "he") + h2::data(1, std::string{"\2llo__", 6}, h2::flag::padded)
                + h2::headers(1, h2::entry(62)));
    CHECK(client.begin(get) == 1);
    auto const begin = std::string{h2::preface} + h2::settings() + get_frame;
    CHECK(server.read(begin.size()) == begin);
    auto const response = client.read_response(1);
    CHECK(response.interim == std::vector<int>{100});
    CHECK(response.has_ended);
    CHECK_FALSE(response.reset);
    CHECK(response.message.status == 200);
    CHECK(response.message.body == "hello");
    CHECK(response.message.fields.one("X-Two") == std::string(200, '2'));
    CHECK(response.message.trailers.one("x-two") == std::string(200, '2'));
    CHECK(client.stream(3).message.status == 201);
    CHECK(client.setting(h2::setting_id::max_concurrent_streams) == 7U);
    auto const replies = h2::settings_ack() + h2::window_update(0, 2) + h2::window_update(1, 2)
                         + h2::window_update(0, 6) + h2::window_update(1, 6);
    CHECK(server.read(replies.size()) == replies);
}

TEST_CASE("a client without replies sends only what it is told") {
    Server server;
    Http2Options options;
    options.replies = Replies::none;
    auto client = server.client(options);
    server.send(h2::settings() + h2::ping() + head(1, "200") + h2::data(1, "x"));
    client.wait_until([&] { return client.stream(1).message.body == "x"; }, "the body");
    client.send("anything");
    CHECK(server.read(8) == "anything");
    server.own.close();
    CHECK(client.read_to_end() == End::orderly);
}

TEST_CASE("a body is sent as the windows permit") {
    Server server;
    auto client = server.client({});
    server.send(h2::settings(h2::setting(h2::setting_id::initial_window_size, 3))
                + h2::window_update(1, 4) + h2::ping());
    client.wait_until([&] { return client.count_of(h2::type::ping) == 1; }, "its frames");
    auto const size =
        h2::preface.size() + h2::settings().size() + h2::settings_ack().size() + h2::ping().size();
    server.read(size);
    server.send(h2::window_update(1, 100));
    client.begin(Outgoing{"PUT", "/"}.body("0123456789", "text/plain").text());
    auto const block = h2::field(":method", "PUT") + h2::field(":scheme", "https")
                       + h2::field(":authority", "localhost") + h2::field(":path", "/")
                       + h2::field("content-length", "10")
                       + h2::field("content-type", "text/plain");
    auto const expected = h2::headers(1, block, h2::flag::end_headers) + h2::data(1, "0123456")
                          + h2::data(1, "789", h2::flag::end_stream);
    CHECK(server.read(expected.size()) == expected);
}

TEST_CASE("a chunked body is DATA, and a large head has CONTINUATION") {
    Server server;
    auto client = server.client({});
    server.send(h2::settings());
    client.begin(
        Outgoing{"PUT", "/"}.chunked_body("abcdef", 2).set("x", std::string(20'000, 'x')).text());
    auto const block = h2::field(":method", "PUT") + h2::field(":scheme", "https")
                       + h2::field(":authority", "localhost") + h2::field(":path", "/")
                       + h2::field("content-type", "application/json")
                       + h2::field("x", std::string(20'000, 'x'));
    auto const expected = std::string{h2::preface} + h2::settings()
                          + h2::headers(1, block.substr(0, 16'384), 0)
                          + h2::continuation(1, block.substr(16'384), h2::flag::end_headers)
                          + h2::data(1, "abcdef", h2::flag::end_stream);
    CHECK(server.read(expected.size()) == expected);
}

TEST_CASE("resets, the end of the connection and a PING are waited for") {
    Server server;
    auto client = server.client({});
    server.send(h2::settings() + h2::reset(1, h2::code::refused_stream)
                + h2::ping(h2::number(1, 8), h2::flag::ack)
                + h2::goaway(5, h2::code::enhance_your_calm));
    CHECK(client.read_response(1).reset == h2::code::refused_stream);
    client.wait_for_ping();
    CHECK(client.read_goaway().code == h2::code::enhance_your_calm);
    CHECK(client.read_goaway().last_stream == 5);
    CHECK(client.is_open_for(std::chrono::milliseconds{1}));
    server.own.close();
    CHECK_THROWS_WITH(client.read_response(3), Catch::Contains("GOAWAY with the code 11"));
    CHECK_FALSE(client.is_open_for(std::chrono::milliseconds{1}));
}

TEST_CASE("what no server may send is an error") {
    auto const fails_on = [](std::string_view frames) {
        Server server;
        auto client = server.client({});
        server.send(frames);
        server.own.half_close();
        CHECK_THROWS_AS(client.read_to_end(), BadMessage);
    };
    auto const after_settings = [&](std::string const& frames) {
        fails_on(h2::settings() + frames);
    };
    fails_on(h2::ping());
    after_settings(h2::frame_with_length(16'385, h2::type::data, 0, 1, "x"));
    after_settings(h2::data(1, "x"));
    after_settings(head(1, "200", h2::flag::end_stream) + h2::data(1, "x"));
    after_settings(head(1, "200", h2::flag::end_stream) + head(1, "200"));
    after_settings(head(1, "200") + head(1, "200"));
    after_settings(h2::reset(1) + h2::reset(1));
    after_settings(h2::reset(1) + head(1, "200"));
    after_settings(h2::frame(h2::type::push_promise, h2::flag::end_headers, 1, "1234"));
    after_settings(h2::window_update(0, 0));
    after_settings(h2::headers(1, h2::field("a", "b")));
    after_settings(h2::headers(1, h2::field(":status", "200") + h2::field("A", "b")));
    after_settings(h2::headers(1, h2::field(":status", "200") + h2::field(":status", "200")));
    after_settings(h2::headers(1, "\x80"));
    after_settings(h2::headers(1, h2::field(":status", "200"), 0) + h2::ping());
    after_settings(head(1, "200", 0, h2::field("content-length", "2"))
                   + h2::data(1, "x", h2::flag::end_stream));
    after_settings(head(1, "103", h2::flag::end_stream));
    after_settings(head(1, "200") + h2::data(1, std::string{"\2ab", 3}.substr(0, 2), 8));

    Server server;
    Http2Options options;
    options.settings = h2::setting(h2::setting_id::initial_window_size, 2);
    auto client = server.client(options);
    server.send(h2::settings() + head(1, "200") + h2::data(1, "ab"));
    client.wait_until([&] { return client.stream(1).message.body == "ab"; }, "the body");
    client.widen(1, 2);
    server.send(h2::data(1, "c") + h2::ping());
    client.wait_until([&] { return client.stream(1).message.body == "abc"; }, "the body");
    server.send(h2::data(1, "fghij"));
    CHECK_THROWS_AS(client.read_response(1), BadMessage);
}

} // namespace http2_client_test

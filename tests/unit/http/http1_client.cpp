// HTTP/1.1 towards a server, over a scripted stream: what is written, what is read, what may
// follow, and the state after a fault at any step.
#include "gateway/http/http1_client.h"

#include "tests/unit/net/harness.h"
#include "tests/unit/support/memory_stream.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace http1_client {

using namespace sallyport;
using namespace sallyport::http;
using namespace std::string_literals;

namespace {

constexpr BodyFraming chunked{BodyFraming::Kind::chunked, 0};

BodyFraming of_length(std::uint64_t length) {
    return {BodyFraming::Kind::length, length};
}

struct Fixture {
    net::Loop loop;
    net::test::MemoryStream stream{loop};
    Http1Client client{stream, loop.buffers()};
    ResponseHead head;

    net::Error send(BodyFraming const& body, std::string_view bytes,
                    std::string_view method = "PUT") {
        auto writer = client.begin_head({method, "/a", "?b=c", "api.example"}, 100);
        writer.add("X-Own", "1");
        return net::test::run(loop, client.send_head(writer, {.body = body}, bytes));
    }
    net::Error send_part(std::string_view bytes, Ends ends) {
        return net::test::run(loop, client.send_body(bytes, ends));
    }
    // Until the head has arrived or cannot.
    ResponseRead read_head() {
        for (;;) {
            auto const waited = net::test::run(loop, client.wait_for_response());
            if (waited) return {ResponseRead::State::failed, {}, waited};
            auto const read = client.read_head(head);
            if (read.state != ResponseRead::State::incomplete) return read;
        }
    }
    // The whole body, or nothing if it is truncated.
    std::optional<std::string> read_body() {
        std::string body;
        for (;;) {
            BodyPart part;
            bool const is_there = client.take_part(part);
            if (part.refused != nullptr) return std::nullopt;
            if (is_there) body += part.bytes;
            if (is_there && part.complete) return body;
            if (!is_there && net::test::run(loop, client.read_more(1024))) return std::nullopt;
        }
    }
};

constexpr std::string_view request_begin =
    "PUT /a?b=c HTTP/1.1\r\nHost: api.example\r\nX-Own: 1\r\n";

} // namespace

TEST_CASE_METHOD(Fixture, "a forwarded request has one framing: a length, chunks, or none") {
    SECTION("nothing") {
        CHECK_FALSE(send({}, {}));
        CHECK(stream.sent() == std::string{request_begin} + "\r\n");
    }
    SECTION("a length of nothing") {
        CHECK_FALSE(send(of_length(0), {}));
        CHECK(stream.sent() == std::string{request_begin} + "Content-Length: 0\r\n\r\n");
    }
    SECTION("a length: head and body leave in one write") {
        CHECK_FALSE(send(of_length(4), "body"));
        CHECK(stream.sent() == std::string{request_begin} + "Content-Length: 4\r\n\r\nbody");
        CHECK(stream.writes().size() == 1);
    }
    SECTION("a length, in parts") {
        CHECK_FALSE(send(of_length(4), {}));
        CHECK_FALSE(send_part("bo", Ends::no));
        CHECK_FALSE(send_part("dy", Ends::yes));
        CHECK(stream.sent() == std::string{request_begin} + "Content-Length: 4\r\n\r\nbody");
    }
    SECTION("chunks") {
        CHECK_FALSE(send(chunked, {}));
        CHECK_FALSE(send_part("0123456789abcdef", Ends::no));
        CHECK_FALSE(send_part("", Ends::no)); // which would be the last chunk
        CHECK_FALSE(send_part("z", Ends::yes));
        CHECK(stream.sent()
              == std::string{request_begin}
                     + "Transfer-Encoding: chunked\r\n\r\n"
                       "10\r\n0123456789abcdef\r\n1\r\nz\r\n0\r\n\r\n");
    }
    SECTION("chunks that end with nothing") {
        CHECK_FALSE(send(chunked, {}));
        CHECK_FALSE(send_part("", Ends::yes));
        CHECK(stream.sent()
              == std::string{request_begin} + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n");
    }
}

TEST_CASE_METHOD(Fixture, "a response is read in any pieces") {
    auto const piece = GENERATE(1UL, 2UL, 7UL, 1000UL);
    struct Row {
        std::string response;
        std::string body;
        bool is_reusable;
    };
    auto const row = GENERATE(values<Row>({
        {"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody", "body", true},
        {"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "", true},
        {"HTTP/1.1 204 No Content\r\n\r\n", "", true},
        {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nbo\r\n2\r\ndy\r\n0\r\n\r\n",
         "body", true},
        {"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n"
         "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx",
         "x", true},
        {"HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\nbody", "body", false},
        {"HTTP/1.0 200 OK\r\nContent-Length: 4\r\n\r\nbody", "body", false},
    }));
    CAPTURE(piece, row.response);
    REQUIRE_FALSE(send(of_length(0), {}));
    CHECK_FALSE(client.has_response());
    stream.receive_in_pieces(row.response, piece);
    REQUIRE(read_head().state == ResponseRead::State::complete);
    CHECK(client.has_response());
    CHECK(read_body() == row.body);
    CHECK(client.is_reusable() == row.is_reusable);
}

TEST_CASE_METHOD(Fixture,
                 "a body without a length ends with the connection, only after an orderly end") {
    auto const is_orderly = GENERATE(true, false);
    REQUIRE_FALSE(send(of_length(0), {}));
    stream.receive("HTTP/1.1 200 OK\r\n\r\nbo").receive("dy");
    stream.receive_end(is_orderly ? net::Error{net::asio::error::eof}
                                  : net::Error{net::StreamError::truncated});
    REQUIRE(read_head().state == ResponseRead::State::complete);
    CHECK(read_body() == (is_orderly ? std::optional{"body"s} : std::nullopt));
    CHECK_FALSE(client.is_reusable());
}

TEST_CASE_METHOD(Fixture, "a response to HEAD has no body, whatever its fields") {
    REQUIRE_FALSE(send({}, {}, "HEAD"));
    stream.receive("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n");
    REQUIRE(read_head().state == ResponseRead::State::complete);
    CHECK(head.framing.declared_length == 4U);
    CHECK(read_body() == "");
    CHECK(client.is_reusable());
}

TEST_CASE_METHOD(Fixture, "leftover or unsent bytes prevent another request") {
    SECTION("bytes behind the response") {
        REQUIRE_FALSE(send(of_length(0), {}));
        stream.receive("HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1");
        REQUIRE(read_head().state == ResponseRead::State::complete);
        CHECK(read_body() == "");
        CHECK_FALSE(client.is_reusable());
    }
    SECTION("a body that was not read to its end") {
        REQUIRE_FALSE(send(of_length(0), {}));
        stream.receive("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbod");
        REQUIRE(read_head().state == ResponseRead::State::complete);
        BodyPart part;
        CHECK(client.take_part(part));
        CHECK(part.bytes == "bod");
        CHECK_FALSE(client.is_reusable());
    }
    SECTION("a request that is not complete, by length or in chunks") {
        auto const framing = GENERATE(of_length(4), chunked);
        REQUIRE_FALSE(send(framing, {}));
        REQUIRE_FALSE(send_part("bod", Ends::no));
        stream.receive("HTTP/1.1 204 No Content\r\n\r\n");
        REQUIRE(read_head().state == ResponseRead::State::complete);
        CHECK_FALSE(client.is_reusable());
        REQUIRE_FALSE(send_part("y", Ends::yes));
        CHECK(client.is_reusable());
    }
}

TEST_CASE_METHOD(Fixture, "a refusal by the framing policy has its rule") {
    auto const bytes =
        GENERATE("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"s,
                 "HTTP/1.1 101 Switching Protocols\r\n\r\n"s, "SSH-2.0-x\r\n\r\n"s,
                 "HTTP/1.1 200 OK\r\nA: " + std::string(20'000, 'a'));
    REQUIRE_FALSE(send(of_length(0), {}));
    stream.receive(bytes);
    auto const read = read_head();
    CHECK(read.state == ResponseRead::State::refused);
    CHECK_FALSE(read.rule.empty());
}

TEST_CASE_METHOD(Fixture, "interim responses are skipped, ten at most") {
    auto const count =
        GENERATE(values<unsigned>({max_interim_responses, max_interim_responses + 1}));
    REQUIRE_FALSE(send(of_length(0), {}));
    for (unsigned i = 0; i < count; ++i)
        stream.receive("HTTP/1.1 102 Processing\r\n\r\n");
    stream.receive("HTTP/1.1 204 No Content\r\n\r\n");
    auto const expected = count == max_interim_responses ? ResponseRead::State::complete
                                                         : ResponseRead::State::refused;
    CHECK(read_head().state == expected);
}

TEST_CASE_METHOD(Fixture, "malformed chunks are refused when they are read") {
    REQUIRE_FALSE(send(of_length(0), {}));
    stream.receive("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nboX");
    REQUIRE(read_head().state == ResponseRead::State::complete);
    CHECK_FALSE(read_body());
    CHECK_FALSE(client.is_reusable());
}

TEST_CASE_METHOD(Fixture, "exchanges follow each other, without state of the one before") {
    for (int i = 0; i < 3; ++i) {
        REQUIRE_FALSE(send(of_length(2), "ab"));
        CHECK_FALSE(client.has_response());
        stream.receive("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nxy");
        REQUIRE(read_head().state == ResponseRead::State::complete);
        CHECK(read_body() == "xy");
        REQUIRE(client.is_reusable());
        client.release();
    }
}

TEST_CASE("a fault at any step of an exchange is reported, and ends it") {
    bool passed = false;
    for (std::size_t step = 1; !passed; ++step) {
        REQUIRE(step < 100);
        CAPTURE(step);
        Fixture fixture;
        fixture.stream.fail_at(step, net::asio::error::connection_reset);
        fixture.stream.receive_in_pieces(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n", 9);
        bool failed = bool{fixture.send(chunked, {})};
        failed = failed || fixture.send_part("part", Ends::no);
        failed = failed || fixture.send_part("", Ends::yes);
        failed = failed || fixture.read_head().state != ResponseRead::State::complete;
        failed = failed || !fixture.read_body();
        passed = !failed;
        CHECK(fixture.client.is_reusable() == passed);
    }
}

} // namespace http1_client

// Records over a socket pair: ends, pieces, back-pressure, and their cost.
#include "gateway/net/counters.h"
#include "tests/unit/net/tcp_state.h"
#include "tests/unit/net/tls_harness.h"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <fcntl.h>

namespace tls_records_test {

using namespace sallyport::net;
using namespace sallyport::net::test;
using namespace std::chrono_literals;

namespace {

// Copies bytes between two sockets one at a time, until both have ended.
Task<> copy_byte_by_byte(Stream& from, Stream& to) {
    char byte = 0;
    while (auto const got = co_await from.read_some({&byte, 1})) {
        if (co_await to.write(std::string_view(&byte, 1))) break;
    }
}

} // namespace

TEST_CASE("an end without close_notify is truncated, one with it is eof") {
    TlsEnds ends;
    ends.connected();
    REQUIRE_FALSE(run(ends.loop, ends.client->write("half of it")));
    Error end;
    SECTION("FIN alone") {
        ::shutdown(ends.client_socket, SHUT_WR);
        CHECK(run(ends.loop, read_all(*ends.server, &end)) == "half of it");
        CHECK(end == StreamError::truncated);
        CHECK(ERR_peek_error() == 0);
    }
    SECTION("an abort") {
        ends.client->abort();
        run(ends.loop, read_all(*ends.server, &end));
        CHECK((end == StreamError::truncated || end == asio::error::connection_reset));
    }
    SECTION("destruction") {
        ends.client.reset();
        run(ends.loop, read_all(*ends.server, &end));
        CHECK((end == StreamError::truncated || end == asio::error::connection_reset));
    }
    SECTION("close") {
        ends.client->close();
        CHECK(run(ends.loop, read_all(*ends.server, &end)) == "half of it");
        CHECK(end == asio::error::eof);
        CHECK(ends.server->try_read(std::span(&*std::string(1, '\0').begin(), 1)).error()
              == asio::error::eof);
    }
}

TEST_CASE("a fatal alert after the handshake is no orderly end") {
    TlsEnds ends(TlsEnds::Options{});
    ends.connected();
    // Garbage in place of a record makes the server send bad_record_mac or decode_error.
    REQUIRE(::send(ends.client_socket,
                   "\x17\x03\x03\x00\x20"
                   "0123456789abcdef0123456789abcdef",
                   37, 0)
            == 37);
    Error server_end;
    run(ends.loop, read_all(*ends.server, &server_end));
    CHECK(server_end.category() == tls_category());
    Error client_end;
    run(ends.loop, read_all(*ends.client, &client_end));
    CHECK(client_end.category() == tls_category());
    CHECK(ERR_peek_error() == 0);
}

TEST_CASE("a handshake and records received byte by byte work as in one piece") {
    TlsEnds::Options options;
    options.server_context = make_server({});
    options.client_context = make_client();
    Loop loop;
    // The hello stays in the socket until it is complete, for which a unix socket has no room.
    auto left = make_tcp_pair();
    auto right = make_pair();
    TlsStream server(std::make_unique<Socket>(loop, std::move(left.first)), {},
                     options.server_context);
    TlsStream client(std::make_unique<Socket>(loop, std::move(right.first)), {},
                     *options.client_context, "api.example.com");
    PlainStream server_wire(loop, std::move(left.second), {});
    PlainStream client_wire(loop, std::move(right.second), {});
    start(loop, copy_byte_by_byte(server_wire, client_wire));
    start(loop, copy_byte_by_byte(client_wire, server_wire));
    std::optional<Error> server_result;
    std::optional<Error> client_result;
    start(loop, keep_result(server.handshake(), server_result));
    start(loop, keep_result(client.handshake(), client_result));
    run_until(loop, [&] { return server_result && client_result; });
    REQUIRE_FALSE(*server_result);
    REQUIRE_FALSE(*client_result);
    REQUIRE_FALSE(run(loop, client.write("a request in many pieces")));
    CHECK(run(loop, read_exactly(server, 24)) == "a request in many pieces");
    REQUIRE_FALSE(run(loop, server.write("and a response")));
    CHECK(run(loop, read_exactly(client, 14)) == "and a response");
    client_wire.abort();
    server_wire.abort();
    run_ready(loop);
}

TEST_CASE("large writes under back-pressure arrive completely and in order, in both directions") {
    TlsEnds::Options options;
    options.tcp = true;
    TlsEnds ends(options);
    ends.connected();
    std::string body;
    for (int i = 0; i < 400000; ++i)
        body += std::to_string(i) + ' ';
    std::array<std::string_view, 5> const pieces{"head ", "",
                                                 std::string_view(body).substr(0, 5000),
                                                 std::string_view(body).substr(5000), "tail"};
    std::optional<Error> from_server;
    std::optional<Error> from_client;
    std::optional<std::string> at_server;
    start(ends.loop, keep_result(ends.server->write(pieces), from_server));
    start(ends.loop, keep_result(ends.client->write(pieces), from_client));
    run_ready(ends.loop);
    start(ends.loop, keep_result(read_exactly(*ends.server, body.size() + 9), at_server));
    auto const at_client = run(ends.loop, read_exactly(*ends.client, body.size() + 9));
    run_until(ends.loop, [&] { return from_server && from_client && at_server; });
    CHECK(at_client == "head " + body + "tail");
    CHECK(*at_server == at_client);
    CHECK_FALSE(*from_server);
    CHECK_FALSE(*from_client);
}

TEST_CASE("the records of one write share segments, and none of it is held back") {
    TlsEnds::Options options;
    options.tcp = true;
    TlsEnds ends(options);
    ends.connected();
    std::string const record(16 << 10, 'x');
    auto const before = segments_sent(ends.server_socket);
    std::vector<std::string_view> pieces;
    unsigned records = 1;
    SECTION("pieces that are one record") {
        pieces = {"head", "", "body"};
    }
    SECTION("exactly a record") {
        pieces = {record};
    }
    SECTION("a piece that ends a record, and an empty one") {
        pieces = {"head", record, ""};
    }
    SECTION("three records") {
        pieces = {record, record, record};
    }
    SECTION("three records and a little, by which the kernel's segments are fewer") {
        pieces = {"head", record, record, record, "tail"};
        records = 4;
    }
    REQUIRE_FALSE(run(ends.loop, ends.server->write(pieces)));
    CHECK(held_back(ends.server_socket) == 0);
    if (records > 1) CHECK(segments_sent(ends.server_socket) - before < records);
    std::string whole;
    for (auto const piece : pieces)
        whole += piece;
    CHECK(run(ends.loop, read_exactly(*ends.client, whole.size())) == whole);
}

TEST_CASE("a session ticket is sent with the first response, if that follows soon") {
    TlsEnds::Options options;
    options.tcp = true;
    // The kernel waits for 200 ms, this thread perhaps to be scheduled.
    bool was_held_back = false;
    for (int attempt = 0; attempt < 10 && !was_held_back; ++attempt) {
        TlsEnds ends(options);
        ends.connected();
        was_held_back = held_back(ends.server_socket) > 0;
        ends.exchange("request", "response");
        CHECK(held_back(ends.server_socket) == 0);
    }
    CHECK(was_held_back);
}

TEST_CASE("no data that a handshake waits for is delayed") {
    TlsEnds::Options options;
    options.tcp = true;
    options.client_context = make_client();
    int const version = GENERATE(TLS1_2_VERSION, TLS1_3_VERSION);
    SSL_CTX_set_max_proto_version(options.client_context->context(), version);
    TlsEnds ends(options);
    std::optional<Error> server_result;
    std::optional<Error> client_result;
    start(ends.loop, keep_result(ends.server->handshake(), server_result));
    start(ends.loop, keep_result(ends.client->handshake(), client_result));
    bool was_held_back = false;
    run_until(ends.loop, [&] { // checked after each turn
        if (!client_result) was_held_back = was_held_back || held_back(ends.server_socket) > 0;
        return server_result && client_result;
    });
    CHECK_FALSE(was_held_back);
}

TEST_CASE("after an interrupted write only abort is allowed, so that nothing looks complete") {
    TlsEnds ends;
    ends.connected();
    std::string const much(4 << 20, 'x');
    std::optional<Error> written;
    start(ends.loop, keep_result(ends.server->write(much), written));
    run_ready(ends.loop);
    REQUIRE_FALSE(written);
    ends.server->interrupt();
    run_until(ends.loop, [&] { return written.has_value(); });
    CHECK(*written == asio::error::operation_aborted);
    CHECK(run(ends.loop, ends.server->write("more")) == asio::error::operation_aborted);
    ends.server->close();
    Error end;
    run(ends.loop, read_all(*ends.client, &end));
    CHECK(end != asio::error::eof);
}

TEST_CASE("waiting for a request and reading it costs one receive; responding costs one send") {
    TlsEnds ends;
    ends.connected();
    ends.exchange("warm", "up");
    std::string block(4096, '\0');
    std::optional<Error> waited;
    start(ends.loop, keep_result(ends.server->wait_readable(), waited));
    run_ready(ends.loop);
    auto before = system_calls();
    CHECK(ends.server->try_read(block).error() == asio::error::would_block);
    CHECK(system_calls().total() == before.total());
    REQUIRE_FALSE(run(ends.loop, ends.client->write("request")));
    run_until(ends.loop, [&] { return waited.has_value(); });
    before = system_calls();
    CHECK(*ends.server->try_read(block) == 7);
    CHECK(ends.server->try_read(block).error() == asio::error::would_block);
    CHECK(system_calls().receives - before.receives == 1);
    std::array<std::string_view, 2> const pieces{"head", "body"};
    REQUIRE_FALSE(run(ends.loop, ends.server->write(pieces)));
    CHECK(system_calls().sends - before.sends == 1);
    CHECK(system_calls().controls == before.controls);
    // In one record, too: a second one would need a second read.
    REQUIRE_FALSE(run(ends.loop, ends.client->wait_readable()));
    CHECK(*ends.client->try_read(block) == 8);
}

TEST_CASE("an idle connection holds no buffer") {
    TlsEnds ends;
    ends.connected();
    ends.exchange("ping", "pong");
    std::optional<Error> waited;
    start(ends.loop, keep_result(ends.server->wait_readable(), waited));
    run_ready(ends.loop);
    CHECK(ends.loop.buffers().in_use() == 0);
    ends.server->interrupt();
    run_until(ends.loop, [&] { return waited.has_value(); });
    CHECK(*waited == asio::error::operation_aborted);
    ends.exchange("still", "usable");
}

TEST_CASE("several small records that arrived together are read with one system call") {
    TlsEnds ends;
    ends.connected();
    for (auto const* text : {"one", "two", "six"})
        REQUIRE_FALSE(run(ends.loop, ends.client->write(text)));
    run_ready(ends.loop);
    auto const before = system_calls();
    CHECK(run(ends.loop, read_exactly(*ends.server, 9)) == "onetwosix");
    CHECK(system_calls().receives - before.receives == 1);
    CHECK_FALSE(ends.server->has_pending());
}

TEST_CASE("shutdown sends close_notify, discards received bytes, and ends") {
    TlsEnds::Options options;
    options.tcp = true;
    TlsEnds ends(options);
    ends.connected();
    REQUIRE_FALSE(run(ends.loop, ends.client->write("unread rest of a refused body")));
    REQUIRE_FALSE(run(ends.loop, ends.server->write("HTTP/1.1 413")));
    bool done = false;
    start(ends.loop, ends.server->shutdown(), &done);
    Error end;
    CHECK(run(ends.loop, read_all(*ends.client, &end)) == "HTTP/1.1 413");
    CHECK(end == asio::error::eof);
    CHECK_FALSE(done);
    ends.client->close();
    run_until(ends.loop, [&] { return done; });
    CHECK_FALSE(ends.server->is_open());
}

TEST_CASE("shutdown ends in time if the peer never responds or never reads") {
    TlsEnds ends;
    ends.connected();
    SECTION("silent peer") {}
    SECTION("full socket") {
        std::string const filler(1 << 20, 'x');
        int const flags = ::fcntl(ends.server_socket, F_GETFL);
        REQUIRE((flags & O_NONBLOCK) != 0);
        while (::send(ends.server_socket, filler.data(), filler.size(), MSG_DONTWAIT) > 0) {
        }
    }
    auto const begin = Clock::now();
    run(ends.loop, ends.server->shutdown({64 << 10, 100ms}));
    CHECK(Clock::now() - begin < 5s);
    CHECK_FALSE(ends.server->is_open());
}

} // namespace tls_records_test

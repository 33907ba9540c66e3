// Watching a TLS peer while an exchange waits for its upstream.
#include "gateway/net/counters.h"
#include "tests/unit/net/tls_harness.h"

#include <openssl/err.h>
#include <openssl/ssl.h>

namespace tls_watch_test {

using namespace sallyport::net;
using namespace sallyport::net::test;

namespace {

struct Watcher final : PeerWatcher {
    void peer_gone() override { ++calls; }
    int calls = 0;
};

TlsEnds::Options over_tcp() {
    TlsEnds::Options options;
    options.tcp = true;
    return options;
}

} // namespace

TEST_CASE("a watcher is called once for close_notify, FIN and RST") {
    TlsEnds ends(over_tcp());
    ends.connected();
    ends.exchange("request", "response");
    Watcher watcher;
    REQUIRE(ends.server->watch_peer(watcher) == PeerState::present);
    run_ready(ends.loop);
    REQUIRE(watcher.calls == 0);
    SECTION("close_notify and nothing else") {
        REQUIRE(SSL_shutdown(ends.client->native_handle()) == 0);
        run_until(ends.loop, [&] { return watcher.calls > 0; });
        Error end;
        run(ends.loop, read_all(*ends.server, &end));
        CHECK(end == asio::error::eof);
    }
    SECTION("an orderly close") {
        ends.client->close();
        run_until(ends.loop, [&] { return watcher.calls > 0; });
    }
    SECTION("FIN without close_notify") {
        ::shutdown(ends.client_socket, SHUT_WR);
        run_until(ends.loop, [&] { return watcher.calls > 0; });
        Error end;
        run(ends.loop, read_all(*ends.server, &end));
        CHECK(end == StreamError::truncated);
    }
    SECTION("RST") {
        ends.client->abort();
        run_until(ends.loop, [&] { return watcher.calls > 0; });
    }
    run_ready(ends.loop);
    CHECK(watcher.calls == 1);
    CHECK(ends.server->watch_peer(watcher) == PeerState::gone);
    CHECK(ERR_peek_error() == 0);
}

TEST_CASE("pipelined bytes do not end a watch and are read afterwards") {
    TlsEnds ends(over_tcp());
    ends.connected();
    Watcher watcher;
    REQUIRE(ends.server->watch_peer(watcher) == PeerState::present);
    REQUIRE_FALSE(run(ends.loop, ends.client->write("GET /second")));
    run_until(ends.loop, [&] { return ends.server->has_pending(); });
    REQUIRE_FALSE(run(ends.loop, ends.client->write("GET /third")));
    run_ready(ends.loop);
    CHECK(watcher.calls == 0);
    SECTION("a peer that stays") {
        ends.server->unwatch_peer();
        CHECK(run(ends.loop, read_exactly(*ends.server, 21)) == "GET /secondGET /third");
    }
    SECTION("a peer that closes after them") {
        ends.client->close();
        run_until(ends.loop, [&] { return watcher.calls > 0; });
        Error end;
        CHECK(run(ends.loop, read_all(*ends.server, &end)) == "GET /secondGET /third");
        CHECK(end == asio::error::eof);
        CHECK(watcher.calls == 1);
    }
}

TEST_CASE("a watch that begins after the peer closed reports it at once") {
    TlsEnds ends;
    ends.connected();
    ends.exchange("request", "response");
    ends.client->close();
    run_until(ends.loop, [&] { return ends.server->has_pending(); });
    Watcher watcher;
    CHECK(ends.server->watch_peer(watcher) == PeerState::gone);
    run_ready(ends.loop);
    CHECK(watcher.calls == 0);
}

TEST_CASE("a watch costs no system call of its own") {
    TlsEnds ends;
    ends.connected();
    ends.exchange("request", "response");
    auto const before = system_calls();
    Watcher watcher;
    REQUIRE(ends.server->watch_peer(watcher) == PeerState::present);
    ends.server->unwatch_peer();
    CHECK(system_calls().total() == before.total());
}

TEST_CASE("a TLS connection is quiet although a session ticket came, and not after anything else") {
    TlsEnds ends;
    ends.connected();
    // The ticket is still unread.
    run_until(ends.loop, [&] { return ends.client->has_pending(); });
    CHECK(ends.client->is_quiet());
    SECTION("new keys, and then bytes") {
        REQUIRE(SSL_key_update(ends.server->native_handle(), SSL_KEY_UPDATE_REQUESTED) == 1);
        REQUIRE(SSL_do_handshake(ends.server->native_handle()) == 1);
        CHECK(ends.client->is_quiet());
        REQUIRE_FALSE(run(ends.loop, ends.server->write("unasked")));
        CHECK_FALSE(ends.client->is_quiet());
    }
    SECTION("half a record") {
        std::string_view const record{"\x17\x03\x03\x00\x40half", 9};
        // Some or all of its five bytes of header, and some of its content.
        auto const half = record.substr(0, GENERATE(1U, 5U, 9U));
        REQUIRE(::send(ends.server_socket, half.data(), half.size(), MSG_NOSIGNAL)
                == static_cast<ssize_t>(half.size()));
        CHECK_FALSE(ends.client->is_quiet());
        // Nor is it after the read, while OpenSSL waits for the rest.
        run_ready(ends.loop);
        CHECK_FALSE(ends.client->is_quiet());
    }
    SECTION("bytes") {
        REQUIRE_FALSE(run(ends.loop, ends.server->write("unasked")));
        CHECK_FALSE(ends.client->is_quiet());
        CHECK(run(ends.loop, read_exactly(*ends.client, 7)) == "unasked");
        CHECK(ends.client->is_quiet());
    }
    SECTION("close") {
        ends.server->close();
        CHECK_FALSE(ends.client->is_quiet());
    }
    SECTION("abort") {
        ends.server->abort();
        CHECK_FALSE(ends.client->is_quiet());
    }
}

} // namespace tls_watch_test

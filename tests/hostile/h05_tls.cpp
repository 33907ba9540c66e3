// TLS: attacks on the protocol itself, below any request.
#include "tests/hostile/greedy_stage.h"
#include "tests/hostile/tls_client.h"

#include "tests/support/operations.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include <sys/resource.h>
#include <sys/socket.h>

namespace h05_tls {

using namespace sallyport::test;

namespace {

std::string const good = request_for("getPipe").text();

bool is_tls_failure(Json const& line) {
    return line.text("reason") == "tls_failed";
}

} // namespace

TEST_CASE("obsolete versions of TLS are refused, whatever else a client accepts") {
    GreedyStage stage{{}};
    for (auto const version : {TLS1_VERSION, TLS1_1_VERSION}) {
        auto const context = lax_context(version);
        CHECK_FALSE(TlsClient{stage.gateway.port(), context.get()}.connect());
    }
    stage.finish();
}

TEST_CASE("only suites with forward secrecy and authenticated encryption are accepted") {
    GreedyStage stage{{}};
    auto const context = lax_context(TLS1_2_VERSION);
    auto const* const all = SSL_CTX_get_ciphers(context.get());
    std::size_t accepted = 0;
    for (int i = 0; i < sk_SSL_CIPHER_num(all); ++i) {
        std::string const name = SSL_CIPHER_get_name(sk_SSL_CIPHER_value(all, i));
        auto const one = lax_context(TLS1_2_VERSION);
        if (SSL_CTX_set_cipher_list(one.get(), (name + ":@SECLEVEL=0").c_str()) != 1) continue;
        TlsClient client{stage.gateway.port(), one.get()};
        if (!client.connect()) continue;
        CAPTURE(name);
        ++accepted;
        CHECK(name.find("ECDHE-") == 0);
        CHECK((name.find("-GCM-") != std::string::npos
               || name.find("-CHACHA20-") != std::string::npos));
        CHECK(client.exchange(good) == "HTTP/1.1 200 Status");
    }
    CHECK(accepted > 0);
    stage.finish();
}

TEST_CASE("groups of a small or unusual size are refused") {
    GreedyStage stage{{}};
    for (auto const version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
        for (auto const* groups : {"P-521", "ffdhe2048", "X448"}) {
            CAPTURE(version, groups);
            auto const context = lax_context(version);
            if (SSL_CTX_set1_groups_list(context.get(), groups) != 1) continue;
            CHECK_FALSE(TlsClient{stage.gateway.port(), context.get()}.connect());
        }
    }
    stage.finish();
}

TEST_CASE("nothing is compressed") {
    GreedyStage stage{{}};
    for (auto const version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
        auto const context = lax_context(version);
        TlsClient client{stage.gateway.port(), context.get()};
        REQUIRE(client.connect());
        CHECK(SSL_get_current_compression(client.tls()) == nullptr);
    }
    stage.finish();
}

TEST_CASE("a client that renegotiates is refused, and other clients are not affected") {
    GreedyStage stage{{}};
    Probe probe{stage.port()};
    auto const context = lax_context(TLS1_2_VERSION);
    TlsClient client{stage.gateway.port(), context.get()};
    REQUIRE(client.connect());
    CHECK(SSL_get_secure_renegotiation_support(client.tls()) == 1); // RFC 5746
    CHECK(client.exchange(good) == "HTTP/1.1 200 Status");
    REQUIRE(SSL_renegotiate(client.tls()) == 1);
    CHECK(SSL_do_handshake(client.tls()) != 1);
    CHECK(client.exchange(good).empty());
    client.close();
    probe.stop_and_check();
    stage.finish();
}

TEST_CASE("early data, before the end of the handshake, are rejected") {
    // RFC 8446, 8: they can be replayed.
    GreedyStage stage{{}};
    auto const context = lax_context(TLS1_3_VERSION);
    TlsClient first{stage.gateway.port(), context.get()};
    REQUIRE(first.connect());
    CHECK(first.exchange(good) == "HTTP/1.1 200 Status"); // the ticket has arrived with it
    auto const session = first.session();
    CHECK(SSL_SESSION_get_max_early_data(session.get()) == 0);
    auto const before = stage.upstream.requests().size();

    SSL_SESSION_set_max_early_data(session.get(), 16384); // the client sends them nevertheless
    TlsClient second{stage.gateway.port(), context.get(), session.get()};
    std::size_t written = 0;
    auto const early = Outgoing{"GET", "/blob/early"}.authorization(basic(administrator)).text();
    if (SSL_write_early_data(second.tls(), early.data(), early.size(), &written) == 1) {
        if (second.connect()) {
            CHECK(SSL_get_early_data_status(second.tls()) == SSL_EARLY_DATA_REJECTED);
            CHECK(second.exchange(good) == "HTTP/1.1 200 Status");
        }
    }
    first.close();
    second.close();
    for (auto const& request : stage.upstream.requests())
        CHECK(request.target != "/blob/early");
    CHECK(stage.upstream.requests().size() <= before + 1);
    stage.finish();
}

TEST_CASE("a ticket is valid at the gateway that issued it; one of another gateway or a damaged "
          "one is not") {
    for (auto const version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
        CAPTURE(version);
        GreedyStage stage{{}};
        GreedyStage other{{}};
        auto const context = lax_context(version);
        TlsClient first{stage.gateway.port(), context.get()};
        REQUIRE(first.connect());
        CHECK(first.exchange(good) == "HTTP/1.1 200 Status");
        auto const session = first.session();
        {
            TlsClient again{stage.gateway.port(), context.get(), session.get()};
            REQUIRE(again.connect());
            CHECK(again.is_resumed());
            CHECK(again.exchange(good) == "HTTP/1.1 200 Status");
        }
        {
            // Other keys: a whole handshake, no failure.
            TlsClient elsewhere{other.gateway.port(), context.get(), session.get()};
            REQUIRE(elsewhere.connect());
            CHECK_FALSE(elsewhere.is_resumed());
            CHECK(elsewhere.exchange(good) == "HTTP/1.1 200 Status");
        }
        // One bit of the ticket, at its place in the encoded session.
        unsigned char const* ticket = nullptr;
        std::size_t size = 0;
        SSL_SESSION_get0_ticket(session.get(), &ticket, &size);
        REQUIRE(size > 48);
        std::vector<unsigned char> encoded(
            static_cast<std::size_t>(i2d_SSL_SESSION(session.get(), nullptr)));
        auto* at = encoded.data();
        i2d_SSL_SESSION(session.get(), &at);
        auto const found = std::search(encoded.begin(), encoded.end(), ticket, ticket + size);
        REQUIRE(found != encoded.end());
        for (auto const offset : {std::size_t{20}, size / 2, size - 1}) {
            CAPTURE(offset);
            auto damaged = encoded;
            damaged[static_cast<std::size_t>(found - encoded.begin()) + offset] ^= 1;
            unsigned char const* bytes = damaged.data();
            Session const changed{
                d2i_SSL_SESSION(nullptr, &bytes, static_cast<long>(damaged.size()))};
            REQUIRE(changed);
            TlsClient client{stage.gateway.port(), context.get(), changed.get()};
            REQUIRE(client.connect());
            CHECK_FALSE(client.is_resumed());
            CHECK(client.exchange(good) == "HTTP/1.1 200 Status");
        }
        first.close();
        stage.finish();
        other.finish();
    }
}

TEST_CASE("key updates without end do not delay other clients") {
    GreedyStage stage{{}};
    Probe probe{stage.port()};
    auto const context = lax_context(TLS1_3_VERSION);
    TlsClient client{stage.gateway.port(), context.get()};
    REQUIRE(client.connect());
    for (int i = 0; i < 2000; ++i) {
        if (SSL_key_update(client.tls(), SSL_KEY_UPDATE_NOT_REQUESTED) != 1) break;
        if (SSL_do_handshake(client.tls()) != 1) break;
    }
    CHECK(client.exchange(good) == "HTTP/1.1 200 Status");
    client.close();
    probe.stop_and_check();
    stage.finish();
}

TEST_CASE("invalid records end their connection, and are never a request") {
    GreedyStage stage{{}};
    std::vector<std::string> const records{
        good,                                                          // not encrypted
        std::string{"\x17\x03\x03\x00\x20", 5} + std::string(32, 'x'), // another key
        std::string{"\x17\x03\x03\xff\xff", 5} + std::string(65535, 'x'),
        std::string{"\x16\x03\x03\x00\x04\x01\x00\x00\x00", 9}, // a handshake, unencrypted
        std::string{"\x14\x03\x03\x00\x01\x01", 6},             // ChangeCipherSpec
        std::string{"\x15\x03\x03\x00\x02\x02\x00", 7},         // an alert, unencrypted
        std::string{"\x18\x03\x03\x00\x03\x01\x40\x00", 8},     // a heartbeat with a wrong length
        std::string(5, '\0'),
    };
    auto const before = stage.upstream.requests().size();
    std::ptrdiff_t expected = 0;
    for (auto const version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
        for (std::size_t i = 0; i < records.size(); ++i) {
            CAPTURE(version, i);
            auto const context = lax_context(version);
            TlsClient client{stage.gateway.port(), context.get()};
            REQUIRE(client.connect());
            REQUIRE(::send(client.descriptor(), records[i].data(), records[i].size(), MSG_NOSIGNAL)
                    > 0);
            auto const status_line = client.exchange(
                Outgoing{"GET", "/blob/after"}.authorization(basic(administrator)).text());
            expected += status_line.empty() ? 1 : 0;
        }
    }
    CHECK(expected >= std::ptrdiff_t(2 * records.size() - 1));
    // Each of them has one line in the log, with its reason.
    CHECK(comes_true([&] {
        auto const lines = stage.gateway.log();
        return std::count_if(lines.begin(), lines.end(), is_tls_failure) == expected;
    }));
    // A ChangeCipherSpec may be ignored in TLS 1.3 (RFC 8446, 5); nothing else is.
    CHECK(stage.upstream.requests().size() <= before + 1);
    stage.finish();
}

TEST_CASE("both ends send close_notify") {
    GreedyStage stage{{}};
    SECTION("the client first") {
        RawClient client{stage.gateway.port()};
        CHECK(client.exchange(good).status == 200);
        client.channel().send_close_notify();
        CHECK(client.read_to_end() == End::orderly);
    }
    SECTION("the gateway first") {
        RawClient client{stage.gateway.port()};
        CHECK(client.exchange(request_for("getPipe").set("Connection", "close").text()).status
              == 200);
        CHECK(client.read_to_end() == End::orderly);
    }
    SECTION("a truncated body is not forwarded") {
        auto const before = stage.upstream.requests().size();
        {
            RawClient client{stage.gateway.port()};
            client.send(Outgoing{"PUT", "/blob/cut"}
                            .authorization(basic(administrator))
                            .chunked_body("whole", 5)
                            .bytes("5\r\nwhole\r\n")
                            .text());
            client.channel().half_close();
            client.read_to_end();
        }
        CHECK(stage.upstream.requests().size() == before);
    }
    stage.finish();
}

TEST_CASE("a crash writes no keys to a disk") {
    // Without the gateway's own limit there would be a core file.
    rlimit before{};
    REQUIRE(::getrlimit(RLIMIT_CORE, &before) == 0);
    rlimit const all{RLIM_INFINITY, RLIM_INFINITY};
    if (::setrlimit(RLIMIT_CORE, &all) != 0) {
        WARN("skipped: the limit of core files cannot be raised on this machine");
        return;
    }
    GreedyStage stage{{}};
    rlimit of_gateway{0, 0};
    CHECK(::prlimit(stage.gateway.id(), RLIMIT_CORE, nullptr, &of_gateway) == 0);
    // If cores are piped to a program, a limit of 0 has no effect (core(5)), but this one has.
    CHECK(of_gateway.rlim_cur == 1);
    ::setrlimit(RLIMIT_CORE, &before);
    stage.finish();
}

} // namespace h05_tls

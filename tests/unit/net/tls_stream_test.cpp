// Handshakes over a socket pair: refused ones, and successful ones.
#include "gateway/net/plain_stream.h"
#include "tests/unit/net/tls_harness.h"

#include <openssl/err.h>
#include <openssl/ssl.h>

namespace tls_stream_test {

using namespace sallyport::net;
using namespace sallyport::net::test;
using namespace std::chrono_literals;
using namespace std::string_view_literals;

namespace {

TlsEnds::Options with_name(std::string name) {
    TlsEnds::Options options;
    options.name = std::move(name);
    return options;
}

} // namespace

TEST_CASE("the client refuses a certificate that does not match the name") {
    for (auto const* name : {"other.example.com", "api.example.com.evil.test", "127.0.0.2"}) {
        TlsEnds ends(with_name(name));
        auto const outcome = ends.handshake();
        INFO(name << ": " << outcome.client.message());
        CHECK(outcome.client.category() == certificate_category());
        CHECK((outcome.client.value() == X509_V_ERR_HOSTNAME_MISMATCH
               || outcome.client.value() == X509_V_ERR_IP_ADDRESS_MISMATCH));
        CHECK(outcome.server);
        CHECK(ends.client->tls() == nullptr);
        CHECK(ERR_peek_error() == 0);
    }
}

TEST_CASE("the client refuses a certificate with the name only in its subject") {
    TlsEnds::Options options;
    options.server.certificates = {source_of(authority().issue({{}, {}}))};
    options.name = "server";
    TlsEnds ends(options);
    CHECK(ends.handshake().client.value() == X509_V_ERR_HOSTNAME_MISMATCH);
}

TEST_CASE("an empty server name is refused") {
    TlsEnds ends(with_name(""));
    CHECK(ends.handshake().client);
}

TEST_CASE("the client refuses a certificate of an unknown authority") {
    Authority const other;
    TlsEnds::Options options;
    options.client.ca = PemSource{"other.pem", other.certificate()};
    TlsEnds ends(options);
    auto const outcome = ends.handshake();
    CHECK(outcome.client.category() == certificate_category());
    // The alert reaches the server, which distinguishes it from a broken connection.
    CHECK(outcome.server.category() == tls_category());
    CHECK(outcome.server.message() == "tlsv1 alert unknown ca");
}

TEST_CASE("the client refuses an expired certificate") {
    TlsEnds::Options options;
    options.server.certificates = {
        source_of(authority().issue({{"api.example.com"}, {}, KeyKind::ecdsa, -7200, 3600}))};
    TlsEnds ends(options);
    CHECK(ends.handshake().client.value() == X509_V_ERR_CERT_HAS_EXPIRED);
}

TEST_CASE("bytes that are not TLS fail the handshake and leave nothing in the error queue") {
    TlsEnds ends;
    std::optional<Error> result;
    start(ends.loop, keep_result(ends.server->handshake(), result));
    std::string_view const plain = "GET / HTTP/1.1\r\nHost: api.example.com\r\n\r\n";
    REQUIRE(::send(ends.client_socket, plain.data(), plain.size(), 0) > 0);
    run_until(ends.loop, [&] { return result.has_value(); });
    CHECK(*result == StreamError::not_tls);
    CHECK(ERR_peek_error() == 0);
    CHECK(ends.server->tls() == nullptr);
    char byte = 0;
    CHECK(ends.server->try_read({&byte, 1}).error() == *result);
    CHECK(run(ends.loop, ends.server->write("x")) == *result);
    // Nothing of it was consumed.
    PlainStream as_it_is(ends.server->release_socket(), {});
    CHECK(run(ends.loop, read_exactly(as_it_is, plain.size())) == plain);
    CHECK_FALSE(ends.server->is_open());
    ends.server->abort();
}

TEST_CASE("malformed TLS fails the handshake and leaves no queue entries") {
    TlsEnds ends;
    std::optional<Error> result;
    start(ends.loop, keep_result(ends.server->handshake(), result));
    std::string_view const garbage = "\x16\x03\x01\x00\x05hello"sv;
    REQUIRE(::send(ends.client_socket, garbage.data(), garbage.size() - 1, 0) > 0);
    run_ready(ends.loop);
    // OpenSSL is used for a whole record.
    CHECK(ends.server->native_handle() == nullptr);
    CHECK_FALSE(result);
    REQUIRE(::send(ends.client_socket, garbage.data() + garbage.size() - 1, 1, 0) > 0);
    run_until(ends.loop, [&] { return result.has_value(); });
    CHECK(result->category() == tls_category());
    CHECK(ERR_peek_error() == 0);
    CHECK(ends.server->tls() == nullptr);
    char byte = 0;
    CHECK(ends.server->try_read({&byte, 1}).error() == *result);
    CHECK(run(ends.loop, ends.server->write("x")) == *result);
}

TEST_CASE(
    "a client that closes during the handshake is not a TLS error, and leaves no queue entries") {
    TlsEnds ends;
    std::optional<Error> result;
    start(ends.loop, keep_result(ends.server->handshake(), result));
    run_ready(ends.loop);
    SECTION("before its first byte") {}
    SECTION("in the middle of its hello") {
        REQUIRE(::send(ends.client_socket, "\x16\x03\x01\x02\x00\x01", 6, 0) == 6);
    }
    ends.client->close();
    run_until(ends.loop, [&] { return result.has_value(); });
    CHECK(*result == StreamError::truncated);
    CHECK(ERR_peek_error() == 0);
}

TEST_CASE("entries of other code in the error queue do not end a connection") {
    TlsEnds ends;
    ends.connected();
    std::optional<std::string> got;
    start(ends.loop, keep_result(read_exactly(*ends.server, 5), got));
    ERR_raise(ERR_LIB_USER, ERR_R_MALLOC_FAILURE);
    run_ready(ends.loop);
    CHECK_FALSE(got);
    REQUIRE_FALSE(run(ends.loop, ends.client->write("hello")));
    run_until(ends.loop, [&] { return got.has_value(); });
    CHECK(*got == "hello");
    ERR_clear_error();
}

TEST_CASE("versions below the minimum are refused, and the best common one is selected") {
    SECTION("a client of TLS 1.2 at a listener of 1.3") {
        TlsEnds::Options options;
        options.server.minimum_version = TlsVersion::tls_1_3;
        options.client_context = make_client();
        SSL_CTX_set_max_proto_version(options.client_context->context(), TLS1_2_VERSION);
        TlsEnds ends(options);
        auto const outcome = ends.handshake();
        CHECK(outcome.server.category() == tls_category());
        CHECK(outcome.client);
    }
    SECTION("a client of TLS 1.1") {
        TlsEnds::Options options;
        options.client_context = make_client();
        auto* const context = options.client_context->context();
        SSL_CTX_set_security_level(context, 0);
        SSL_CTX_set_min_proto_version(context, TLS1_VERSION);
        SSL_CTX_set_max_proto_version(context, TLS1_1_VERSION);
        SSL_CTX_set_cipher_list(context, "ALL:@SECLEVEL=0");
        TlsEnds ends(options);
        CHECK(ends.handshake().server.category() == tls_category());
    }
    SECTION("TLS 1.2 at the default") {
        TlsEnds::Options options;
        options.client_context = make_client();
        SSL_CTX_set_max_proto_version(options.client_context->context(), TLS1_2_VERSION);
        TlsEnds ends(options);
        ends.connected();
        CHECK(ends.server->tls()->version == "TLSv1.2");
        CHECK(ends.server->tls()->cipher.substr(0, 6) == "ECDHE-");
        ends.exchange("ping", "pong");
    }
    SECTION("TLS 1.3") {
        TlsEnds ends;
        ends.connected();
        CHECK(ends.server->tls()->version == "TLSv1.3");
        CHECK(ends.server->tls()->cipher == "TLS_AES_128_GCM_SHA256");
        CHECK_FALSE(ends.server->tls()->group.empty());
        CHECK(ends.client->tls()->version == "TLSv1.3");
        ends.exchange("ping", "pong");
    }
}

TEST_CASE("a client without a suite of forward secrecy is refused") {
    TlsEnds::Options options;
    options.client_context = make_client();
    SSL_CTX_set_max_proto_version(options.client_context->context(), TLS1_2_VERSION);
    SSL_CTX_set_cipher_list(options.client_context->context(), "AES128-GCM-SHA256");
    options.server.certificates = {
        source_of(authority().issue({{"api.example.com"}, {}, KeyKind::rsa}))};
    TlsEnds ends(options);
    CHECK(ends.handshake().server.message() == "no shared cipher");
}

TEST_CASE("a client that offers only unsupported protocols is refused") {
    TlsEnds::Options options;
    options.client.protocols = {"h2"};
    TlsEnds ends(options);
    CHECK(ends.handshake().client.message().find("no application protocol") != std::string::npos);
    options.client.protocols = {"h2", "http/1.1"};
    TlsEnds both(options);
    both.connected();
    options.client.protocols = {};
    TlsEnds none(options);
    none.connected();
}

TEST_CASE("the certificate is chosen by server name, in any letter case") {
    TlsEnds::Options options;
    options.server.certificates = {
        source_of(authority().issue({{"first.example.com"}, {}}), "first"),
        source_of(authority().issue({{"*.example.com"}, {}}), "wildcard"),
    };
    options.server_context = make_server(options.server);
    for (auto const* name : {"first.example.com", "API.Example.com"}) {
        options.name = name;
        TlsEnds ends(options);
        ends.connected();
        CHECK(ends.server->tls()->server_name == (name[0] == 'A' ? "api.example.com" : name));
    }
    options.name =
        "a.b.example.com"; // no wildcard of one label: the first certificate, and refused
    TlsEnds ends(options);
    CHECK(ends.handshake().client.value() == X509_V_ERR_HOSTNAME_MISMATCH);
}

TEST_CASE("a client that supports only RSA gets the RSA certificate of two") {
    TlsEnds::Options options;
    options.server.certificates = {
        source_of(example_identity(), "ecdsa"),
        source_of(authority().issue({{"api.example.com"}, {}, KeyKind::rsa}), "rsa"),
    };
    options.client_context = make_client();
    SSL_CTX_set_max_proto_version(options.client_context->context(), TLS1_2_VERSION);
    SSL_CTX_set1_sigalgs_list(options.client_context->context(), "RSA-PSS+SHA256");
    TlsEnds ends(options);
    ends.connected();
    CHECK(ends.server->tls()->cipher.find("-RSA-") != std::string_view::npos);
}

TEST_CASE("an address is checked against the certificate and not sent as a name") {
    for (auto const* address : {"127.0.0.1", "::1"}) {
        TlsEnds ends(with_name(address));
        ends.connected();
        CHECK(ends.server->tls()->server_name.empty());
    }
}

TEST_CASE(
    "sessions are resumed with a ticket, on any context with the same keys, not with others") {
    auto const keys = std::make_shared<TicketKeys>();
    auto const session = std::make_shared<TlsSession>();
    TlsEnds::Options options;
    options.client_context = make_client();
    options.session = session;
    int const version = GENERATE(TLS1_2_VERSION, TLS1_3_VERSION);
    SSL_CTX_set_max_proto_version(options.client_context->context(), version);
    {
        options.server_context = make_server({}, keys);
        TlsEnds ends(options);
        ends.connected();
        CHECK(ends.server->tls()->resumed == Resumed::no);
        ends.exchange("first", "with ticket");
        REQUIRE(session->get() != nullptr);
    }
    {
        options.server_context = make_server({}, keys);
        TlsEnds ends(options);
        ends.connected();
        CHECK(ends.server->tls()->resumed == Resumed::yes);
        CHECK(ends.client->tls()->resumed == Resumed::yes);
        ends.exchange("second", "resumed");
    }
    SECTION("other keys") {
        options.server_context = make_server({});
    }
    SECTION("another listener with the same keys") {
        ServerTlsSettings settings;
        settings.session_id_context = "another";
        options.server_context = make_server(settings, keys);
    }
    TlsEnds ends(options);
    ends.connected();
    CHECK(ends.server->tls()->resumed == Resumed::no);
}

TEST_CASE("a session is resumed under the name that it was made for, and under no other one") {
    struct Row {
        char const* made_for;
        char const* resumed_under;
        Resumed expected;
    };
    int const version = GENERATE(TLS1_2_VERSION, TLS1_3_VERSION);
    for (auto const& row : {Row{"api.example.com", "api.example.com", Resumed::yes},
                            Row{"api.example.com", "API.example.com", Resumed::yes},
                            Row{"api.example.com", "www.example.com", Resumed::no},
                            Row{"api.example.com", "127.0.0.1", Resumed::no}, // sends none
                            Row{"127.0.0.1", "127.0.0.1", Resumed::yes},
                            Row{"127.0.0.1", "api.example.com", Resumed::no}}) {
        CAPTURE(row.made_for, row.resumed_under, version);
        TlsEnds::Options options;
        options.server.certificates = {source_of(
            authority().issue({{"api.example.com", "www.example.com"}, {"127.0.0.1"}}), "both")};
        options.server_context = make_server(options.server);
        options.client_context = make_client();
        options.session = std::make_shared<TlsSession>();
        SSL_CTX_set_max_proto_version(options.client_context->context(), version);
        options.name = row.made_for;
        TlsEnds first(options);
        first.connected();
        first.exchange("first", "with ticket");
        REQUIRE(options.session->get() != nullptr);
        options.name = row.resumed_under;
        TlsEnds second(options);
        second.connected();
        CHECK(second.server->tls()->resumed == row.expected);
        second.exchange("second", "in any case");
    }
}

TEST_CASE("the server sends one ticket") {
    TlsEnds::Options options;
    options.client_context = make_client();
    static int tickets = 0;
    tickets = 0;
    SSL_CTX_sess_set_new_cb(options.client_context->context(), [](SSL*, SSL_SESSION*) {
        ++tickets;
        return 0;
    });
    TlsEnds ends(options);
    ends.connected();
    ends.exchange("ping", "pong");
    CHECK(tickets == 1);
}

TEST_CASE("a client that resumes gets another ticket, because each is for one connection") {
    TlsEnds::Options options;
    options.client_context = make_client();
    options.session = std::make_shared<TlsSession>();
    options.server_context = make_server({});
    for (auto const expected : {Resumed::no, Resumed::yes, Resumed::yes}) {
        TlsEnds ends(options);
        options.session->forget(); // it cannot be used again
        ends.connected();
        CHECK(ends.server->tls()->resumed == expected);
        ends.exchange("ping", "pong");
        REQUIRE(options.session->get() != nullptr);
    }
}

TEST_CASE("a client cannot renegotiate") {
    TlsEnds::Options options;
    options.client_context = make_client();
    SSL_CTX_set_max_proto_version(options.client_context->context(), TLS1_2_VERSION);
    SSL_CTX_clear_options(options.client_context->context(), SSL_OP_NO_RENEGOTIATION);
    TlsEnds ends(options);
    ends.connected();
    REQUIRE(SSL_renegotiate(ends.client->native_handle()) == 1);
    std::optional<Error> written;
    start(ends.loop, keep_result(ends.client->write("hello"), written));
    std::string block(100, '\0');
    std::optional<Result<std::size_t>> got;
    start(ends.loop, keep_result(ends.server->read_some(block), got));
    run_until(ends.loop, [&] { return written.has_value(); });
    CHECK(*written);
    ends.client->abort();
    run_until(ends.loop, [&] { return got.has_value(); });
    CHECK_FALSE(*got);
}

} // namespace tls_stream_test

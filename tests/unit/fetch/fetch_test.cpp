// Fetches from their name to their connection: what is sent, and what is refused before and after.
#include "tests/unit/fetch/fetch_fixture.h"

#include <openssl/x509_vfy.h>

#include <thread>

namespace fetch_test {

using namespace sallyport;
using namespace sallyport::fetch;
using namespace sallyport::fetch::test;
using namespace sallyport::net::test;

TEST_CASE("a GET says what it takes, and nothing else") {
    FetchFixture fixture;
    auto const number = std::to_string(fixture.port.number());
    fixture.set_url("http://issuer.test:" + number + "/keys?p=1");
    fixture.target->media_types = {"application/json", "application/jwk-set+json"};
    fixture.start();
    CHECK(fixture.accept_plain()
          == "GET /keys?p=1 HTTP/1.1\r\nHost: issuer.test:" + number
                 + "\r\nUser-Agent: Sallyport\r\nAccept: application/json, "
                   "application/jwk-set+json\r\nAccept-Encoding: identity\r\nConnection: "
                   "close\r\n\r\n");
    fixture.respond(with_length("{}"));
    fixture.wait();
    CHECK(fixture.body() == "{}");
    CHECK(fixture.counts[0] == 1);
}

TEST_CASE("a POST has its body and its credentials") {
    FetchFixture fixture;
    Request request;
    request.method = Request::Method::post;
    request.authorization = config::Secret{"Basic Z2F0ZTprZWVwZXI="};
    request.content_type = "application/x-www-form-urlencoded";
    request.body = config::Secret{"token=abc"};
    fixture.start(std::move(request));
    auto const sent = fixture.accept_plain(9);
    CHECK(sent.starts_with("POST /introspect HTTP/1.1\r\n"));
    CHECK(sent.find("\r\nAuthorization: Basic Z2F0ZTprZWVwZXI=\r\n") != std::string::npos);
    CHECK(sent.find("\r\nContent-Type: application/x-www-form-urlencoded\r\n")
          != std::string::npos);
    CHECK(sent.ends_with("\r\nContent-Length: 9\r\n\r\ntoken=abc"));
    fixture.respond(with_length("{\"active\":true}"));
    fixture.wait();
    CHECK(fixture.body() == "{\"active\":true}");
}

TEST_CASE("over TLS the name and the chain of the certificate are verified") {
    SECTION("a valid one is accepted") {
        FetchFixture fixture;
        fixture.use_tls();
        fixture.start();
        CHECK_FALSE(fixture.accept_tls());
        CHECK(fixture.read_request().starts_with("GET /keys HTTP/1.1\r\nHost: api.example.com:"));
        fixture.respond(with_length("{}"));
        fixture.wait();
        CHECK(fixture.body() == "{}");
    }
    SECTION("one for another name is refused, and no request is sent") {
        FetchFixture fixture;
        fixture.use_tls({}, "issuer.test");
        fixture.start();
        CHECK(fixture.accept_tls());
        fixture.wait();
        CHECK(fixture.failure()
              == Failure{Cause::certificate,
                         X509_verify_cert_error_string(X509_V_ERR_HOSTNAME_MISMATCH)});
    }
    SECTION("one of an unknown authority is refused") {
        FetchFixture fixture;
        net::test::Authority const other;
        net::ClientTlsSettings settings;
        settings.ca = net::PemSource{"other.pem", other.certificate()};
        fixture.use_tls(settings);
        fixture.start();
        CHECK(fixture.accept_tls());
        fixture.wait();
        CHECK(fixture.failure().cause == Cause::certificate);
    }
    SECTION("one that has expired is refused") {
        FetchFixture fixture;
        fixture.use_tls();
        fixture.start();
        net::ServerTlsSettings settings;
        settings.certificates = {source_of(
            net::test::authority().issue({{"api.example.com"}, {}, KeyKind::ecdsa, -7200, 3600}))};
        CHECK(fixture.accept_tls(settings));
        fixture.wait();
        CHECK(fixture.failure()
              == Failure{Cause::certificate,
                         X509_verify_cert_error_string(X509_V_ERR_CERT_HAS_EXPIRED)});
    }
}

TEST_CASE("https without trusted certificates is never tried") {
    FetchFixture fixture;
    fixture.use_tls();
    fixture.target->tls = nullptr;
    fixture.start();
    fixture.wait();
    CHECK(fixture.failure().cause == Cause::tls);
    CHECK_FALSE(fixture.port.has_connection());
}

TEST_CASE("a server that speaks no TLS fails the handshake") {
    FetchFixture fixture;
    fixture.use_tls();
    fixture.start();
    fixture.server = std::make_unique<net::PlainStream>(fixture.accept(), net::Peer{});
    fixture.respond("HTTP/1.1 400 Bad Request\r\n\r\n");
    fixture.wait();
    CHECK(fixture.failure().cause == Cause::tls);
}

TEST_CASE("addresses that must not be reached are refused after the lookup") {
    FetchFixture fixture;
    SECTION("metadata services") {
        fixture.addresses = {address_of("169.254.169.254", 80)};
        fixture.start();
        fixture.wait();
        CHECK(fixture.failure().cause == Cause::address_refused);
    }
    SECTION("metadata services by their address") {
        fixture.set_url("http://169.254.169.254/latest/meta-data");
        fixture.start();
        fixture.wait();
        CHECK(fixture.failure().cause == Cause::address_refused);
    }
    SECTION("without TLS, other hosts") {
        fixture.addresses = {address_of("192.0.2.1", 80)};
        fixture.start();
        fixture.wait();
        CHECK(fixture.failure().cause == Cause::insecure);
    }
}

TEST_CASE("a name without an address, and a port at which nobody listens, are failures") {
    FetchFixture fixture;
    SECTION("no address") {
        Names none{fixture.inbox, [](net::Name const&) -> net::Result<std::vector<net::Address>> {
                       return net::Error{net::asio::error::host_not_found};
                   }};
        Environment environment{fixture.loop, none, fixture.counts};
        auto const result = run(fixture.loop, fetch::fetch(environment, Request{fixture.target}));
        CHECK(std::get<Failure>(result).cause == Cause::not_resolved);
    }
    SECTION("nobody listens") {
        std::uint16_t closed = 0;
        {
            Port const other;
            closed = other.number();
        }
        fixture.addresses = {address_of("127.0.0.1", closed)};
        fixture.start();
        fixture.wait();
        CHECK(fixture.failure() == Failure{Cause::not_connected, "Connection refused"});
        CHECK(fixture.counts[static_cast<std::size_t>(Cause::not_connected)] == 1);
    }
    SECTION("the second address is tried") {
        auto const good = fixture.addresses.front();
        std::uint16_t closed = 0;
        {
            Port const other;
            closed = other.number();
        }
        fixture.addresses = {address_of("127.0.0.1", closed), good};
        fixture.fetch_of(with_length("{}"));
        CHECK(fixture.body() == "{}");
    }
    SECTION("the fifth address is not") {
        auto const good = fixture.addresses.front();
        std::uint16_t closed = 0;
        {
            Port const other;
            closed = other.number();
        }
        fixture.addresses.assign(4, address_of("127.0.0.1", closed));
        fixture.addresses.push_back(good);
        fixture.start();
        fixture.wait();
        CHECK(fixture.failure().cause == Cause::not_connected);
    }
}

TEST_CASE("one time limit ends a fetch wherever it waits") {
    FetchFixture fixture;
    fixture.target->limits.total = 300ms;
    SECTION("for its name") {
        auto const released = std::make_shared<std::atomic<bool>>(false);
        Names slow{fixture.inbox,
                   [released](net::Name const&) -> net::Result<std::vector<net::Address>> {
                       released->wait(false);
                       return net::Error{net::asio::error::host_not_found};
                   }};
        Environment environment{fixture.loop, slow, fixture.counts};
        auto const result = run(fixture.loop, fetch::fetch(environment, Request{fixture.target}));
        CHECK(std::get<Failure>(result).cause == Cause::timeout);
        fixture.inbox->close();
        *released = true;
        released->notify_all();
    }
    SECTION("for the handshake") {
        fixture.use_tls();
        fixture.start();
        auto const accepted = fixture.accept();
        fixture.wait();
        CHECK(fixture.failure().cause == Cause::timeout);
    }
    SECTION("for the head") {
        fixture.start();
        fixture.accept_plain();
        fixture.wait();
        CHECK(fixture.failure().cause == Cause::timeout);
    }
    SECTION("for the rest of the head") {
        fixture.start();
        fixture.accept_plain();
        fixture.respond("HTTP/1.1 200 OK\r\nX: ");
        fixture.wait();
        CHECK(fixture.failure().cause == Cause::timeout);
    }
    SECTION("for the rest of the body") {
        fixture.start();
        fixture.accept_plain();
        fixture.respond(std::string{json_head} + "Content-Length: 10\r\n\r\n12345");
        fixture.wait();
        CHECK(fixture.failure().cause == Cause::timeout);
    }
}

TEST_CASE("a body that comes byte by byte does not outlive the time limit") {
    FetchFixture fixture;
    fixture.target->limits.total = 300ms;
    auto const begun = net::Clock::now();
    fixture.start();
    fixture.accept_plain();
    fixture.respond(std::string{json_head} + "Content-Length: 900\r\n\r\n");
    while (!fixture.result) {
        REQUIRE(net::Clock::now() < begun + hang);
        fixture.respond("1");
        auto const until = net::Clock::now() + 20ms;
        fixture.loop.context().run_until(until);
        if (fixture.loop.context().stopped()) fixture.loop.context().restart();
    }
    CHECK(fixture.failure().cause == Cause::timeout);
}

TEST_CASE("the time to connect is limited on its own") {
    FetchFixture fixture;
    fixture.target->limits.connect = 300ms;
    fixture.target->limits.total = hang;
    fixture.use_tls();
    fixture.start();
    auto const accepted = fixture.accept();
    fixture.wait();
    CHECK(fixture.failure().cause == Cause::timeout);
}

TEST_CASE("no more fetches run at once than may") {
    FetchFixture fixture;
    fixture.environment.most_at_once = 1;
    fixture.start();
    auto const second =
        run(fixture.loop, fetch::fetch(fixture.environment, Request{fixture.target}));
    CHECK(std::get<Failure>(second).cause == Cause::overloaded);
    fixture.accept_plain();
    fixture.respond(with_length("{}"));
    fixture.wait();
    CHECK(fixture.body() == "{}");
    CHECK(fixture.environment.running == 0);
}

TEST_CASE("a fetch that its loop destroys leaves nothing behind") {
    FetchFixture fixture;
    fixture.start();
    fixture.accept_plain();
    CHECK(fixture.environment.running == 1);
    fixture.server.reset();
    fixture.loop.end();
    CHECK(fixture.environment.running == 0);
}

} // namespace fetch_test

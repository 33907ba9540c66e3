// Ticket keys: three generations, and nothing older.
#include "gateway/net/ticket_keys.h"

#include "tests/unit/net/tls_harness.h"

#include <catch2/catch.hpp>

#include <openssl/ssl.h>

namespace ticket_keys_test {

using namespace sallyport::net;
using namespace sallyport::net::test;
using namespace std::chrono_literals;

namespace {

Clock::duration passed{};

Clock::time_point clock_of_the_test() {
    static auto const start = Clock::now();
    return start + passed;
}

// Two handshakes of one client, the second after that time.
Resumed resumed_after(Clock::duration time, int version) {
    passed = {};
    // A context for each, as for each worker and each snapshot.
    auto const keys = std::make_shared<TicketKeys>(1h, clock_of_the_test);
    TlsEnds::Options options;
    options.client_context = make_client();
    SSL_CTX_set_max_proto_version(options.client_context->context(), version);
    options.session = std::make_shared<TlsSession>();
    options.server_context = make_server({}, keys);
    {
        TlsEnds first(options);
        first.connected();
        first.exchange("first", "with ticket");
    }
    // Other clients connect all the time, so that keys are rotated.
    for (; passed < time; passed += 1min)
        keys->current(clock_of_the_test());
    options.server_context = make_server({}, keys);
    TlsEnds second(options);
    second.connected();
    return second.server->tls()->resumed;
}

} // namespace

TEST_CASE("a ticket key older than three periods decrypts no ticket") {
    TicketKeys keys(1h);
    auto const start = Clock::now();
    auto const first = keys.current(start);
    REQUIRE(first);
    SECTION("with requests all the time") {
        for (auto at = start; at < start + 3h; at += 10min)
            REQUIRE(keys.current(at));
        CHECK_FALSE(keys.find(first->name, start + 3h));
    }
    SECTION("without requests meanwhile") {
        CHECK_FALSE(keys.find(first->name, start + 3h));
    }
}

TEST_CASE("an unknown name finds no key") {
    TicketKeys keys;
    std::array<unsigned char, 16> const name{};
    CHECK_FALSE(keys.find(name, Clock::now()));
}

TEST_CASE("tickets are made under the newest key and opened under three") {
    TicketKeys keys(1h);
    auto const start = Clock::now();
    auto const first = keys.current(start);
    auto const still_first = keys.current(start + 59min);
    auto const second = keys.current(start + 60min);
    auto const third = keys.current(start + 120min);
    REQUIRE((first && still_first && second && third));
    CHECK(first->name == still_first->name);
    CHECK(first->name != second->name);
    CHECK(first->cipher != second->cipher);
    CHECK(first->mac != second->mac);
    auto const now = start + 170min;
    REQUIRE(keys.find(first->name, now));
    CHECK(keys.find(first->name, now)->age == TicketKeys::Age::older);
    CHECK(keys.find(first->name, now)->key.cipher == first->cipher);
    CHECK(keys.find(second->name, now)->age == TicketKeys::Age::older);
    CHECK(keys.find(third->name, now)->age == TicketKeys::Age::current);
}

TEST_CASE("invalid bytes of keys change nothing") {
    auto const now = Clock::now();
    TicketKeys keys(1h);
    auto const first = keys.current(now);
    auto packed = TicketKeys{1h}.pack();
    std::span<unsigned char const> const bytes{packed.bytes};
    CHECK_FALSE(keys.unpack(bytes.first(bytes.size() - 1)));
    CHECK_FALSE(keys.unpack({}));
    SECTION("another mark") {
        packed.bytes.front() ^= 1;
        CHECK_FALSE(keys.unpack(bytes));
    }
    SECTION("keys of a time to come") {
        TicketKeys later(1h, [] { return Clock::now() + 24h; });
        REQUIRE(later.current(later.now()));
        CHECK_FALSE(keys.unpack(later.pack().bytes));
    }
    CHECK(keys.find(first->name, now)->age == TicketKeys::Age::current);
}

TEST_CASE("a successor continues with the keys of its predecessor, each with its age") {
    auto const start = Clock::now();
    auto const end = [] { return Clock::now() + 3h; };
    TicketKeys keys(1h);
    auto const first = keys.current(start);
    auto const second = keys.current(start + 70min);
    TicketKeys successor(1h, end);
    REQUIRE(successor.unpack(keys.pack().bytes));
    auto const now = start + 75min;
    REQUIRE((first && second));
    REQUIRE((successor.find(first->name, now) && successor.find(second->name, now)));
    CHECK(successor.find(first->name, now)->age == TicketKeys::Age::older);
    CHECK(successor.find(first->name, now)->key.cipher == first->cipher);
    CHECK(successor.find(first->name, now)->key.mac == first->mac);
    CHECK(successor.find(second->name, now)->age == TicketKeys::Age::current);
    CHECK(successor.current(now)->name == second->name);
    CHECK_FALSE(successor.find(first->name, start + 3h));
    CHECK(successor.find(second->name, start + 3h));
}

TEST_CASE("a ticket has a key until it expires") {
    TicketKeys keys;
    auto const start = Clock::now();
    auto const given = start + TicketKeys::default_period - 1s; // at the last moment of its key
    auto const first = keys.current(start);
    for (auto at = start; at <= given + TicketKeys::ticket_lifetime; at += 1s) {
        REQUIRE(keys.current(at));
        REQUIRE(keys.find(first->name, at));
    }
}

TEST_CASE("a ticket of each of three generations resumes its session, one of the fourth does not") {
    int const version = GENERATE(TLS1_2_VERSION, TLS1_3_VERSION);
    CHECK(resumed_after(10min, version) == Resumed::yes);
    CHECK(resumed_after(70min, version) == Resumed::yes);
    CHECK(resumed_after(130min, version) == Resumed::yes);
    CHECK(resumed_after(190min, version) == Resumed::no);
}

} // namespace ticket_keys_test

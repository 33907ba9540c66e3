// Which failures count against the budget of a client, and what it gets beyond it.
#include "double.h"

#include "gateway/pipeline/failed_authentication.h"

#include <catch2/catch.hpp>

namespace failed_authentication_test {

using namespace sallyport;
using namespace sallyport::pipeline;
using namespace std::chrono_literals;

namespace {

// One failure of an address in a minute, and then a block of 90 s; two of a key id, and then 120 s.
struct Failing : pipeline::test::Fixture {
    explicit Failing(std::string address = "192.0.2.1")
        : Fixture{"GET / HTTP/1.1\r\nHost: h\r\n\r\n"}, failed{[this](BeganBlock const& block) {
              blocks.push_back(block);
          }} {
        client.caller = caller_of_address(address);
        client.address = std::move(address);
        failed.configure({1, 1min, 90'001ms, 1h}, {2, 1min, 120s, 1h}, except);
    }
    std::unique_ptr<Denial> fail(AuthFailure why) {
        exchange.decision.auth_failure = why;
        return failed.count(exchange.request, exchange.decision);
    }

    std::vector<text::Network> except{text::parse_network("198.51.100.0/24").network};
    std::vector<BeganBlock> blocks;
    FailedAuthentication failed;
};

} // namespace

TEST_CASE("unknown key ids and wrong secrets count, and are refused beyond the budget") {
    Failing client;
    CHECK(client.fail(AuthFailure::unknown) == nullptr);
    auto const denial = client.fail(AuthFailure::wrong_secret);
    REQUIRE(denial != nullptr);
    CHECK(denial->reason == Reason::rate_limited);
    std::string fields;
    for (auto const& [name, value] : denial->fields)
        fields += std::string{name} + ": " + value + '\n';
    // Not sooner than it is true.
    CHECK(fields
          == "Retry-After: 91\nRateLimit-Limit: 1\nRateLimit-Remaining: 0\n"
             "RateLimit-Reset: 91\nX-RateLimit-Reset: 91\n");
    REQUIRE(client.blocks.size() == 1);
    CHECK(client.blocks[0].address == "192.0.2.1");
    CHECK(client.blocks[0].length == 90'001ms);
    CHECK(client.blocks[0].blocks == 1);
    CHECK(client.failed.blocks_by_address() == 1);
    // One line for a block.
    CHECK(client.fail(AuthFailure::wrong_secret) != nullptr);
    CHECK(client.blocks.size() == 1);
}

TEST_CASE("failures that are no guesses do not count, and are not refused as such") {
    auto const why =
        GENERATE(AuthFailure::no_credentials, AuthFailure::malformed, AuthFailure::disabled,
                 AuthFailure::not_yet_valid, AuthFailure::expired, AuthFailure::denied);
    Failing client;
    for (auto i = 0; i < 3; ++i)
        CHECK(client.fail(why) == nullptr);
    CHECK(client.fail(AuthFailure::unknown) == nullptr);
    CHECK(client.fail(AuthFailure::unknown) != nullptr);
    CHECK(client.fail(why) == nullptr);
}

TEST_CASE("credentials of several callers count like a wrong secret") {
    Failing client;
    CHECK(client.fail(AuthFailure::other_caller) == nullptr);
    CHECK(client.fail(AuthFailure::other_caller) != nullptr);
}

TEST_CASE("clients at addresses that are excepted are never refused") {
    Failing client{"198.51.100.7"};
    for (auto i = 0; i < 3; ++i)
        CHECK(client.fail(AuthFailure::unknown) == nullptr);
    CHECK(client.blocks.empty());
    // A change holds at once.
    client.failed.configure({1, 1min, 1s, 1s}, {1, 1min, 1s, 1s}, {});
    CHECK(client.fail(AuthFailure::unknown) == nullptr);
    CHECK(client.fail(AuthFailure::unknown) != nullptr);
}

TEST_CASE("a key id has a budget of its own, from wherever the guesses come") {
    Failing client;
    auto const from = [&client](std::string const& address) {
        client.client.caller = caller_of_address(address);
        client.client.address = address;
    };
    Credential ann;
    ann.identity.name = "ann";
    auto& decision = client.exchange.decision;
    decision.tried_id = caller_of_key_id("ann");
    decision.meant = &ann;
    CHECK(client.fail(AuthFailure::wrong_secret) == nullptr);
    from("192.0.2.2");
    CHECK(client.fail(AuthFailure::wrong_secret) == nullptr);
    from("192.0.2.3");
    auto const denial = client.fail(AuthFailure::wrong_secret);
    REQUIRE(denial != nullptr);
    CHECK(denial->fields[0].value == "120");
    REQUIRE(client.blocks.size() == 1);
    CHECK(client.blocks[0].credential == "ann");
    CHECK(client.failed.blocks_by_id() == 1);
    // Neither its passwords are looked at now, nor those of a client that is blocked.
    from("192.0.2.3");
    CHECK(client.failed.refuse_unverified(client.exchange.request, decision) != nullptr);
    decision.tried_id = caller_of_key_id("bob");
    CHECK(client.failed.refuse_unverified(client.exchange.request, decision) == nullptr);
    from("192.0.2.4");
    CHECK(client.fail(AuthFailure::unknown) == nullptr);
    CHECK(client.fail(AuthFailure::unknown) != nullptr);
    CHECK(client.failed.refuse_unverified(client.exchange.request, decision) != nullptr);
}

TEST_CASE("an address without failures has one attempt at a key id that is blocked") {
    Failing client;
    auto const from = [&client](std::string const& address) {
        client.client.caller = caller_of_address(address);
        client.client.address = address;
    };
    auto& decision = client.exchange.decision;
    auto const is_refused = [&] {
        return client.failed.refuse_unverified(client.exchange.request, decision) != nullptr;
    };
    decision.tried_id = caller_of_key_id("ann");
    for (auto const* const address : {"192.0.2.1", "192.0.2.2", "192.0.2.3"}) {
        from(address);
        static_cast<void>(client.fail(AuthFailure::wrong_secret));
    }
    CHECK(is_refused());
    from("192.0.2.4");
    CHECK_FALSE(is_refused());
    // It is that of the request, however often it is judged.
    CHECK_FALSE(is_refused());
    decision.has_own_attempt = false;
    CHECK(is_refused());
    from("192.0.2.5");
    CHECK_FALSE(is_refused());
    decision.has_own_attempt = false;
    // Of another key id nothing is blocked.
    decision.tried_id = caller_of_key_id("bob");
    CHECK_FALSE(is_refused());
}

TEST_CASE("no line is written of a key id that nobody has") {
    Failing client;
    client.failed.configure({100, 1min, 1s, 1s}, {1, 1min, 1s, 1s}, {});
    client.exchange.decision.tried_id = caller_of_key_id("a password in the wrong place");
    CHECK(client.fail(AuthFailure::unknown) == nullptr);
    CHECK(client.fail(AuthFailure::unknown) != nullptr);
    CHECK(client.failed.blocks_by_id() == 1);
    CHECK(client.blocks.empty());
}

} // namespace failed_authentication_test

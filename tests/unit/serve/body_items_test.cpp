// Bodies of items that are streamed: what is read before the request is forwarded, with a fault at
// every step.
#include "gateway/serve/body_items.h"

#include "gateway/serve/request_body.h"
#include "tests/unit/support/exchange_fixture.h"

#include <catch2/catch.hpp>

namespace body_items_test {

using namespace sallyport;
using namespace sallyport::serve;
using pipeline::BodyHandling;
using pipeline::Reason;
using pipeline::test::ExchangeFixture;

namespace {

constexpr std::string_view contract = R"(
openapi: 3.1.0
info: { title: Test, version: "1" }
paths:
  /rows:
    post:
      operationId: addRows
      requestBody:
        content: { application/jsonl: { itemSchema: { type: integer, maximum: 9 } } }
)";

struct ItemsFixture : ExchangeFixture {
    explicit ItemsFixture(std::string const& fields) : ExchangeFixture{contract} {
        begin("POST /rows", "Content-Type: application/jsonl\r\n" + fields);
        REQUIRE(pipeline->admit(exchange, pipeline::Until::body).needs_body());
        REQUIRE(exchange.decision.body.handling == BodyHandling::streamed);
    }
    std::unique_ptr<pipeline::Denial> read() {
        return net::test::run(loop, read_request_body(exchange));
    }
};

constexpr auto chunked = "Transfer-Encoding: chunked\r\n";

} // namespace

TEST_CASE("the beginning of a body of items is what is valid of the first parts with an item") {
    ItemsFixture test{chunked};
    test.stream.receive("1\r\n1\r\n");
    test.stream.receive("2\r\n\n3\r\n");
    REQUIRE_FALSE(test.read());
    REQUIRE(test.exchange.received.beginning);
    CHECK(test.exchange.received.beginning->bytes == "1\n");
    CHECK_FALSE(test.exchange.received.beginning->complete);
    CHECK(test.exchange.decision.findings.body_validated);
}

TEST_CASE("a body of items that begins with one that is not valid is refused") {
    ItemsFixture test{chunked};
    test.stream.receive("3\r\n10\n\r\n");
    auto const denial = test.read();
    REQUIRE(denial);
    CHECK(denial->reason == Reason::contract_violation);
    CHECK_FALSE(test.exchange.received.beginning);
}

TEST_CASE("a fault at any step before the first item ends the exchange, and holds nothing") {
    constexpr std::size_t most_steps = 20;
    bool is_complete = false;
    for (std::size_t step = 1; !is_complete; ++step) {
        REQUIRE(step < most_steps);
        CAPTURE(step);
        ItemsFixture test{"Content-Length: 6\r\n"};
        test.stream.receive_in_pieces("1\n23\n4", 1);
        auto const before = test.stream.operations();
        test.stream.fail_at(before + step, net::asio::error::connection_reset);
        auto const denial = test.read();
        is_complete = test.stream.operations() < before + step;
        CHECK(is_complete == !denial);
        if (!is_complete) CHECK(denial->reason == Reason::client_closed);
        test.exchange.received.filter.reset();
        CHECK(test.budget.used() == 0);
    }
}

TEST_CASE("without room for an item its request is refused as overloaded") {
    ItemsFixture test{"Content-Length: 2\r\n"};
    net::Reservation others{test.budget};
    REQUIRE(others.grow_to(test.budget.limit() - 1, net::Claim::whole) == net::Granted::yes);
    test.stream.receive("1\n");
    auto const denial = test.read();
    REQUIRE(denial);
    CHECK(denial->reason == Reason::overloaded);
}

} // namespace body_items_test

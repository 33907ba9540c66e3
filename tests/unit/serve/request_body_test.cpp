// Reading a request body within its limit and the budget, with a fault at every step.
#include "gateway/serve/request_body.h"

#include "tests/support/encodings.h"
#include "tests/unit/support/exchange_fixture.h"

namespace request_body_test {

using namespace sallyport;
using namespace sallyport::serve;
using pipeline::BodyHandling;
using pipeline::Reason;
using pipeline::test::ExchangeFixture;

namespace {

constexpr std::size_t most_steps = 100;

struct Body {
    std::string name;
    std::string fields;
    std::string sent; // in the coding and framing of the fields
    std::string expected;
    BodyHandling handling = BodyHandling::buffered;
    http::ContentCoding coding = http::ContentCoding::identity;
};

std::string of_length(std::string const& body) {
    return "Content-Length: " + std::to_string(body.size()) + "\r\n";
}

std::vector<Body> bodies() {
    std::string const text = "0123456789abcdef";
    auto const coded = sallyport::test::compress(text, sallyport::test::Coding::gzip);
    auto const asked = "Expect: 100-continue\r\n" + of_length(text);
    return {
        {"with a length", of_length(text), text, text},
        {"asked for", asked, text, text},
        {"in chunks", "Transfer-Encoding: chunked\r\n", sallyport::test::chunked(text, 5), text},
        {"compressed", of_length(coded), coded, text, BodyHandling::buffered,
         http::ContentCoding::gzip},
        {"that streams", of_length(text), text, text, BodyHandling::streamed}};
}

// The part of the body that was read; or a denial.
struct Read {
    explicit Read(ExchangeFixture& test)
        : denial{net::test::run(test.loop, read_request_body(test.exchange))} {}

    std::unique_ptr<pipeline::Denial> denial;
};

void plan(ExchangeFixture& test, Body const& body) {
    test.exchange.decision.body.handling = body.handling;
    test.exchange.decision.body.coding = body.coding;
    test.exchange.decision.body.limit = 1000;
}

} // namespace

TEST_CASE("a body larger than its plan allows is refused, in any form") {
    for (auto const& body : bodies()) {
        CAPTURE(body.name);
        ExchangeFixture test;
        test.begin("PUT /a", body.fields, body.name == "asked for" ? "" : body.sent);
        plan(test, body);
        test.exchange.decision.body.limit = 15;
        if (body.name == "asked for") test.stream.receive(body.sent);
        Read const read{test};
        REQUIRE(read.denial);
        CHECK(read.denial->reason == Reason::body_too_large);
        CHECK(test.budget.used() == 0);
    }
}

TEST_CASE("if an operation takes no body the first byte exceeds the limit") {
    contract::Operation const operation;
    ExchangeFixture test;
    test.begin("PUT /a", "Transfer-Encoding: chunked\r\n", "1\r\nx\r\n0\r\n\r\n");
    test.exchange.decision.operation = &operation;
    test.exchange.decision.body.handling = BodyHandling::buffered;
    test.exchange.decision.body.limit = 0;
    Read const read{test};
    REQUIRE(read.denial);
    CHECK(read.denial->reason == Reason::malformed_body);
}

TEST_CASE("a body with an invalid coding is refused") {
    auto const whole = sallyport::test::compress("0123456789", sallyport::test::Coding::gzip);
    auto const sent = GENERATE_COPY(as<std::string>{}, "no gzip at all", whole.substr(0, 12));
    ExchangeFixture test;
    test.begin("PUT /a", of_length(sent), sent);
    test.exchange.decision.body.handling = BodyHandling::buffered;
    test.exchange.decision.body.coding = http::ContentCoding::gzip;
    test.exchange.decision.body.limit = 1000;
    Read const read{test};
    REQUIRE(read.denial);
    CHECK(read.denial->reason == Reason::malformed_body);
    CHECK(test.exchange.request.body.empty());
}

TEST_CASE("a slow body is a timeout, and one with invalid framing malformed") {
    ExchangeFixture test;
    test.limits.body_idle = std::chrono::milliseconds{60};
    SECTION("too slowly") {
        test.begin("PUT /a", "Content-Length: 4\r\n", "bo");
        plan(test, {});
        Read const read{test};
        REQUIRE(read.denial);
        CHECK(read.denial->reason == Reason::timeout);
    }
    SECTION("broken") {
        test.begin("PUT /a", "Transfer-Encoding: chunked\r\n", "2\r\nboX");
        plan(test, {});
        Read const read{test};
        REQUIRE(read.denial);
        CHECK(read.denial->reason == Reason::bad_request);
    }
}

TEST_CASE("a body is complete whatever pieces it arrives in") {
    auto const piece = GENERATE(1UL, 3UL, 1000UL);
    for (auto const& body : bodies()) {
        CAPTURE(body.name, piece);
        ExchangeFixture test;
        test.begin("PUT /a", body.fields);
        plan(test, body);
        test.stream.receive_in_pieces(body.sent, piece);
        Read const read{test};
        CHECK_FALSE(read.denial);
        auto const& exchange = test.exchange;
        CHECK((body.handling == BodyHandling::streamed ? exchange.received.beginning->bytes
                                                       : exchange.request.body)
              == body.expected);
        CHECK(exchange.received.coding_removed == (body.coding != http::ContentCoding::identity));
        auto const continued = test.stream.sent() == "HTTP/1.1 100 Continue\r\n\r\n";
        CHECK(continued == (body.name == "asked for"));
    }
}

TEST_CASE("a fault at any step of reading a body ends it, and holds nothing") {
    for (auto const& body : bodies()) {
        CAPTURE(body.name);
        bool is_complete = false;
        for (std::size_t step = 1; !is_complete; ++step) {
            REQUIRE(step < most_steps);
            CAPTURE(step);
            ExchangeFixture test;
            test.begin("PUT /a", body.fields);
            plan(test, body);
            test.stream.receive_in_pieces(body.sent, 6);
            auto const before = test.stream.operations();
            test.stream.fail_at(before + step, net::asio::error::connection_reset);
            Read const read{test};
            is_complete = test.stream.operations() < before + step;
            CHECK(is_complete == !read.denial);
            if (is_complete) continue;
            // The client has disconnected.
            CHECK(read.denial->reason == Reason::client_closed);
            CHECK(test.exchange.request.body.empty());
            CHECK(test.budget.used() == 0);
        }
    }
}

} // namespace request_body_test

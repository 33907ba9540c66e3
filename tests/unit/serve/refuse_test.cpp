// The response for a refused request, and the state of its connection.
#include "gateway/serve/refuse.h"

#include "tests/unit/support/exchange_fixture.h"

namespace refuse_test {

using namespace sallyport;
using namespace sallyport::serve;
using http::KeepAlive;
using pipeline::Denial;
using pipeline::Reason;
using pipeline::test::ExchangeFixture;

namespace {

KeepAlive refuse(ExchangeFixture& test, Denial denial) {
    return net::test::run(test.loop,
                          send_refusal(test.exchange, std::make_unique<Denial>(std::move(denial))));
}

contract::Violation violation_of(std::string_view rule) {
    contract::Violation violation;
    violation.rule = rule;
    return violation;
}

} // namespace

TEST_CASE("if no response is possible the connection is reset") {
    auto const reason = GENERATE(Reason::client_closed, Reason::tls_failed);
    ExchangeFixture test;
    test.begin("GET /a");
    CHECK(refuse(test, {reason, {}, {}, {}, "a note"}) == KeepAlive::no);
    CHECK(test.stream.sent().empty());
    CHECK(test.is_client_reset());
    CHECK(test.exchange.outcome.reason == reason);
    CHECK(test.exchange.outcome.note == "a note");
    CHECK(test.exchange.outcome.status == 0);
}

TEST_CASE("some refusals close the connection, and others keep it open") {
    struct Row {
        Reason reason;
        unsigned status;
        KeepAlive keep_alive;
    };
    auto const row = GENERATE(values<Row>({
        {Reason::timeout, 408, KeepAlive::no},
        {Reason::body_too_large, 413, KeepAlive::no},
        {Reason::internal_error, 500, KeepAlive::no},
        {Reason::draining, 503, KeepAlive::no},
        {Reason::forbidden, 403, KeepAlive::yes},
        {Reason::overloaded, 503, KeepAlive::yes},
    }));
    ExchangeFixture test;
    test.begin("GET /a");
    CHECK(refuse(test, {row.reason, {}, {}, {}, {}}) == row.keep_alive);
    CHECK(test.exchange.outcome.status == row.status);
    auto const& sent = test.stream.sent();
    CHECK(sent.starts_with("HTTP/1.1 " + std::to_string(row.status) + " "));
    CHECK((sent.find("\r\nConnection: close\r\n") != std::string::npos)
          == (row.keep_alive == KeepAlive::no));
    CHECK(sent.find(test.exchange.request.id.text()) != std::string::npos);
}

TEST_CASE("a refusal of HEAD has no body") {
    ExchangeFixture test;
    test.begin("HEAD /a");
    CHECK(refuse(test, {Reason::forbidden, {}, {}, {{"X-Own", "1"}}, {}}) == KeepAlive::yes);
    CHECK(test.stream.sent().ends_with("\r\n\r\n"));
    CHECK(test.stream.sent().find("\r\nX-Own: 1\r\n") != std::string::npos);
}

TEST_CASE("violations of a refusal follow those that were reported before") {
    ExchangeFixture test;
    test.begin("GET /a");
    auto const has_told = GENERATE(false, true);
    auto& told = test.exchange.decision.findings.violations;
    if (has_told) told.push_back(violation_of("first"));
    refuse(test, {Reason::contract_violation, "no", {violation_of("second")}, {}, {}});
    REQUIRE(told.size() == (has_told ? 2 : 1));
    CHECK(told.back().rule == "second");
}

TEST_CASE("an existing note is kept") {
    ExchangeFixture test;
    test.begin("GET /a");
    test.exchange.outcome.note = "the first one";
    refuse(test, {Reason::upstream_failed, {}, {}, {}, "the second one"});
    CHECK(test.exchange.outcome.note == "the first one");
}

TEST_CASE("the rest of a refused body is discarded, with a fault at every step") {
    bool is_complete = false;
    for (std::size_t step = 1; !is_complete; ++step) {
        REQUIRE(step < 50);
        CAPTURE(step);
        ExchangeFixture test;
        test.begin("PUT /a", "Content-Length: 30\r\n");
        test.stream.receive_in_pieces(std::string(30, 'x'), 8);
        auto const before = test.stream.operations();
        test.stream.fail_at(before + step, net::asio::error::connection_reset);
        auto const keep_alive = refuse(test, {Reason::forbidden, {}, {}, {}, {}});
        is_complete = test.stream.operations() < before + step;
        CHECK((keep_alive == KeepAlive::yes) == is_complete);
        CHECK(test.exchange.outcome.status == 403);
    }
}

} // namespace refuse_test

// A fault at any step of an exchange: its client never takes a part for the whole, and the
// connection to the upstream carries no further exchange.
#include "tests/unit/upstream/forward_harness.h"

#include <functional>
#include <vector>

namespace forward_faults_test {

using namespace sallyport;
using namespace sallyport::upstream;
using namespace sallyport::upstream::test;

namespace {

constexpr std::size_t most_steps = 200;

struct Exchanged {
    std::string name;
    Checked checked = Checked::no;
    std::string line;
    std::string fields;
    std::string body; // the bytes after the head
    std::string response;
    std::string expected; // the body of the response, in the client's transfer coding
    bool may_be_repeated = false;
};

std::vector<Exchanged> const exchanges{
    {"a request without a body", Checked::no, "GET /a", "", "",
     "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n0123456789", "0123456789", true},
    {"a body that was checked", Checked::yes, "PUT /items/1",
     "Content-Type: application/json\r\nContent-Length: 7\r\n", R"({"a":1})",
     "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n",
     "4\r\nbody\r\n0\r\n\r\n"},
    {"trailers in both directions", Checked::yes, "POST /notes",
     "Content-Type: application/json\r\nTrailer: X-Sum\r\nTransfer-Encoding: chunked\r\n",
     "7\r\n{\"a\":1}\r\n0\r\nX-Sum: 1\r\n\r\n",
     "HTTP/1.1 200 OK\r\nTrailer: X-Sum\r\nTransfer-Encoding: chunked\r\n\r\n"
     "4\r\nbody\r\n0\r\nX-Sum: 2\r\n\r\n",
     "4\r\nbody\r\n0\r\nX-Sum: 2\r\n\r\n", true},
    {"a body that streams", Checked::no, "PUT /a", "Content-Length: 12\r\n", "first-second",
     "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody", "body"},
    {"chunks that stream", Checked::no, "POST /a", "Transfer-Encoding: chunked\r\n",
     "5\r\nfirst\r\n6\r\nsecond\r\n0\r\n\r\n", "HTTP/1.1 204 No Content\r\n\r\n", ""},
};

// The body arrives in pieces, the response in pieces of nine bytes.
void script(ForwardFixture& test, MemoryStream& upstream, Exchanged const& exchanged) {
    upstream.receive_in_pieces(exchanged.response, 9);
    if (exchanged.checked == Checked::yes) {
        test.begin(exchanged.line, exchanged.fields, exchanged.body);
    } else {
        test.begin(exchanged.line, exchanged.fields);
        test.stream.receive_in_pieces(exchanged.body, 8);
    }
}

// Conditions that are true however an exchange ended.
void check_result(ForwardFixture& test, Exchanged const& exchanged, bool is_complete) {
    auto const& result = *test.result;
    if (is_complete) {
        CHECK(result.reason == Reason::none);
        CHECK_FALSE(result.denial);
        return;
    }
    if (result.denial) {
        // A refusal is possible only if nothing was sent.
        CHECK(test.stream.sent().empty());
        CHECK(test.stream.is_open());
        CHECK(result.status == 0);
        return;
    }
    CHECK(result.reason != Reason::none);
    CHECK(test.is_client_reset());
    static_cast<void>(exchanged);
}

} // namespace

TEST_CASE("a fault at any step towards an upstream leaves no half of a response") {
    auto const exchanged = GENERATE(from_range(exchanges));
    CAPTURE(exchanged.name);
    bool is_complete = false;
    for (std::size_t step = 1; !is_complete; ++step) {
        REQUIRE(step < most_steps);
        CAPTURE(step);
        ForwardFixture test{exchanged.checked};
        auto& upstream = test.pool.add();
        upstream.fail_at(step, net::asio::error::connection_reset);
        upstream.take_before_failure(step % 2 == 0 ? 10 : 0);
        script(test, upstream, exchanged);
        test.forward_all();
        bool const was_reached = upstream.operations() >= step;
        is_complete = test.client_has("HTTP/1.1 20", exchanged.expected)
                      && test.result->reason == Reason::none;
        check_result(test, exchanged, is_complete);
        // A failed connection carries no further exchange, even if the response was complete
        // before.
        if (was_reached) CHECK(test.pool.kept() == 0);
        if (!was_reached) CHECK(test.pool.kept() == 1);
        if (!was_reached) CHECK(is_complete);
        is_complete = !was_reached;
        if (test.denied() != Reason::none) CHECK(test.denied() == Reason::upstream_failed);
    }
}

TEST_CASE("a fault at any step of a kept connection is reported, or repaired by a new one") {
    auto const exchanged = GENERATE(from_range(exchanges));
    CAPTURE(exchanged.name);
    bool is_complete = false;
    for (std::size_t step = 1; !is_complete; ++step) {
        REQUIRE(step < most_steps);
        CAPTURE(step);
        ForwardFixture test{exchanged.checked};
        auto& first = test.pool.add(Kept::yes);
        first.fail_at(step, net::asio::error::connection_reset);
        auto& second = test.pool.add();
        second.receive(exchanged.response);
        script(test, first, exchanged);
        test.forward_all();
        bool const was_reached = first.operations() >= step;
        bool const was_repeated = !second.sent().empty();
        CHECK((exchanged.may_be_repeated || !was_repeated));
        CHECK(test.exchange.outcome.upstream.retries == (was_repeated ? 1U : 0U));
        is_complete = test.client_has("HTTP/1.1 20", exchanged.expected)
                      && test.result->reason == Reason::none;
        if (was_repeated) CHECK(is_complete);
        check_result(test, exchanged, is_complete);
        is_complete = !was_reached;
    }
}

TEST_CASE("a fault at any step towards a client ends its exchange") {
    auto const exchanged = GENERATE(from_range(exchanges));
    CAPTURE(exchanged.name);
    bool is_complete = false;
    for (std::size_t step = 1; !is_complete; ++step) {
        REQUIRE(step < most_steps);
        CAPTURE(step);
        ForwardFixture test{exchanged.checked};
        auto& upstream = test.pool.add();
        script(test, upstream, exchanged);
        auto permit = test.admit();
        auto const before = test.stream.operations();
        test.stream.fail_at(before + step, net::asio::error::connection_reset);
        net::test::start(
            test.loop,
            net::test::keep_result(
                forward(std::move(permit), {test.pool, test.settings, test.tunnels}), test.result));
        test.wait();
        bool const was_reached = test.stream.operations() >= before + step;
        is_complete = !was_reached;
        if (is_complete) {
            CHECK(test.client_has("HTTP/1.1 20", exchanged.expected));
            CHECK(test.pool.kept() == 1);
        } else if (test.result->denial == nullptr && test.result->reason == Reason::none) {
            // The upstream had responded before the body arrived: then the response is complete.
            CHECK(test.client_has("HTTP/1.1 20", exchanged.expected));
            CHECK(test.pool.kept() == 0);
        } else {
            CHECK(test.result->reason == Reason::client_closed);
            CHECK(test.is_client_reset());
        }
    }
}

} // namespace forward_faults_test

// The result of an exchange with an upstream: the client's response, refusals, and
// repetitions.
#include "tests/unit/upstream/forward_harness.h"

namespace forward_test {

using namespace sallyport;
using namespace sallyport::upstream;
using namespace sallyport::upstream::test;

namespace {

constexpr std::string_view whole = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody";
constexpr std::string_view head_of_chunks = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

// Stores the relayed body.
struct Tap final : ResponseTap {
    void see(std::string_view bytes) override { seen += bytes; }
    std::string seen;
};

pipeline::Failure failure(pipeline::Side side, Reason reason) {
    return {side, reason, net::asio::error::connection_refused, "connect"};
}

} // namespace

TEST_CASE("without a connection the client gets the reason, and nothing was sent") {
    ForwardFixture test;
    test.begin("POST /a", "Content-Length: 0\r\n");
    SECTION("the upstream refused") {
        test.pool.add_failure(failure(pipeline::Side::upstream, Reason::upstream_failed));
        auto const& forwarded = test.forward_all();
        CHECK(test.denied() == Reason::upstream_failed);
        // Nothing reached it: the client may repeat any request.
        CHECK(test.is_retry_invited());
        CHECK(forwarded.error == net::asio::error::connection_refused);
        CHECK(test.exchange.outcome.upstream.endpoint == "http://upstream.example");
    }
    SECTION("the queue is full") {
        test.pool.add_failure(failure(pipeline::Side::gateway, Reason::overloaded));
        test.forward_all();
        CHECK(test.denied() == Reason::overloaded);
    }
    CHECK(test.result->status == 0);
    CHECK(test.stream.sent().empty());
    CHECK(test.stream.is_open());
    CHECK(test.exchange.outcome.timings.upstream_total != pipeline::Timings::unset);
}

TEST_CASE(
    "a response that the framing policy refuses is upstream_invalid, if its head was not sent") {
    auto const response =
        GENERATE(std::string{"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"},
                 std::string{head_of_chunks} + "X\r\n");
    ForwardFixture test;
    test.begin("GET /a");
    test.pool.add().receive(response);
    test.forward_all();
    CHECK(test.denied() == Reason::upstream_invalid);
    CHECK(test.stream.sent().empty());
    CHECK(test.pool.kept() == 0);
}

TEST_CASE("an incomplete response never looks complete") {
    ForwardFixture test;
    test.begin("GET /a");
    auto& upstream = test.pool.add();
    upstream.receive(head_of_chunks).receive("2\r\nbo\r\n");
    SECTION("by its connection") {
        upstream.receive_end(net::asio::error::connection_reset);
        auto const& forwarded = test.forward_all();
        CHECK(forwarded.note == "the upstream broke off");
        CHECK(forwarded.error == net::asio::error::connection_reset);
    }
    SECTION("by its framing") {
        upstream.receive("X");
        auto const& forwarded = test.forward_all();
        CHECK_FALSE(forwarded.note.empty());
    }
    SECTION("by the time that it takes") {
        test.settings.timeouts.idle = 60ms;
        auto const& forwarded = test.forward_all();
        CHECK(forwarded.note == "the upstream was too slow");
        CHECK_FALSE(forwarded.error);
    }
    CHECK(test.denied() == Reason::none);
    CHECK(test.result->reason == Reason::upstream_incomplete);
    CHECK(test.result->status == 200);
    CHECK(test.is_client_reset());
    CHECK(test.pool.kept() == 0);
}

TEST_CASE("an upstream that takes too long is upstream_timeout") {
    auto const checked = GENERATE(Checked::no, Checked::yes);
    ForwardFixture test{checked};
    auto& upstream = test.pool.add();
    SECTION("until the first byte") {
        if (checked == Checked::no) test.settings.timeouts.first_byte = 60ms;
        test.begin(checked == Checked::yes ? "POST /items/1" : "GET /a");
        test.forward_all();
    }
    SECTION("until the end of its head") {
        if (checked == Checked::no) test.settings.timeouts.first_byte = 60ms;
        upstream.receive("HTTP/1.1 200 OK\r\n");
        test.begin(checked == Checked::yes ? "POST /items/1" : "GET /a");
        test.forward_all();
    }
    SECTION("in all") {
        test.settings.timeouts.total = 60ms;
        test.begin(checked == Checked::yes ? "GET /items/1" : "GET /a");
        test.forward_all();
    }
    CHECK(test.denied() == Reason::upstream_timeout);
    CHECK(test.stream.sent().empty());
    CHECK_FALSE(upstream.is_open());
}

TEST_CASE("a wait for a connection ends with the time of the exchange") {
    ForwardFixture test;
    test.settings.timeouts.total = 60ms;
    test.pool.add_wait();
    test.begin("GET /a");
    test.forward_all();
    CHECK(test.denied() == Reason::upstream_timeout);
}

TEST_CASE("a client that disconnects ends its exchange, at any step") {
    ForwardFixture test;
    test.begin("GET /a");
    MemoryStream* upstream = nullptr;
    SECTION("before it began") {
        test.stream.receive_end();
        test.start();
        CHECK(test.pool.asked().empty());
    }
    SECTION("while it waits for a connection") {
        test.pool.add_wait();
        test.start();
        test.stream.receive_end();
    }
    SECTION("while it waits for the response") {
        upstream = &test.pool.add();
        test.start();
        test.stream.receive_end();
    }
    SECTION("within the response") {
        upstream = &test.pool.add();
        upstream->receive(head_of_chunks);
        test.start();
        run_ready(test.loop);
        test.stream.receive_end();
        test.wait();
        CHECK(test.result->note == "the client closed the connection during the response");
    }
    test.wait();
    CHECK(test.result->reason == Reason::client_closed);
    CHECK(test.denied() == Reason::none);
    CHECK(test.is_client_reset());
    CHECK(test.pool.kept() == 0);
    if (upstream != nullptr) CHECK_FALSE(upstream->is_open());
}

TEST_CASE("a client that does not read its response is distinguished from a disconnected one") {
    ForwardFixture test;
    test.limits.body_idle = 60ms;
    test.pool.add().receive(whole);
    test.begin("GET /a");
    SECTION("it reads too slowly") {
        test.stream.stall_writing();
        CHECK(test.forward_all().reason == Reason::response_too_slow);
    }
    SECTION("its connection failed") {
        test.stream.fail_at(test.stream.operations() + 1, net::asio::error::broken_pipe);
        CHECK(test.forward_all().reason == Reason::client_closed);
    }
    CHECK(test.is_client_reset());
    CHECK(test.pool.kept() == 0);
}

TEST_CASE("a request is repeated once, if a kept connection ended before a response") {
    ForwardFixture test;
    auto& first = test.pool.add(Kept::yes);
    SECTION("which may be repeated") {
        test.begin("GET /a");
        SECTION("when it is written to") {
            first.fail_at(1, net::asio::error::broken_pipe);
        }
        SECTION("when it is read") {}
        first.receive_end();
        test.pool.add().receive(whole);
        test.forward_all();
        CHECK(test.client_has("HTTP/1.1 200 OK\r\n", "body"));
        CHECK(test.pool.asked() == std::vector{Freshness::any, Freshness::fresh});
        CHECK(test.exchange.outcome.upstream.retries == 1);
        CHECK(test.pool.kept() == 1);
    }
    SECTION("which ends as well: then the client gets a refusal with Retry-After") {
        test.begin("GET /a");
        first.receive_end();
        test.pool.add().receive_end();
        test.forward_all();
        CHECK(test.denied() == Reason::upstream_failed);
        CHECK(test.is_retry_invited());
        CHECK(test.exchange.outcome.upstream.retries == 1);
    }
    SECTION("which must not be repeated") {
        test.begin("PUT /a");
        first.receive_end();
        test.forward_all();
        CHECK(test.denied() == Reason::upstream_failed);
        CHECK_FALSE(test.is_retry_invited());
        CHECK(test.pool.asked() == std::vector{Freshness::fresh_or_recent});
    }
    SECTION("of which a byte had come") {
        test.begin("GET /a");
        first.receive("H").receive_end();
        test.forward_all();
        CHECK(test.denied() == Reason::upstream_failed);
        CHECK(test.exchange.outcome.upstream.retries == 0);
    }
}

TEST_CASE("an operation that the contract marks as safe is repeated") {
    ForwardFixture test{Checked::yes};
    test.pool.add(Kept::yes).receive_end();
    auto& second = test.pool.add();
    second.receive(whole);
    test.begin("POST /items/1", "Content-Type: application/json\r\nContent-Length: 2\r\n", "{}");
    test.forward_all();
    CHECK(test.client_has("HTTP/1.1 200 OK\r\n", "body"));
    CHECK(second.sent().ends_with("\r\n\r\n{}"));
}

TEST_CASE("a response reaches its client, and its connection is used again") {
    ForwardFixture test;
    Tap tap;
    test.tap = &tap;
    auto& upstream = test.pool.add();
    test.begin("GET /a?b=c");
    SECTION("with a length") {
        upstream.receive(whole);
    }
    SECTION("with a length, in pieces") {
        upstream.receive_in_pieces(whole, 3);
    }
    SECTION("in chunks") {
        upstream.receive_in_pieces(std::string{head_of_chunks} + "2\r\nbo\r\n2\r\ndy\r\n0\r\n\r\n",
                                   7);
    }
    SECTION("behind interim ones") {
        upstream.receive("HTTP/1.1 103 Early Hints\r\n\r\n").receive(whole);
    }
    test.forward_all();
    CHECK(test.result->reason == Reason::none);
    CHECK(test.result->status == 200);
    CHECK(test.exchange.outcome.upstream.status == 200);
    CHECK(tap.seen == "body");
    CHECK(test.pool.kept() == 1);
    CHECK(test.exchange.response == nullptr);
    CHECK(upstream.sent().starts_with("GET /a?b=c HTTP/1.1\r\nHost: upstream.example\r\n"));
    CHECK(run(test.loop, test.transport.finish_exchange()) == http::KeepAlive::yes);
}

TEST_CASE("a response that ends with its connection reaches its client completely") {
    ForwardFixture test;
    test.pool.add().receive("HTTP/1.1 200 OK\r\n\r\nbo").receive("dy").receive_end();
    test.begin("GET /a");
    CHECK(test.forward_all().reason == Reason::none);
    CHECK(test.stream.sent().ends_with("\r\n\r\n2\r\nbo\r\n2\r\ndy\r\n0\r\n\r\n"));
    CHECK(test.pool.kept() == 0);
}

TEST_CASE("a response has the identifier of its request, and a date") {
    ForwardFixture test;
    auto& upstream = test.pool.add();
    test.begin("HEAD /a");
    SECTION("of its arrival") {
        upstream.receive("HTTP/1.1 204 No Content\r\n\r\n");
        test.forward_all();
        CHECK(test.stream.sent().find("\r\nDate: ") != std::string::npos);
    }
    SECTION("of its own") {
        upstream.receive("HTTP/1.1 200 OK\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
                         "X-Request-Id: theirs\r\nContent-Length: 7\r\n\r\n");
        test.forward_all();
        CHECK(test.client_has_field("Date: Sun, 06 Nov 1994 08:49:37 GMT"));
        CHECK(test.stream.sent().find("Date: ") == test.stream.sent().rfind("Date: "));
        CHECK(test.client_has_field("Content-Length: 7"));
        CHECK(test.exchange.outcome.upstream.request_id == "theirs");
    }
    CHECK(test.client_has_field("X-Request-Id: " + std::string{test.exchange.request.id.text()}));
    CHECK(test.pool.kept() == 1);
}

} // namespace forward_test

// A request body that is sent while the response may arrive, and errors of the body.
#include "tests/unit/upstream/forward_harness.h"

namespace forward_upload_test {

using namespace sallyport;
using namespace sallyport::upstream;
using namespace sallyport::upstream::test;

namespace {

constexpr std::string_view whole = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody";

} // namespace

TEST_CASE("a malformed streamed body is reported to its client") {
    ForwardFixture test;
    auto& upstream = test.pool.add();
    test.begin("PUT /a", "Transfer-Encoding: chunked\r\n");
    test.start();
    run_ready(test.loop);
    REQUIRE_FALSE(test.result);
    SECTION("by its framing") {
        test.stream.receive("2\r\nboX");
        test.wait();
        CHECK(test.denied() == Reason::bad_request);
    }
    SECTION("by its size") {
        test.stream.receive("3e9\r\n");
        test.wait();
        CHECK(test.denied() == Reason::body_too_large);
    }
    CHECK_FALSE(upstream.is_open());
    CHECK(test.pool.kept() == 0);
    CHECK(upstream.sent().find("\r\n0\r\n") == std::string::npos);
}

TEST_CASE("a slow streamed body is reported to its client") {
    ForwardFixture test;
    test.limits.body_idle = 60ms;
    test.pool.add();
    test.begin("PUT /a", "Content-Length: 4\r\n", "bo");
    test.forward_all();
    CHECK(test.denied() == Reason::timeout);
    CHECK(test.pool.kept() == 0);
}

TEST_CASE("a client that disconnects within its body ends the exchange") {
    ForwardFixture test;
    auto& upstream = test.pool.add();
    test.begin("PUT /a", "Content-Length: 4\r\n", "bo");
    test.start();
    run_ready(test.loop);
    // Not watched, as if unread bytes precede the end.
    test.stream.unwatch_peer();
    test.stream.receive_end(net::asio::error::connection_reset);
    test.wait();
    CHECK(test.result->reason == Reason::client_closed);
    CHECK(test.denied() == Reason::none);
    CHECK(test.is_client_reset());
    CHECK_FALSE(upstream.is_open());
}

TEST_CASE("the beginning of a body that was read before is forwarded first") {
    ForwardFixture test;
    auto& upstream = test.pool.add();
    upstream.receive(whole);
    test.begin("PUT /a", "Content-Length: 8\r\n", "head");
    auto const part =
        run(test.loop, test.transport.read_body(test.api.body_limit, http::Gather::parts));
    test.exchange.received.beginning = part;
    test.stream.receive("tail");
    test.forward_all();
    CHECK(upstream.sent().ends_with("\r\n\r\nheadtail"));
    CHECK(test.pool.kept() == 1);
}

TEST_CASE("a response that arrives before the whole request was sent reaches its client") {
    ForwardFixture test;
    auto& upstream = test.pool.add();
    test.begin("PUT /a", "Content-Length: 8\r\n", "head");
    SECTION("while the client sends") {
        test.start();
        run_ready(test.loop);
        upstream.receive(whole);
    }
    SECTION("while the upstream takes nothing") {
        upstream.stall_writing();
        test.start();
        run_ready(test.loop);
        upstream.receive(whole);
    }
    test.wait();
    CHECK(test.result->reason == Reason::none);
    CHECK(test.client_has("HTTP/1.1 200 OK\r\n", "body"));
    // The end of its body is not known any more.
    CHECK(test.client_has_field("Connection: close"));
    CHECK(test.pool.kept() == 0);
    CHECK(run(test.loop, test.transport.finish_exchange()) == http::KeepAlive::no);
}

TEST_CASE("an upstream that reads nothing of a request is too slow") {
    ForwardFixture test{Checked::yes};
    test.settings.timeouts.idle = 60ms;
    auto& upstream = test.pool.add();
    upstream.stall_writing();
    test.begin("PUT /items/1", "Content-Type: application/json\r\nContent-Length: 2\r\n", "{}");
    test.forward_all();
    CHECK(test.denied() == Reason::upstream_timeout);
}

TEST_CASE("a slowly read request is written while the response is awaited") {
    ForwardFixture test{Checked::yes};
    auto& upstream = test.pool.add();
    upstream.stall_writing();
    test.begin("PUT /items/1", "Content-Type: application/json\r\nContent-Length: 2\r\n", "{}");
    test.start();
    run_ready(test.loop);
    REQUIRE_FALSE(test.result);
    CHECK(upstream.sent().empty());
    upstream.resume_writing();
    run_ready(test.loop);
    CHECK(upstream.sent().ends_with("\r\n\r\n{}"));
    upstream.receive(whole);
    test.wait();
    CHECK(test.client_has("HTTP/1.1 200 OK\r\n", "body"));
    CHECK(test.pool.kept() == 1);
}

TEST_CASE("a slow client has its own time limit, and then the upstream has its own") {
    ForwardFixture test;
    test.settings.timeouts.idle = 60ms;
    test.settings.timeouts.first_byte = 120ms;
    test.pool.add();
    test.begin("PUT /a", "Content-Length: 4\r\n", "bo");
    test.start();
    // Longer than both: the client is awaited.
    struct Bell {
        bool rang = false;
        void ring() { rang = true; }
    } bell;
    auto later = net::Deadline::calling<&Bell::ring>(test.loop.deadlines(), bell);
    later.arm_after(300ms);
    run_until(test.loop, [&] { return bell.rang; });
    CHECK_FALSE(test.result);
    test.stream.receive("dy");
    test.wait();
    CHECK(test.denied() == Reason::upstream_timeout);
}

namespace {

// Passes bytes up to the first `!`, after which the body is refused.
class UntilMark final : public pipeline::BodyFilter {
public:
    Passed take(http::BodyPart const& part) override {
        auto const mark = part.bytes.find('!');
        Passed passed{part.bytes.substr(0, mark), nullptr};
        if (mark != std::string_view::npos) {
            passed.denial = std::make_unique<pipeline::Denial>();
            passed.denial->reason = Reason::contract_violation;
        }
        return passed;
    }
};

} // namespace

TEST_CASE("what a filter refuses ends the upload, and its client is told") {
    ForwardFixture test;
    auto& upstream = test.pool.add();
    test.begin("PUT /a", "Transfer-Encoding: chunked\r\n");
    test.exchange.received.filter = std::make_unique<UntilMark>();
    test.start();
    test.stream.receive("2\r\nab\r\n");
    run_ready(test.loop);
    CHECK(upstream.sent().ends_with("2\r\nab\r\n"));
    test.stream.receive("4\r\ncd!e\r\n");
    test.wait();
    CHECK(test.denied() == Reason::contract_violation);
    CHECK_FALSE(upstream.is_open());
    CHECK(test.pool.kept() == 0);
    CHECK(upstream.sent().ends_with("2\r\nab\r\n"));
}

TEST_CASE("a part of which nothing passes yet does not end the body") {
    ForwardFixture test;
    auto& upstream = test.pool.add();
    test.begin("PUT /a", "Transfer-Encoding: chunked\r\n");
    class Later final : public pipeline::BodyFilter {
    public:
        Passed take(http::BodyPart const& part) override {
            held_ += part.bytes;
            return {part.complete ? std::string_view{held_} : std::string_view{}, nullptr};
        }

    private:
        std::string held_;
    };
    test.exchange.received.filter = std::make_unique<Later>();
    test.start();
    test.stream.receive("2\r\nab\r\n");
    run_ready(test.loop);
    CHECK(upstream.sent().ends_with("\r\n\r\n"));
    test.stream.receive("1\r\nc\r\n0\r\n\r\n");
    run_ready(test.loop);
    CHECK(upstream.sent().ends_with("3\r\nabc\r\n0\r\n\r\n"));
    upstream.receive(whole);
    test.wait();
    CHECK(test.result->status == 200);
}

} // namespace forward_upload_test

// Responses that last as long as their upstream has something to send: by `x-stream`, or by their
// media type.
#include "tests/unit/upstream/forward_harness.h"

namespace forward_stream_test {

using namespace sallyport;
using namespace sallyport::upstream;
using namespace sallyport::upstream::test;

namespace {

// The head of a response and an event; others follow, or do not.
std::string begin_of(std::string_view media_type) {
    return "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: "
           + std::string{media_type} + "\r\n\r\n9\r\ndata: 1\n\n\r\n";
}
constexpr std::string_view end_of_chunks = "0\r\n\r\n";

// An upstream that has this time for everything; its response stops after an event.
struct StreamFixture : ForwardFixture {
    explicit StreamFixture(std::string_view request,
                           std::string_view media_type = "text/event-stream",
                           std::chrono::milliseconds time = 60ms)
        : ForwardFixture{Checked::yes}, endpoint{pool.add()} {
        settings.timeouts.idle = time;
        settings.timeouts.total = time;
        endpoint.receive(begin_of(media_type));
        begin(std::string{request});
        start();
    }
    // Whether it is still relayed after 200 ms.
    bool lasts() {
        auto over = net::Deadline::calling<&StreamFixture::end_of_time>(loop.deadlines(), *this);
        over.arm_after(200ms);
        run_until(loop, [this] { return result.has_value() || is_over; });
        return !result.has_value();
    }
    void end_of_time() { is_over = true; }

    MemoryStream& endpoint;
    bool is_over = false;
};

} // namespace

TEST_CASE("a stream has no total time, and an idle time that is not its upstream's") {
    auto const request = GENERATE("GET /events", "GET /stream");
    CAPTURE(request);
    StreamFixture test{request};
    REQUIRE(test.lasts());
    // What has arrived was passed on, and so is what follows.
    CHECK(test.stream.sent().ends_with("\r\n\r\n9\r\ndata: 1\n\n\r\n"));
    test.endpoint.receive("9\r\ndata: 2\n\n\r\n");
    run_until(test.loop, [&] { return test.stream.sent().ends_with("data: 2\n\n\r\n"); });
    test.endpoint.receive(end_of_chunks);
    CHECK(test.wait().reason == Reason::none);
    CHECK(test.stream.sent().ends_with(end_of_chunks));
    CHECK(test.pool.kept() == 1);
}

TEST_CASE(
    "a media type says what a stream is, in any spelling, where the contract has no x-stream") {
    CHECK(StreamFixture{"GET /events", "Text/Event-Stream; charset=utf-8"}.lasts());
    CHECK(StreamFixture{"GET /stream", "application/x-ndjson"}.lasts());
    // Anything else ends with its upstream's time.
    auto const reason_of = [](std::string_view request, std::string_view media_type) {
        return StreamFixture{request, media_type}.wait().reason;
    };
    auto const two_fields = "text/event-stream\r\nContent-Type: text/plain";
    CHECK(reason_of("GET /events", "application/json") == Reason::upstream_incomplete);
    CHECK(reason_of("GET /events", "text/event-stream2") == Reason::upstream_incomplete);
    CHECK(reason_of("GET /events", two_fields) == Reason::upstream_incomplete);
    CHECK(reason_of("GET /events/short", "text/event-stream") == Reason::upstream_incomplete);
    CHECK(reason_of("GET /items/1", "text/event-stream") == Reason::upstream_incomplete);
}

TEST_CASE("the operation's own times are those of its streams") {
    auto const request = GENERATE("GET /stream/idle", "GET /stream/total");
    CAPTURE(request);
    StreamFixture test{request, "text/event-stream", 10s};
    auto const& forwarded = test.wait();
    CHECK(forwarded.reason == Reason::upstream_incomplete);
    CHECK(forwarded.note == "the upstream was too slow");
    CHECK(test.is_client_reset());
}

TEST_CASE("until its head is there a stream has the times of any response") {
    ForwardFixture test{Checked::yes};
    test.settings.timeouts.total = 60ms;
    test.pool.add();
    test.begin("GET /stream");
    test.forward_all();
    CHECK(test.denied() == Reason::upstream_timeout);
}

} // namespace forward_stream_test

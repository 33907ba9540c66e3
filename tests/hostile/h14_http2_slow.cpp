// Clients of HTTP/2 that are too slow: each wait for one has its time limit, whatever frames come
// meanwhile.
#include "tests/hostile/greedy_stage.h"
#include "tests/hostile/http2_stage.h"
#include "tests/support/machine.h"
#include "tests/support/operations.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <vector>

namespace h14_http2_slow {

using namespace sallyport::test;
using namespace std::chrono_literals;
namespace h2 = sallyport::test::http2;

namespace {

Http2Options without_replies() {
    Http2Options options;
    options.replies = Replies::none;
    return options;
}

std::string begin_connection() {
    return std::string{h2::preface} + h2::settings() + h2::settings_ack();
}

Json line_with_reason(Http2Stage const& stage, std::string_view reason) {
    return stage.gateway.wait_for_log(
        [reason](Json const& line) { return line.text("reason") == reason; });
}

// --- clients that do not take large responses

constexpr std::size_t slow_streams = 8;
constexpr auto part_time = 3s; // long enough to serve others meanwhile, under a sanitizer too
std::string const with_part_time = "  body_idle: 3s\n";

std::string large_request() {
    return Outgoing{"GET", "/open/large"}.text();
}

// Its responses to large_request() have 64 MiB, which no buffer of the kernel holds; it counts
// those that the gateway did not take to their end.
RecordingUpstream::Script respond_at_length(std::atomic<std::size_t>& given_up) {
    return [&given_up](UpstreamExchange& exchange) {
        if (exchange.request.target != "/open/large") {
            exchange.send(response_text("{}"));
            return;
        }
        exchange.channel().limit_send_buffer(64 << 10);
        constexpr std::size_t pieces = 64;
        std::string const piece(1UL << 20, 'x');
        exchange.send("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(pieces * piece.size())
                      + "\r\n\r\n");
        for (std::size_t i = 0; i < pieces; ++i) {
            if (exchange.send(piece) == End::data) continue;
            ++given_up;
            return;
        }
    };
}

// Of respond_at_length(): outlives the threads of the upstream.
struct GivenUp {
    std::atomic<std::size_t> given_up{0};
};

// The gateway before such an upstream, and what its slow streams hold.
struct LargeStage : GivenUp, Http2Stage {
    LargeStage() : Http2Stage{with_part_time} {
        upstream.respond_with(respond_at_length(given_up));
        check_others(); // what is made once is there
        before = resident_bytes(gateway.id());
    }

    [[nodiscard]] std::size_t too_slow() const {
        auto const lines = gateway.log();
        return static_cast<std::size_t>(
            std::count_if(lines.begin(), lines.end(), [](Json const& line) {
                return line.text("reason") == "response_too_slow";
            }));
    }
    // Once parts wait for their client others are served, and none of them is given up meanwhile.
    void check_others_meanwhile(std::size_t streams) const {
        CHECK(comes_true([&] { return metrics_of(gateway)["sallyport_buffered_bytes"] > 0; }));
        check_others();
        CHECK(metrics_of(gateway)["sallyport_http2_streams"] >= static_cast<double>(streams));
        CHECK(too_slow() == 0);
        check_memory();
    }
    // Each has its line, and nothing is left of them.
    void check_given_up(std::size_t streams) const {
        CHECK(comes_true([&] { return too_slow() >= streams; }));
        CHECK(too_slow() == streams);
        CHECK(comes_true([&] { return given_up == streams; }));
        CHECK(comes_true([&] {
            auto const metrics = metrics_of(gateway);
            return metrics["sallyport_http2_streams"] == 0
                   && metrics["sallyport_buffered_bytes"] == 0;
        }));
        check_memory();
    }
    void check_memory() const {
        if (sanitizers().empty()) CHECK(resident_bytes(gateway.id()) < before + (8UL << 20));
    }

    std::size_t before = 0;
};

Http2Options with_window(std::uint32_t window, ReceiveBuffer buffer) {
    auto options = without_replies();
    options.settings = h2::setting(h2::setting_id::initial_window_size, window);
    options.connection.receive_buffer = buffer;
    return options;
}

// It gives back nothing by itself; each stream has this window.
struct SlowClient : Http2Client {
    SlowClient(LargeStage const& stage, std::uint32_t window,
               ReceiveBuffer buffer = ReceiveBuffer::normal)
        : Http2Client{stage.port(), with_window(window, buffer)} {
        send(std::string{h2::preface} + h2::settings(with_window(window, buffer).settings)
             + h2::settings_ack());
    }
};

std::vector<std::uint32_t> begin_large(Http2Client& client) {
    std::vector<std::uint32_t> streams;
    while (streams.size() < slow_streams)
        streams.push_back(client.begin(large_request()));
    return streams;
}

std::size_t received(Http2Client& client, std::vector<std::uint32_t> const& streams) {
    return std::accumulate(streams.begin(), streams.end(), std::size_t{0},
                           [&](std::size_t sum, std::uint32_t stream) {
                               return sum + client.stream(stream).message.body.size();
                           });
}

} // namespace

TEST_CASE("a client that does not acknowledge the gateway's SETTINGS has ten seconds") {
    Http2Stage stage{{}};
    Http2Client client{stage.port(), without_replies()};
    client.send(std::string{h2::preface} + h2::settings());
    auto const begun = std::chrono::steady_clock::now();
    // Requests are served meanwhile, and do not move the limit.
    auto const stream = client.begin(cheap_request());
    CHECK(client.read_response(stream).message.status == 200);
    client.read_goaway();
    CHECK(std::chrono::steady_clock::now() - begun >= 9s);
    stage.check_end(client, h2::code::settings_timeout, "SETTINGS_TIMEOUT", "timeout",
                    "SETTINGS were not acknowledged");
    stage.finish();
}

TEST_CASE("a frame, a head and the first bytes have their time from their first byte on") {
    struct Row {
        std::string first;
        std::string later; // sent again and again
    };
    std::string const begin = begin_connection();
    for (Row const& row : {Row{"", ""}, Row{std::string{h2::preface.substr(0, 10)}, ""},
                           Row{begin + h2::ping().substr(0, 12), ""},
                           Row{begin + h2::headers(1, cheap_block(), h2::flag::end_stream), ""}}) {
        INFO(row.first.size());
        Http2Stage stage{"  head_time: 1s\n"};
        Http2Client client{stage.port(), without_replies()};
        static_cast<void>(client.try_send(row.first));
        stage.check_end(client, h2::code::enhance_your_calm, "ENHANCE_YOUR_CALM", "timeout",
                        "a frame was too slow");
        stage.finish();
    }
}

TEST_CASE("a head in CONTINUATION frames has one time for all of them") {
    Http2Stage stage{"  head_time: 2s\n"};
    Http2Client client{stage.port()};
    // Behind it no reply of the client stands within its header block.
    CHECK(client.exchange(cheap_request()).status == 200);
    auto const stream = client.next_stream();
    client.send(h2::headers(stream, "", h2::flag::end_stream));
    for (int i = 0; i < 4; ++i) {
        CHECK(client.is_open_for(400ms));
        client.send(h2::continuation(stream, ""));
    }
    stage.check_end(client, h2::code::enhance_your_calm, "ENHANCE_YOUR_CALM", "timeout",
                    "a frame was too slow");
    stage.finish();
}

TEST_CASE("a client that gives no window, or a byte at a time, has the time of one part") {
    for (bool const gives_bytes : {false, true}) {
        INFO(gives_bytes);
        Http2Stage stage{"  body_idle: 2s\n"};
        auto options = without_replies(); // it would give back what has come
        options.settings = h2::setting(h2::setting_id::initial_window_size, 0);
        Http2Client client{stage.port(), options};
        client.send(std::string{h2::preface} + h2::settings(options.settings) + h2::settings_ack());
        auto const begun = std::chrono::steady_clock::now();
        auto const stream = client.begin(request_for("getPipe").text());
        // The body has two bytes: one stays.
        if (gives_bytes) {
            client.wait_until([&] { return client.stream(stream).has_head; }, "the head");
            client.widen(stream, 1);
        }
        auto const response = client.read_response(stream);
        CHECK(response.message.status == 200);
        CHECK(response.message.body == (gives_bytes ? "{" : ""));
        CHECK(response.reset == h2::code::cancel);
        CHECK(std::chrono::steady_clock::now() - begun >= 1900ms);
        line_with_reason(stage, "response_too_slow");
        // The connection lives on.
        client.wait_for_ping();
        CHECK_FALSE(client.goaway());
        stage.check_others();
        client.channel().close();
        stage.finish();
    }
}

TEST_CASE("large responses that their client gives no window are given up, and nothing else") {
    // Without a window of the streams, and without one of the connection.
    for (std::uint32_t const window : {0U, 1'000U, h2::first_window}) {
        INFO(window);
        LargeStage stage;
        SlowClient client{stage, window};
        auto const begun = std::chrono::steady_clock::now();
        auto const streams = begin_large(client);
        auto const allowed = std::min<std::size_t>(slow_streams * window, h2::first_window);
        client.wait_until(
            [&] {
                return received(client, streams) == allowed
                       && std::all_of(streams.begin(), streams.end(), [&](std::uint32_t stream) {
                              return client.stream(stream).has_head;
                          });
            },
            "all that the windows allow");
        stage.check_others_meanwhile(slow_streams);
        for (auto const stream : streams) {
            CHECK(client.read_response(stream).reset == h2::code::cancel);
            CHECK_FALSE(client.stream(stream).has_ended);
        }
        CHECK(std::chrono::steady_clock::now() - begun >= part_time - 100ms);
        CHECK(received(client, streams) == allowed);
        stage.check_given_up(slow_streams);
        // The connection lives on.
        auto const next = client.begin(cheap_request());
        client.widen(0, 100);
        client.widen(next, 100);
        CHECK(client.read_response(next).message.body == "{}");
        CHECK_FALSE(client.goaway());
        client.channel().close();
        stage.finish();
    }
}

TEST_CASE("a window that grows by a byte again and again does not move the time of a part") {
    LargeStage stage;
    SlowClient client{stage, 0};
    auto const begun = std::chrono::steady_clock::now();
    auto const stream = client.begin(large_request());
    std::size_t bytes = 0;
    while (!client.stream(stream).is_over() && bytes < 200) {
        client.widen(stream, 1);
        ++bytes;
        if (bytes == 10) stage.check_others_meanwhile(1);
        CHECK(client.is_open_for(50ms));
    }
    CHECK(client.stream(stream).reset == h2::code::cancel);
    CHECK(std::chrono::steady_clock::now() - begun >= part_time - 100ms);
    CHECK(client.stream(stream).message.body.size() >= 10);
    stage.check_given_up(1);
    CHECK_FALSE(client.goaway());
    client.channel().close();
    stage.finish();
}

TEST_CASE("a client that gives windows, but reads nothing of large responses is cut off") {
    LargeStage stage;
    SlowClient client{stage, h2::most_window, ReceiveBuffer::tiny};
    client.send(h2::window_update(0, h2::most_window - h2::first_window));
    auto const begun = std::chrono::steady_clock::now();
    begin_large(client);
    stage.check_others_meanwhile(slow_streams);
    stage.check_given_up(slow_streams);
    CHECK(std::chrono::steady_clock::now() - begun >= part_time - 100ms);
    double sent = 0;
    for (auto const& line : stage.gateway.log())
        if (line.text("reason") == "response_too_slow") sent += line["bytes_out"].number;
    CHECK(sent < 8'000'000); // what the buffers of the kernel hold
    CHECK(comes_true([&] { return metrics_of(stage.gateway)["sallyport_connections"] == 0; }));
    auto const end = client.read_to_end();
    CHECK((end == End::reset || end == End::truncated));
    stage.check_others();
    client.channel().close();
    stage.finish();
}

TEST_CASE("an upload that stops is refused, and its connection lives on") {
    Http2Stage stage{"  body_idle: 1s\n"};
    Http2Client client{stage.port()};
    auto const stream = client.next_stream();
    client.send(upload_head(stream) + h2::data(stream, std::string(200, 'd')));
    auto const response = client.read_response(stream);
    CHECK(response.message.status == 408);
    line_with_reason(stage, "timeout");
    CHECK(client.exchange(cheap_request()).status == 200);
    client.channel().close();
    stage.finish();
}

TEST_CASE("a client that does not read acknowledgements is cut off") {
    Http2Stage stage{
        "  body_idle: 2s\n  http2: { patience: 1000000, patience_per_second: 1000000 }\n"};
    auto const before = resident_bytes(stage.gateway.id());
    Http2Options options;
    options.connection.receive_buffer = ReceiveBuffer::tiny;
    Http2Client client{stage.port(), options};
    std::string pings;
    for (int i = 0; i < 1'000; ++i)
        pings += h2::ping();
    auto end = End::data;
    // The kernel holds some megabytes in each direction.
    for (int i = 0; i < 5'000 && end == End::data; ++i)
        end = client.try_send(pings);
    CHECK(end == End::reset);
    if (sanitizers().empty()) CHECK(resident_bytes(stage.gateway.id()) < before + (16UL << 20));
    stage.check_others();
    client.channel().close();
    stage.finish();
}

} // namespace h14_http2_slow

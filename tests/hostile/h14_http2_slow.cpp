// Clients of HTTP/2 that are too slow: each wait for one has its time limit, whatever frames come
// meanwhile.
#include "tests/hostile/greedy_stage.h"
#include "tests/hostile/http2_stage.h"
#include "tests/support/machine.h"
#include "tests/support/operations.h"

#include <catch2/catch.hpp>

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

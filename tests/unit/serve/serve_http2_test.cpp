// Connections of HTTP/2: each stream is an exchange with its line of the log, like a request of
// HTTP/1, and the connection's end has one if its client has caused it.
#include "tests/unit/http2/http2_harness.h"
#include "tests/unit/serve/serve_harness.h"

#include <stdexcept>

namespace serve_http2_test {

using namespace sallyport;
using namespace sallyport::serve;
using namespace sallyport::serve::test;
using http2::test::data;
using http2::test::field;
using http2::test::headers;
using pipeline::test::Scripted;
namespace flag = http2::test::flag;

namespace {

std::string credential() {
    return field("authorization",
                 "Basic " + sallyport::test::base64("tester:" + std::string{secret}));
}
std::string block(std::string_view method, std::string_view path, std::string_view fields) {
    return field(":method", method) + field(":scheme", "https") + field(":authority", "api.example")
           + field(":path", path) + std::string{fields};
}
std::string get(std::uint32_t stream, std::string_view path = "/v1/items/1",
                std::string_view fields = {}) {
    return headers(stream, block("GET", path, credential() + std::string{fields}),
                   flag::end_headers | flag::end_stream);
}
std::string put(std::uint32_t stream, std::string_view body) {
    auto const fields = credential() + field("content-type", "application/json")
                        + field("content-length", std::to_string(body.size()));
    return headers(stream, block("PUT", "/v1/items/1", fields))
           + data(stream, body, flag::end_stream);
}

// Beyond the limit of fields.
std::string many_fields() {
    std::string fields;
    for (int i = 0; i < 100; ++i)
        fields += field("x-name", "value");
    return fields;
}

/// A client that speaks HTTP/2.
struct Http2Fixture : ServeFixture {
    using ServeFixture::ServeFixture;

    void begin() {
        auto memory = std::make_unique<MemoryStream>(worker.loop);
        memory->set_tls({.version = "TLSv1.3",
                         .cipher = "TLS_AES_128_GCM_SHA256",
                         .group = "x25519",
                         .resumed = net::Resumed::no,
                         .protocol = "h2",
                         .server_name = "api.example"});
        client = memory.get();
        serve_stream(std::move(memory));
        send(std::string{http2::test::preface} + http2::test::settings()
             + http2::test::settings_ack());
    }
    void send(std::string_view bytes) {
        client->receive(bytes);
        run_ready(worker.loop);
    }
    void leave() {
        client->receive_end();
        wait_for_end();
    }
    [[nodiscard]] http2::test::Response response(std::uint32_t stream) const {
        return http2::test::response_in(client->sent(), stream);
    }
    [[nodiscard]] std::optional<http2::ErrorCode> goaway_code() const {
        return http2::test::goaway_code_in(client->sent());
    }
    [[nodiscard]] std::uint64_t points(http2::Annoyance kind) const {
        std::uint64_t points = 0;
        worker.metrics.http2_points.for_each([&](std::string_view name, std::uint64_t count) {
            if (name == http2::name_of(kind)) points += count;
        });
        return points;
    }
    [[nodiscard]] std::uint64_t ended(http2::ErrorCode code) const {
        std::uint64_t count = 0;
        worker.metrics.http2_ended.for_each([&](std::string_view name, std::uint64_t ends) {
            if (name == http2::name_of(code)) count += ends;
        });
        return count;
    }
    [[nodiscard]] std::uint64_t refused(std::string_view limit) const {
        std::uint64_t count = 0;
        worker.metrics.http2_refused.for_each([&](std::string_view name, std::uint64_t refusals) {
            if (name == limit) count += refusals;
        });
        return count;
    }
    [[nodiscard]] std::size_t idle() const { return worker.waiting.count(WaitsFor::request); }
};

/// As the metric counts requests of this status and reason, of all operations.
std::uint64_t requests(Http2Fixture const& test, unsigned status, std::string_view reason) {
    std::uint64_t sum = 0;
    test.worker.metrics.operations().for_each([&](observe::OperationMetrics const& operation) {
        operation.requests.for_each([&](observe::RequestOutcome const& seen, std::uint64_t count) {
            if (seen.status == status && seen.reason == reason) sum += count;
        });
    });
    return sum;
}

/// RFC 7541, A: as the encoder writes `:status`.
bool has_status(http2::test::Response const& response, std::string_view status) {
    return response.head.find(std::string{"\x08\x03", 2} + std::string{status}) != std::string::npos
           || (status == "200" && response.head.starts_with('\x88'))
           || (status == "400" && response.head.starts_with('\x8c'))
           || (status == "500" && response.head.starts_with('\x8e'));
}

} // namespace

TEST_CASE("requests over HTTP/2 pass beside each other, each with a line of its own") {
    Http2Fixture test;
    auto& first = test.pool->add();
    auto& second = test.pool->add();
    test.begin();
    CHECK(test.worker.metrics.http2_connections.value() == 1);
    test.send(put(1, "{\"a\":1}") + get(3));
    CHECK(test.worker.metrics.http2_streams.value() == 2);
    CHECK(first.sent().find("\r\nVia: 2.0 sallyport\r\n") != std::string::npos);
    CHECK(first.sent().ends_with("\r\n\r\n{\"a\":1}"));
    second.receive(fine);
    run_ready(test.worker.loop);
    CHECK(test.response(3).body == "{\"a\":1}");
    CHECK(test.response(3).ended);
    CHECK_FALSE(test.response(1).ended);
    first.receive(fine);
    run_ready(test.worker.loop);
    CHECK(has_status(test.response(1), "200"));
    CHECK(test.response(1).ended);
    CHECK(test.worker.metrics.http2_streams.value() == 0);
    test.leave();
    CHECK(test.log().size() == 2);
    CHECK(test.has_logged("\"protocol\":\"HTTP/2.0\""));
    CHECK(test.has_logged("\"operation\":\"putItem\""));
    CHECK(test.worker.metrics.requests_by_protocol[2].value() == 2);
    CHECK(test.ended(http2::ErrorCode::no_error) == 1);
    CHECK(test.client->ending() == MemoryStream::Ending::shut_down);
    CHECK(test.budget.used() == 0);
}

TEST_CASE("a request over HTTP/2 that does not pass is refused as over HTTP/1") {
    struct Row {
        std::string request;
        std::string status;
        std::string reason;
    };
    auto const row = GENERATE(values<Row>({
        {headers(1, block("GET", "/v1/items/1", {}), 5), "401", "unauthenticated"},
        {get(1, "/elsewhere"), "403", "unknown_operation"},
        {get(1, "/v1/items/1?limit=11"), "400", "bad_parameter"},
        {get(1, "/v1/items/%"), "400", "bad_request"},
        {put(1, "{\"a\":\"b\"}"), "400", "contract_violation"},
        {put(1, "{\"a\":"), "400", "malformed_body"},
        {get(1, "/v1/items/1", field("connection", "close")), "400", "bad_request"},
        {get(1, "/v1/items/1", many_fields()), "431", "head_too_large"},
    }));
    CAPTURE(row.request.substr(0, 100), row.reason);
    Http2Fixture test;
    test.begin();
    test.send(row.request);
    auto const response = test.response(1);
    CHECK(has_status(response, row.status));
    CHECK(response.ended);
    CHECK(response.body.find("\"reason\":\"" + row.reason + "\"") != std::string::npos);
    test.leave();
    REQUIRE(test.log().size() == 1);
    CHECK(test.has_logged("\"status\":" + row.status));
    CHECK(test.has_logged("\"reason\":\"" + row.reason + "\""));
    CHECK(test.pool->asked().empty());
}

TEST_CASE("a client that resets its request, or leaves, ends it at the upstream too") {
    Http2Fixture test;
    auto& upstream = test.pool->add();
    test.begin();
    test.send(get(1));
    REQUIRE_FALSE(upstream.sent().empty());
    SECTION("reset") {
        test.send(http2::test::reset(1, 8));
        CHECK(test.has_logged("\"reason\":\"client_closed\""));
        // A busy machine may take long for it.
        CHECK(test.points(http2::Annoyance::reset) + test.points(http2::Annoyance::late_reset)
              != 0);
        test.pool->add().receive(fine);
        test.send(get(3));
        CHECK(test.response(3).ended);
    }
    SECTION("gone") {
        test.leave();
        CHECK(test.has_logged("\"reason\":\"client_closed\""));
    }
    CHECK(test.pool->dropped() == 1);
    CHECK(test.worker.metrics.http2_streams.value() == 0);
}

TEST_CASE("a request that is reset in the turn in which it began is logged, and goes nowhere") {
    Http2Fixture test;
    test.begin();
    test.send(get(1) + http2::test::reset(1, 8));
    REQUIRE(test.log().size() == 1);
    CHECK(test.has_logged("\"reason\":\"client_closed\""));
    CHECK(test.has_logged("\"method\":\"GET\""));
    CHECK(test.worker.metrics.requests_by_protocol[2].value() == 1);
    CHECK(test.worker.metrics.http2_streams.value() == 0);
    CHECK(test.points(http2::Annoyance::reset) == 2);
    CHECK(test.pool->asked().empty());
    CHECK_FALSE(test.response(1).code); // it is not reset once more
    test.pool->add().receive(fine);
    test.send(get(3));
    CHECK(test.response(3).ended);
    test.leave();
    CHECK(test.budget.used() == 0);
}

TEST_CASE("a connection of HTTP/2 that its client makes end has a line of its own") {
    Http2Fixture test;
    test.pool->add();
    test.begin();
    test.send(get(1));
    SECTION("by a flood") {
        std::string pings;
        for (int i = 0; i < 2'000; ++i)
            pings += http2::test::ping();
        test.send(pings);
        test.wait_for_end();
        CHECK(test.goaway_code() == http2::ErrorCode::enhance_your_calm);
        CHECK(test.has_logged("\"reason\":\"flooded\""));
        CHECK(test.control_text().find("ENHANCE_YOUR_CALM: ping") != std::string::npos);
        // All points, and those that came back meanwhile.
        CHECK(test.points(http2::Annoyance::ping) >= 1'001);
        CHECK(test.points(http2::Annoyance::ping) < 2'000);
        CHECK(test.ended(http2::ErrorCode::enhance_your_calm) == 1);
    }
    SECTION("against the protocol") {
        test.send(data(9, "x"));
        test.wait_for_end();
        CHECK(test.goaway_code() == http2::ErrorCode::protocol_error);
        CHECK(test.has_logged("\"reason\":\"protocol_failed\""));
        CHECK(test.control_text().find("PROTOCOL_ERROR: DATA on an idle stream")
              != std::string::npos);
        CHECK(test.ended(http2::ErrorCode::protocol_error) == 1);
    }
}

TEST_CASE("a request that its client's fault ends has the reason of that fault") {
    struct Row {
        std::string frames;
        std::string reason;
        std::string note;
        std::size_t lines;
    };
    std::string pings;
    for (int i = 0; i < 2'000; ++i)
        pings += http2::test::ping();
    auto const row = GENERATE_COPY(values<Row>({
        {pings, "flooded", "ping", 3},
        {data(9, "x"), "protocol_failed", "DATA on an idle stream", 3},
        {http2::test::ping().substr(0, 16), "timeout", "a frame was too slow", 3},
        // Of the stream alone: nothing is wrong with the connection.
        {http2::test::window_update(1, 0x7FFF'FFFF) + http2::test::window_update(3, 0x7FFF'FFFF),
         "protocol_failed", "WINDOW_UPDATE exceeds the stream's window", 2},
    }));
    CAPTURE(row.note);
    Http2Fixture test{{.limits = "{ head_time: 60ms }"}};
    test.pool->add();
    test.pool->add().receive("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart");
    test.begin();
    test.send(get(1) + get(3));
    REQUIRE(test.response(3).body == "part");
    test.send(row.frames);
    if (row.lines == 2) {
        CHECK(test.response(1).code == 3); // FLOW_CONTROL_ERROR
        test.leave();
    } else {
        test.wait_for_end();
    }
    auto const lines = test.log();
    CHECK(lines.size() == row.lines); // the connection's own among them
    auto const reason = "\"reason\":\"" + row.reason + "\"";
    for (auto const& line : lines) {
        CAPTURE(line);
        CHECK(line.find(reason) != std::string::npos);
    }
    CHECK(test.has_logged("\"method\":\"GET\",\"api\""));
    CHECK(test.has_logged("\"status\":0,"));
    CHECK(test.has_logged("\"status\":200,"));
    // That of a request; the connection's own has the code too.
    auto const* const quote = row.note.find(' ') == std::string::npos ? "" : "\"";
    CHECK(test.control_text().find(" note=" + (quote + row.note)) != std::string::npos);
    CHECK(requests(test, 0, row.reason) == 1);
    CHECK(requests(test, 200, row.reason) == 1);
    CHECK(test.pool->dropped() == 2);
    CHECK(test.budget.used() == 0);
}

TEST_CASE("a slow beginning of HTTP/2 is logged as a timeout") {
    Http2Fixture test{{.limits = "{ head_time: 60ms }"}};
    test.begin();
    test.send(get(1).substr(0, 12));
    test.wait_for_end();
    CHECK(test.has_logged("\"reason\":\"timeout\""));
    CHECK(test.goaway_code() == http2::ErrorCode::enhance_your_calm);
}

TEST_CASE("a connection of HTTP/2 is idle while it has no request") {
    Http2Fixture test;
    auto& upstream = test.pool->add();
    test.begin();
    CHECK(test.idle() == 1);
    test.send(get(1));
    CHECK(test.idle() == 0);
    test.send(http2::test::ping());
    CHECK(test.idle() == 0);
    upstream.receive(fine);
    run_ready(test.worker.loop);
    CHECK(test.idle() == 1);
    SECTION("and may have to give way") {
        test.connection->give_way(WaitsFor::request);
        test.wait_for_end();
        CHECK(test.client->ending() == MemoryStream::Ending::closed);
        CHECK(test.connection->gave_place());
    }
    SECTION("or for too long") {
        test.leave();
    }
    CHECK(test.idle() == 0);
    CHECK(test.log().size() == 1);
}

TEST_CASE("an idle connection of HTTP/2 ends in order") {
    Http2Fixture test{{.limits = "{ idle: 60ms }"}};
    test.begin();
    test.wait_for_end();
    CHECK(test.goaway_code() == http2::ErrorCode::no_error);
    CHECK(test.log().empty());
    CHECK(test.client->ending() == MemoryStream::Ending::shut_down);
}

TEST_CASE("a draining connection of HTTP/2 ends with its last request") {
    Http2Fixture test;
    auto& upstream = test.pool->add();
    auto& late = test.pool->add();
    test.begin();
    test.send(get(1));
    test.connection->stop_after_exchange();
    run_ready(test.worker.loop);
    CHECK(test.goaway_code() == http2::ErrorCode::no_error);
    // The client has sent it before it read of the end.
    test.send(get(3));
    upstream.receive(fine);
    late.receive(fine);
    test.wait_for_end();
    CHECK(test.response(1).ended);
    CHECK(test.response(3).ended);
    CHECK(test.log().size() == 2);
}

TEST_CASE("requests beyond the limit of all connections are refused as streams") {
    Http2Fixture test;
    bool const is_of_address = GENERATE(false, true);
    std::string_view const limit = is_of_address ? "exchanges_per_address" : "exchanges";
    test.exchange_limits.set(is_of_address ? 100 : 8, is_of_address ? 8 : 100);
    for (int i = 0; i < 10; ++i)
        test.pool->add();
    test.begin();
    std::string requests;
    for (std::uint32_t id = 1; id <= 19; id += 2)
        requests += get(id);
    test.send(requests);
    CHECK(test.worker.metrics.http2_streams.value() == 9); // the first needs no place
    CHECK(test.response(19).code == 7);
    // Others have the places: that costs this client no patience.
    CHECK(test.points(http2::Annoyance::refused_stream) == 0);
    CHECK(test.refused(limit) == 1);
    test.send(http2::test::reset(1, 8));
    test.send(get(21));
    CHECK_FALSE(test.response(21).code);
    test.leave();
    CHECK(test.exchange_limits.take({}, 1'000).places == (is_of_address ? 100 : 8));
}

TEST_CASE("requests beyond the limit of a connection are counted, and cost patience") {
    Http2Fixture test{{.limits = "{ http2: { streams: 1 } }"}};
    test.pool->add();
    test.begin();
    test.send(get(1) + get(3));
    CHECK(test.response(3).code == 7);
    CHECK(test.points(http2::Annoyance::refused_stream) == 2);
    CHECK(test.refused("streams") == 1);
    test.leave();
}

TEST_CASE("a head that keeps to a raised limits.head passes, however many frames it takes") {
    constexpr int lines = 13;
    Sections const raised{.limits = "{ head: 128KiB }"};
    std::string const value(8'000, 'v');
    SECTION("over HTTP/1.1") {
        ServeFixture test{raised};
        test.pool->add().receive(fine);
        std::string fields;
        for (int i = 0; i < lines; ++i)
            fields += "X-Long: " + value + "\r\n";
        CHECK(count_responses(test.exchange(with_credential("GET /v1/items/1", fields)), "200")
              == 1);
    }
    SECTION("over HTTP/2") {
        Http2Fixture test{raised};
        test.pool->add().receive(fine);
        test.begin();
        std::string fields;
        // RFC 7541, 5.1: a length of 127 and 7,873 more.
        for (int i = 0; i < lines; ++i)
            fields += std::string{"\x00\x06x-long\x7F\xC1\x3D", 11} + value;
        auto const whole = block("GET", "/v1/items/1", credential() + fields);
        constexpr std::size_t of_frame = 16'384;
        std::string frames = headers(1, whole.substr(0, of_frame), flag::end_stream);
        for (auto at = of_frame; at < whole.size(); at += of_frame)
            frames +=
                http2::test::continuation(1, whole.substr(at, of_frame),
                                          at + of_frame < whole.size() ? 0 : flag::end_headers);
        test.send(frames);
        CHECK(test.response(1).body == "{\"a\":1}");
        CHECK(test.points(http2::Annoyance::continuation) == 0);
        test.leave();
    }
}

TEST_CASE("a client that does not read what it is sent has a line, without a request too") {
    Http2Fixture test{{.limits = "{ body_idle: 60ms }"}};
    test.begin();
    test.client->stall_writing();
    test.send(http2::test::ping());
    test.wait_for_end();
    CHECK(test.has_logged("\"reason\":\"timeout\""));
    CHECK(test.control_text().find("the client does not read") != std::string::npos);
    CHECK(test.log().size() == 1);
}

TEST_CASE("a body over HTTP/2 without memory for it is refused as overloaded") {
    Http2Fixture test{{}, 1UL << 20, 4096};
    test.begin();
    test.send(put(1, "{\"text\":\"" + std::string(8'000, 'x') + "\"}"));
    CHECK(test.response(1).head.find("503") != std::string::npos);
    CHECK(test.has_logged("\"reason\":\"overloaded\""));
    CHECK(test.control_text().find("limits.buffered_bodies is used up") != std::string::npos);
    test.leave();
    CHECK(test.budget.used() == 0);
}

TEST_CASE("an exception fails its request over HTTP/2, and no other one") {
    Http2Fixture test;
    Scripted::on_check = []() -> pipeline::Verdict { throw std::runtime_error{"a bug"}; };
    test.begin();
    test.send(get(1));
    CHECK(test.has_logged("\"reason\":\"internal_error\""));
    CHECK(has_status(test.response(1), "500"));
    Scripted::reset();
    test.pool->add().receive(fine);
    test.send(get(3));
    CHECK(test.response(3).ended);
    test.leave();
}

TEST_CASE("requests over HTTP/2 are cut off and logged when their worker stops") {
    Http2Fixture test;
    test.pool->add().receive("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart");
    test.pool->add();
    test.begin();
    test.send(get(1) + get(3));
    REQUIRE_FALSE(test.has_ended);
    auto const sent = test.client->sent();
    test.connection.reset();
    test.worker.loop.end();
    CHECK(test.log().size() == 2);
    CHECK(test.has_logged("\"reason\":\"draining\""));
    CHECK(test.has_logged("\"status\":200"));
    CHECK_FALSE(http2::test::response_in(sent, 1).ended);
    CHECK(test.worker.connections == nullptr);
}

} // namespace serve_http2_test

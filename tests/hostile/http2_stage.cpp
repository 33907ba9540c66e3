// Configures the gateway, and reads its logs and metrics.
#include "tests/hostile/http2_stage.h"

#include "tests/hostile/greedy_stage.h"
#include "tests/support/operations.h"

#include <catch2/catch.hpp>

#include <algorithm>

namespace sallyport::test {
namespace {

Configuration http2_configuration(RecordingUpstream const& upstream, std::string const& limits) {
    auto configuration = standard_configuration(upstream);
    configuration.apis += "  open: { paths: [\"/open/\", \"/wait/\"], upstream: management, "
                          "authenticate: [anonymous] }\n";
    configuration.limits = limits;
    configuration.rest += admin_section;
    return configuration;
}

RecordingUpstream::Script respond_or_wait(Event const& gate) {
    return [&gate](UpstreamExchange& exchange) {
        if (exchange.request.target.rfind("/wait/", 0) == 0) exchange.wait(gate);
        exchange.send(response_text("{}"));
    };
}

std::string block_for(std::string_view request) {
    return http2::block_of(http2::fields_of(parse_request(request)->message));
}

} // namespace

std::string cheap_request() {
    return Outgoing{"GET", "/open/a"}.text();
}

std::string waiting_request() {
    return Outgoing{"GET", "/wait/a"}.text();
}

std::string cheap_block() {
    return block_for(cheap_request());
}

std::string malformed_block() {
    return http2::field(":method", "GET") + http2::field(":scheme", "https")
           + http2::field(":authority", "localhost");
}

std::string upload_head(std::uint32_t stream) {
    auto const block = http2::field(":method", "PUT") + http2::field(":scheme", "https")
                       + http2::field(":authority", "localhost")
                       + http2::field(":path", "/open/upload");
    return http2::headers(stream, block, http2::flag::end_headers);
}

Http2Stage::Http2Stage(std::string const& limits)
    : upstream{respond_or_wait(gate)}, gateway{http2_configuration(upstream, limits)} {}

void Http2Stage::check_others() const {
    Http2Client other{port()};
    CHECK(other.exchange(cheap_request()).status == 200);
    CHECK(other.exchange(request_for("getPipe").text()).status == 200);
}

void Http2Stage::check_end(Http2Client& client, std::uint32_t code, std::string_view code_name,
                           std::string_view reason, std::string_view rule) {
    CHECK(client.read_goaway().code == code);
    CHECK(client.read_to_end() == End::orderly);
    client.channel().close();
    auto const noted = std::string{code_name} + ": " + std::string{rule};
    gateway.wait_for_error_output(
        [&](std::string const& output) { return output.find(noted) != std::string::npos; });
    ++ended_;
    auto const of_connections = [](Json const& line) {
        return line["method"].is_null() && line["protocol"].string == "HTTP/2.0";
    };
    std::size_t lines = 0;
    CHECK(comes_true([&] {
        auto const log = gateway.log();
        lines = static_cast<std::size_t>(std::count_if(log.begin(), log.end(), of_connections));
        return lines >= ended_;
    }));
    CHECK(lines == ended_);
    auto const log = gateway.log();
    auto const last = std::find_if(log.rbegin(), log.rend(), of_connections);
    REQUIRE(last != log.rend());
    CHECK(last->text("reason") == reason);
    CHECK(last->text("status") == "0");
    CHECK(metrics_of(gateway)["sallyport_http2_connections_ended_total{code=\""
                              + std::string{code_name} + "\"}"]
          >= 1);
    check_others();
}

double Http2Stage::points(std::string_view kind) const {
    return metrics_of(gateway)["sallyport_http2_points_total{kind=\"" + std::string{kind} + "\"}"];
}

void Http2Stage::finish() {
    open_gate();
    CHECK(gateway.stop() == 0);
    CHECK(upstream.protocol_errors() == std::vector<std::string>{});
}

} // namespace sallyport::test

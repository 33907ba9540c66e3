// A client may disconnect at any moment: the upstream exchange ends with it, and others are not
// affected.
#include "tests/end_to_end/expectations.h"
#include "tests/end_to_end/stage.h"

#include <catch2/catch.hpp>

namespace e08_clients_that_leave {

using namespace sallyport::test;

namespace {

struct Leaving {
    std::string name;
    std::function<void(Channel&)> leave;
};

std::vector<Leaving> ways_to_leave() {
    return {{"reset", [](Channel& channel) { channel.reset(); }},
            {"FIN without close_notify", [](Channel& channel) { channel.close(); }},
            {"close_notify and FIN", [](Channel& channel) {
                 channel.send_close_notify();
                 channel.close();
             }}};
}

bool is_client_closed(Json const& line) {
    return line.text("reason") == "client_closed";
}

} // namespace

TEST_CASE("a client that disconnects while the upstream works ends the upstream exchange") {
    for (auto const& way : ways_to_leave()) {
        CAPTURE(way.name);
        Event done;
        End seen{};
        Stage stage{[&](UpstreamExchange& exchange) {
            seen = exchange.wait_for_end();
            done.set();
        }};
        RawClient client{stage.port()};
        client.send(request_for("createService").text());
        stage.upstream.wait_for_requests(1);
        way.leave(client.channel());
        REQUIRE(done.wait() == Waited::happened);
        CHECK((seen == End::orderly || seen == End::reset));
        auto const line = stage.gateway.wait_for_log(is_client_closed);
        CHECK(line.text("operation") == "createService");
        CHECK(line.text("status") == "0");
        stage.upstream.respond_with({});
        CHECK(stage.send(request_for("getPipe")).status == 200);
        stage.finish();
    }
}

TEST_CASE("a client that disconnects within a response ends the upstream exchange") {
    for (auto const& way : ways_to_leave()) {
        CAPTURE(way.name);
        Event done;
        Stage stage{[&](UpstreamExchange& exchange) {
            exchange.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n");
            while (exchange.send(std::string(100'000, 'x')) == End::data) {
            }
            done.set();
        }};
        RawClient client{stage.port()};
        client.send(request_for("listServiceBackups").text());
        client.read_bytes(200'000);
        way.leave(client.channel());
        REQUIRE(done.wait() == Waited::happened);
        auto const line = stage.gateway.wait_for_log(is_client_closed);
        CHECK(line.text("status") == "200");
        CHECK(line.text("upstream_status") == "200");
        stage.upstream.respond_with({});
        CHECK(stage.send(request_for("getPipe")).status == 200);
        stage.finish();
    }
}

TEST_CASE("a client that disconnects within its head or body does no harm") {
    Stage stage;
    auto const text = request_for("updatePipeSettings").text();
    for (auto const& way : ways_to_leave()) {
        for (std::size_t const size : {std::size_t{0}, std::size_t{1}, text.find("Content-Type"),
                                       text.find("\r\n\r\n") + 4, text.size() - 1}) {
            CAPTURE(way.name, size);
            RawClient client{stage.port()};
            client.send(text.substr(0, size));
            way.leave(client.channel());
        }
    }
    // Each client that disconnected within an exchange has a line; none has a status.
    for (auto const& line : stage.gateway.wait_for_log_lines(3 * 2)) {
        CHECK(line.text("reason") == "client_closed");
        CHECK(line.text("status") == "0");
    }
    CHECK(stage.send(request_for("getPipe")).status == 200);
    CHECK(stage.upstream.requests().size() == 1);
    stage.finish();
}

TEST_CASE("a client that disconnects within the handshake does no harm") {
    Stage stage;
    for (int index = 0; index < 10; ++index) {
        Channel channel{connect_tcp(stage.port())};
        channel.write_all(std::string_view{"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11});
        if (index % 2 == 0)
            channel.reset();
        else
            channel.close();
    }
    CHECK(stage.send(request_for("getPipe")).status == 200);
    stage.finish();
}

TEST_CASE("a client that closes its sending side still gets its response") {
    Event gate;
    Stage stage{[&](UpstreamExchange& exchange) {
                    exchange.wait(gate);
                    exchange.send(response_text("{}"));
                },
                [](Configuration& configuration) {
                    configuration.listeners +=
                        "  - name: inner\n    address: 127.0.0.1:0\n    tls: off\n";
                }};
    // Whether a half-closed client waits cannot be observed; a gateway may end the exchange, but
    // must not hang or crash.
    RawClient client{stage.gateway.port("inner"), without_tls()};
    client.send(request_for("getPipe").text());
    stage.upstream.wait_for_requests(1);
    client.channel().half_close();
    gate.set();
    client.read_to_end();
    CHECK((client.unread().empty() || client.unread().substr(0, 12) == "HTTP/1.1 200"));
    stage.upstream.respond_with({});
    CHECK(stage.send(request_for("getPipe")).status == 200);
    stage.finish();
}

TEST_CASE("a client that disconnects while it is queued leaves the queue") {
    Event gate;
    Stage stage{[&](UpstreamExchange& exchange) {
                    if (exchange.number == 0) exchange.wait(gate);
                    exchange.send(response_text("\"" + exchange.request.target + "\""));
                },
                with_upstream("connections: { max: 1, idle: 1, queue: 2, queue_time: 20s }")};
    RawClient running{stage.port()};
    running.send(request_for("getDashboard").target("/api/v2/dashboards/first").text());
    stage.upstream.wait_for_requests(1);
    for (int index = 0; index < 5; ++index) {
        RawClient leaving{stage.port()};
        leaving.send(request_for("getDashboard").target("/api/v2/dashboards/gone").text());
        CHECK(leaving.is_silent_for(std::chrono::milliseconds{20}));
        leaving.channel().reset();
        auto const lines = static_cast<std::size_t>(index) + 1;
        CHECK(stage.gateway.wait_for_log_lines(lines)[lines - 1].text("reason") == "client_closed");
    }
    RawClient last{stage.port()};
    last.send(request_for("getDashboard").target("/api/v2/dashboards/last").text());
    gate.set();
    CHECK(running.read_response().status == 200);
    CHECK(last.read_response().body == "\"/api/v2/dashboards/last\"");
    for (auto const& seen : stage.upstream.requests())
        CHECK(seen.target != "/api/v2/dashboards/gone");
    stage.finish();
}

TEST_CASE("a client that sends and never reads is disconnected, and others are served") {
    std::string const large(8'000'000, 'x');
    Stage stage{[&](UpstreamExchange& exchange) { exchange.send(response_text(large)); },
                with_limits("body_idle: 500ms")};
    RawClient deaf{stage.port(), {.tls = {}, .receive_buffer = ReceiveBuffer::tiny}};
    deaf.send(request_for("listServiceBackups").text());
    auto const line = stage.gateway.wait_for_log([](Json const& entry) {
        auto const reason = entry.text("reason");
        return reason == "response_too_slow" || reason == "client_closed";
    });
    CHECK(line.text("reason") == "response_too_slow");
    CHECK(line["bytes_out"].number < 1'000'000); // the rest was not read from the kernel
    auto const end = deaf.read_to_end();
    CHECK((end == End::reset || end == End::truncated));
    stage.upstream.respond_with({});
    CHECK(stage.send(request_for("getPipe")).status == 200);
    stage.finish();
}

} // namespace e08_clients_that_leave

// Reloads that change listeners: their certificates, addresses and names.
#include "tests/end_to_end/expectations.h"
#include "tests/end_to_end/stage.h"
#include "tests/support/event.h"
#include "tests/support/http2_client.h"
#include "tests/support/text.h"

#include <catch2/catch.hpp>

namespace e13_reload_listeners {

using namespace sallyport::test;

namespace {

std::string configuration_of(Stage const& stage) {
    return read_file(stage.gateway.folder() / "sallyport.yaml");
}

std::string name_shown_by(std::uint16_t port) {
    ClientOptions options;
    options.tls.verify = Verify::no;
    RawClient client{port, options};
    return name_in_certificate(client.channel().tls());
}

} // namespace

TEST_CASE("a certificate is replaced under open connections; one without its key is rejected") {
    Stage stage{
        {},
        [](Configuration& configuration) {
            configuration.listeners =
                "  - name: public\n    address: 127.0.0.1:0\n    tls:\n      certificates:\n"
                "        - { certificate: now.pem, private_key: now.key }\n";
        },
        {.files = {{"now.pem", read_file(certificates().server.certificate)},
                   {"now.key", read_file(certificates().server.private_key)}}}};
    RawClient kept{stage.port()};
    CHECK(name_shown_by(stage.port()) == "localhost");

    stage.gateway.replace("now.pem", read_file(certificates().second.certificate));
    stage.gateway.wait_for_rejected_reloads(1);
    CHECK(stage.gateway.standard_error().find("does not belong") != std::string::npos);
    CHECK(name_shown_by(stage.port()) == "localhost");

    stage.gateway.replace("now.key", read_file(certificates().second.private_key));
    stage.gateway.wait_for_reloads(1);
    CHECK(name_shown_by(stage.port()) == "second.example.test");
    CHECK(kept.exchange(request_for("getPipe").text()).status == 200);
    stage.finish();
}

TEST_CASE("listeners are added and removed; one whose port is in use rejects the whole change") {
    Stage stage;
    auto const good = configuration_of(stage);
    RecordingUpstream occupant; // the process that uses the port
    auto const with = [&](std::string const& address) {
        return replaced(good, "listeners:\n",
                        "listeners:\n  - name: second\n    address: " + address
                            + "\n    tls: off\n");
    };
    stage.gateway.replace("sallyport.yaml", with("127.0.0.1:" + std::to_string(occupant.port())));
    stage.gateway.wait_for_rejected_reloads(1);
    CHECK(stage.gateway.standard_error().find("Address already in use") != std::string::npos);
    CHECK(stage.send(request_for("getPipe")).status == 200);

    stage.gateway.replace("sallyport.yaml", with("127.0.0.1:0"));
    stage.gateway.wait_for_reloads(1);
    auto const second = stage.gateway.port("second");
    auto const plain = without_tls();
    RawClient kept{second, plain};
    CHECK(kept.exchange(request_for("getPipe").text()).status == 200);

    stage.gateway.replace("sallyport.yaml", good);
    stage.gateway.wait_for_reloads(2);
    wait_until_closed(second);
    // Its connections end, but not in the middle of a response.
    CHECK(kept.read_to_end() == End::orderly);
    CHECK(stage.send(request_for("getPipe")).status == 200);
    stage.finish();
}

TEST_CASE("a renamed listener keeps its socket") {
    Stage stage;
    // A port that is free for a moment at least.
    std::uint16_t port = 0;
    {
        RecordingUpstream const occupant;
        port = occupant.port();
    }
    auto const good = configuration_of(stage);
    auto const with = [&](std::string const& name) {
        return replaced(good, "listeners:\n",
                        "listeners:\n  - name: " + name + "\n    address: 127.0.0.1:"
                            + std::to_string(port) + "\n    tls: off\n");
    };
    stage.gateway.replace("sallyport.yaml", with("one"));
    stage.gateway.wait_for_reloads(1);
    RawClient kept{port, without_tls()};
    CHECK(kept.exchange(request_for("getPipe").text()).status == 200);
    stage.gateway.replace("sallyport.yaml", with("other"));
    stage.gateway.wait_for_reloads(2);
    CHECK(stage.gateway.port("other") == port);
    CHECK(kept.read_to_end() == End::orderly); // of a removed listener
    RawClient fresh{port, without_tls()};
    CHECK(fresh.exchange(request_for("getPipe").text()).status == 200);
    stage.finish();
}

TEST_CASE("what a removed listener has under way is cut off at the end of `drain`") {
    Event gate;
    Stage stage{[&gate](UpstreamExchange& exchange) {
                    if (exchange.request.target.find("pipe") == std::string::npos)
                        exchange.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\npart");
                    exchange.wait(gate);
                },
                [](Configuration& configuration) { configuration.rest += "drain: 1s\n"; }};
    auto const pipe = request_for("getPipe").text();
    auto const download = request_for("getDashboard").text();
    RawClient serial{stage.port()};
    RawClient other{stage.port()};
    Http2Client client{stage.port()};
    serial.send(pipe);
    other.send(download);
    auto const first = client.begin(pipe);
    auto const second = client.begin(download);
    client.wait_until([&] { return client.stream(second).has_head; }, "a response");
    CHECK(other.read_bytes(12) == "HTTP/1.1 200");
    stage.upstream.wait_for_requests(4);

    stage.gateway.replace("sallyport.yaml",
                          replaced(configuration_of(stage), "name: public", "name: other"));
    auto const is_cut = [](End end) { return end == End::reset || end == End::truncated; };
    CHECK(is_cut(serial.read_to_end()));
    CHECK(serial.unread().empty());
    CHECK(is_cut(other.read_to_end()));
    CHECK(client.read_goaway().code == http2::code::no_error);
    CHECK(client.read_to_end() != End::data);
    CHECK_FALSE(client.stream(first).has_head);
    CHECK_FALSE(client.stream(second).has_ended);
    auto const lines = stage.gateway.wait_for_log_lines(4);
    for (auto const& line : lines) {
        CHECK(line.text("reason") == "draining");
        CHECK(line["duration_us"].number >= 900'000);
    }
    gate.set();
    stage.gateway.wait_for_error_output([](std::string const& output) {
        return output.find("a reload removed the listener") != std::string::npos;
    });
    CHECK(stage.gateway.stop() == 0);
}

} // namespace e13_reload_listeners

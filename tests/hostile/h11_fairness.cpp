// One caller that uses all resources it can get: other callers are served without delay.
#include "tests/hostile/crowd.h"
#include "tests/hostile/greedy_stage.h"

#include "tests/support/admin.h"
#include "tests/support/operations.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <iostream>

namespace h11_fairness {

using namespace sallyport::test;

namespace {

using namespace std::chrono_literals;

// How much longer other clients may wait than without the attack.
constexpr auto most_added = 100ms;

// Connections to the upstream, and a few clients more than that.
std::size_t connections() {
    return is_at_full_scale() ? 256 : 32;
}
std::size_t attackers() {
    return connections() + 4;
}

std::string bound() {
    return "max: " + std::to_string(connections());
}

// The waiting time of another caller, without the attack and during it.
class OtherClients {
public:
    explicit OtherClients(GreedyStage const& stage,
                          std::string request = request_for("getPipe").text())
        : port_{stage.port()}, request_{std::move(request)} {
        Probe probe{port_, request_};
        Event never;
        never.wait(-1, TimeLimit{1500ms});
        quiet_ = probe.stop_and_measure();
    }

    void check_while(Crowd& crowd, std::chrono::milliseconds pace) const {
        Probe probe{port_, request_};
        CHECK_FALSE(crowd.run_until([] { return false; }, TimeLimit{4s}, pace));
        auto const attacked = probe.stop_and_measure();
        std::cout << "others wait " << quiet_.count() << " ms, in the attack " << attacked.count()
                  << " ms\n";
        CHECK(attacked <= quiet_ + most_added);
    }

private:
    std::uint16_t port_;
    std::string request_;
    std::chrono::milliseconds quiet_{0};
};

double counted(GreedyStage const& stage, std::string const& name,
               std::string const& more_labels = {}) {
    return metrics_of(stage.gateway)["sallyport_upstream_" + name + "{upstream=\"management\""
                                     + more_labels + "}"];
}

bool is_share_refusal(Json const& line) {
    return line.text("reason") == "overloaded";
}

// The operator sees it: in metrics, in the access log, and with the reason in the control log.
void check_visible_to_operator(GreedyStage const& stage) {
    CHECK(comes_true([&] {
        auto const lines = stage.gateway.log();
        return std::any_of(lines.begin(), lines.end(), is_share_refusal);
    }));
    CHECK(counted(stage, "caller_share_waits_total") > 0);
    CHECK(counted(stage, "caller_share_refused_total") > 0);
    CHECK(comes_true([&] {
        return stage.gateway.standard_error().find("the caller's share of connections")
               != std::string::npos;
    }));
}

} // namespace

TEST_CASE("a client that trickles streamed bodies takes no connection from other clients") {
    GreedyStage stage{{}, {}, bound()};
    OtherClients const others{stage};
    Crowd crowd{stage.port(), attackers()};
    std::string const head = "GET /open/slow HTTP/1.1\r\nHost: localhost\r\nContent-Length: ";
    SECTION("large ones") {
        crowd.queue(head + "1000000\r\n\r\n" + std::string(100, 'x'));
        REQUIRE(crowd.run_until([&] { return crowd.sent_all() == crowd.size(); }, TimeLimit{5s}));
        crowd.queue(std::string(1000, 'x'), 10);
        others.check_while(crowd, 50ms);
        // Requests that wait for the share are refused at their time limit.
        crowd.run_until([&] { return crowd.received("HTTP/1.1 503 ") > 0; }, TimeLimit{20s}, 50ms);
        check_visible_to_operator(stage);
    }
    SECTION("small ones, which are received completely before they need a connection") {
        crowd.queue(head + "60000\r\n\r\n" + std::string(30'000, 'x'));
        REQUIRE(crowd.run_until([&] { return crowd.sent_all() == crowd.size(); }, TimeLimit{5s}));
        crowd.queue(std::string(1000, 'x'), 10);
        others.check_while(crowd, 50ms);
        // The gateway notes the end of the last request after its client has the response.
        CHECK(comes_true([&] { return counted(stage, "connections", ",state=\"active\"") == 0; }));
    }
    crowd.close();
    stage.finish();
}

TEST_CASE("a client that does not read takes no connection from other clients") {
    constexpr std::size_t size = 64UL << 20;
    std::string const piece(1UL << 20, 'x');
    GreedyStage stage{{},
                      [&](UpstreamExchange& exchange) {
                          if (exchange.request.target.find("/open/") == std::string::npos) {
                              exchange.send(response_text("{}"));
                              return;
                          }
                          exchange.channel().limit_send_buffer(64 << 10);
                          exchange.send("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(size)
                                        + "\r\n\r\n");
                          for (std::size_t sent = 0; sent < size; sent += piece.size())
                              if (exchange.send(piece) != End::data) break;
                      },
                      bound()};
    OtherClients const others{stage};
    Crowd crowd{stage.port(), attackers(), Reads::no};
    crowd.queue("GET /open/large HTTP/1.1\r\nHost: localhost\r\n\r\n");
    REQUIRE(crowd.run_until([&] { return crowd.sent_all() == crowd.size(); }, TimeLimit{5s}));
    others.check_while(crowd, 50ms);
    CHECK(comes_true([&] { return counted(stage, "caller_share_refused_total") > 0; }));
    check_visible_to_operator(stage);
    crowd.close();
    stage.finish();
}

TEST_CASE("a client that trickles validated bodies takes no memory from other clients") {
    // As much as eight bodies of one caller would take without a share.
    GreedyStage stage{"  buffered_bodies: 8MiB\n"};
    auto const as = [](Key const& key) {
        auto request = request_for("updatePipeSettings");
        return request.set("Authorization", basic(key));
    };
    OtherClients const others{stage, as(enterprise).text()};
    constexpr std::size_t size = 1'000'000;
    Crowd crowd{stage.port(), 8};
    crowd.queue(as(administrator).set("Content-Length", std::to_string(size)).head()
                + std::string(600'000, ' '));
    REQUIRE(crowd.run_until([&] { return crowd.sent_all() == crowd.size(); }, TimeLimit{20s}));
    crowd.queue(std::string(1000, ' '), 1);
    others.check_while(crowd, 50ms);
    CHECK(stage.buffered_bytes() <= 1UL << 20);
    CHECK(crowd.received("HTTP/1.1 503 ") > 0);
    CHECK(crowd.received("HTTP/1.1 503 ") < crowd.size());
    CHECK(comes_true([&] {
        return stage.gateway.standard_error().find("limits.buffered_bodies_per_caller is used up")
               != std::string::npos;
    }));
    crowd.close();
    stage.finish();
}

} // namespace h11_fairness

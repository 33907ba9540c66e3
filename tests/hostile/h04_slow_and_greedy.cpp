// Slow and greedy clients: each has its limit, everybody else is served within a second, and what
// they took comes back.
#include "tests/hostile/crowd.h"
#include "tests/hostile/greedy_stage.h"

#include "tests/support/operations.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include <sys/resource.h>

using namespace sallyport::test;

namespace {

using namespace std::chrono_literals;
using namespace std::string_view_literals;

std::string put_head(std::string const& framing) {
    return "PUT " + operation("updatePipeSettings").target
           + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: " + basic(administrator)
           + "\r\nContent-Type: application/json\r\n" + framing + "\r\n\r\n";
}

// Bytes without an end that a client may say, in a string that is long enough.
std::string repeated(std::string_view text, std::size_t size) {
    std::string bytes;
    while (bytes.size() < size)
        bytes += text;
    return bytes;
}

bool is_too_slow(Json const& line) {
    return line.text("reason") == "response_too_slow";
}

bool all_ended(Crowd const& crowd) {
    return crowd.ended() == crowd.size();
}

} // namespace

TEST_CASE("heads that come slowly are given up in their time") {
    GreedyStage stage{"  head_time: 2s\n"};
    Probe probe{stage.port()};
    Crowd crowd{stage.port(), scaled(500)};
    crowd.say("GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: " + std::string(4000, 'a'), 1);
    CHECK(crowd.go_on_until([&] { return all_ended(crowd); }, TimeLimit{20s}, 50ms));
    CHECK(crowd.received("HTTP/1.1 408 ") == crowd.size());
    probe.stop_and_check();
    stage.finish();
}

TEST_CASE("handshakes that never come are given up in their time") {
    GreedyStage stage{"  handshake: 2s\n"};
    Probe probe{stage.port()};
    Crowd crowd{stage.gateway.port("public"), scaled(500)};
    crowd.say("\x16\x03\x01\x02");
    CHECK(crowd.go_on_until([&] { return all_ended(crowd); }, TimeLimit{20s}));
    probe.stop_and_check();
    stage.finish();
}

TEST_CASE("handshakes that stop in their hello take little, and give way to each other") {
    GreedyStage stage{"  handshake: 60s\n"};
    stage.warm_up();
    Probe probe{stage.port()};
    auto const resident = resident_bytes(stage.gateway.id());
    // By and by: none waits for the gateway when the next one comes.
    std::vector<std::unique_ptr<Crowd>> crowds;
    auto const ended = [&] {
        std::size_t all = 0;
        for (auto const& crowd : crowds)
            all += crowd->ended();
        return all;
    };
    std::size_t const all = std::max<std::size_t>(scaled(2000), 700);
    for (std::size_t size = 0; size < all; size += 100) {
        crowds.push_back(std::make_unique<Crowd>(stage.gateway.port("public"), 100));
        crowds.back()->say("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"sv);
        auto& crowd = *crowds.back();
        CHECK(crowd.go_on_until([&] { return crowd.said_all() == crowd.size(); }, TimeLimit{10s}));
    }
    // limits.handshakes_per_address is 500, of the one worker. Of those that came together a few
    // may wait for it.
    std::size_t const least = all - 500 - 100;
    for (TimeLimit const limit{20s}; ended() < least && !limit.has_passed();)
        for (auto& crowd : crowds) {
            bool has_looked = false;
            crowd->go_on_until([&] { return std::exchange(has_looked, true); }, limit);
        }
    CHECK(ended() >= least);
    // With the buffers of OpenSSL it was 47 KiB each.
    if (measures_memory())
        CHECK(resident_bytes(stage.gateway.id()) <= resident + all * (12UL << 10) + (4UL << 20));
    probe.stop_and_check();
    crowds.clear();
    stage.finish();
}

TEST_CASE("bodies that come slowly are given up in their time") {
    GreedyStage stage{"  body_idle: 1s\n"};
    Probe probe{stage.port()};
    Crowd crowd{stage.port(), scaled(500)};
    SECTION("not at all") {
        crowd.say(put_head("Content-Length: 1000"));
        CHECK(crowd.go_on_until([&] { return all_ended(crowd); }, TimeLimit{20s}));
    }
    SECTION("a byte at a time, never pausing for long") {
        crowd.say(put_head("Content-Length: 1000"));
        CHECK(crowd.go_on_until([&] { return crowd.said_all() == crowd.size(); }, TimeLimit{10s}));
        crowd.say(std::string(1000, ' '), 1);
        CHECK(crowd.go_on_until([&] { return all_ended(crowd); }, TimeLimit{20s}, 50ms));
    }
    SECTION("a chunk at a time") {
        crowd.say(put_head("Transfer-Encoding: chunked"));
        CHECK(crowd.go_on_until([&] { return crowd.said_all() == crowd.size(); }, TimeLimit{10s}));
        crowd.say(repeated("1\r\n \r\n", 6000), 6);
        CHECK(crowd.go_on_until([&] { return all_ended(crowd); }, TimeLimit{20s}, 50ms));
    }
    CHECK(crowd.received("HTTP/1.1 408 ") == crowd.size());
    probe.stop_and_check();
    stage.finish();
}

TEST_CASE("who does not read a large answer holds no more than a part of it, and is given up") {
    constexpr std::size_t size = 64UL << 20;
    std::string const piece(1UL << 20, 'x');
    GreedyStage stage{"  body_idle: 2s\n", [&](UpstreamExchange& exchange) {
                          if (exchange.request.target.find("/blob/") == std::string::npos) {
                              exchange.send(response_text("{}"));
                              return;
                          }
                          // An upstream has a machine of its own: five hundred times what the
                          // kernel holds for one is more than what it gives to all of TCP here,
                          // and everybody would wait for that.
                          exchange.channel().limit_send_buffer(64 << 10);
                          exchange.send("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(size)
                                        + "\r\n\r\n");
                          for (std::size_t sent = 0; sent < size; sent += piece.size())
                              if (exchange.send(piece) != End::data) break;
                      }};
    Probe probe{stage.port()};
    Crowd crowd{stage.port(), scaled(500), Reads::no};
    crowd.say(Outgoing{"GET", "/blob/large"}.authorization(basic(administrator)).text());
    auto const before = resident_bytes(stage.gateway.id());
    std::size_t most = 0;
    auto const given_up = [&] {
        most = std::max(most, resident_bytes(stage.gateway.id()));
        return all_ended(crowd);
    };
    CHECK(crowd.go_on_until(given_up, TimeLimit{30s}));
    // A few parts of 64 KiB each, nowhere near what the upstream would send.
    CHECK(most < before + crowd.size() * 400 * 1024 + (8UL << 20));
    CHECK(comes_true([&] {
        auto const lines = stage.gateway.log();
        return static_cast<std::size_t>(std::count_if(lines.begin(), lines.end(), is_too_slow))
               == crowd.size();
    }));
    probe.stop_and_check();
    stage.finish();
}

TEST_CASE("idle connections cost little, and are closed in their time") {
    GreedyStage stage{"  idle: 3s\n"};
    Probe probe{stage.port()};
    Crowd crowd{stage.port(), scaled(2000)};
    auto const before = resident_bytes(stage.gateway.id());
    // A request that nobody has to be asked about, so that the upstream's queue stays empty.
    crowd.say(request_for("getPipe").without("Authorization").text());
    CHECK(crowd.go_on_until([&] { return crowd.received("HTTP/1.1 401 ") == crowd.size(); },
                            TimeLimit{20s}));
    // A plain connection that waits holds no buffer.
    CHECK(resident_bytes(stage.gateway.id()) < before + crowd.size() * 16 * 1024 + (8UL << 20));
    CHECK(crowd.go_on_until([&] { return all_ended(crowd); }, TimeLimit{20s}));
    probe.stop_and_check();
    stage.finish();
}

TEST_CASE("bombs in a head are refused") {
    GreedyStage stage{{}};
    Probe probe{stage.port()};
    Crowd crowd{stage.port(), scaled(500)};
    std::string const start = "GET / HTTP/1.1\r\nHost: localhost\r\n";
    SECTION("fields without end") {
        crowd.say(start + repeated("X-A: b\r\n", 1UL << 20));
    }
    SECTION("a line without end") {
        crowd.say(start + "X-A: " + std::string(1UL << 20, 'a'));
    }
    SECTION("a target without end") {
        crowd.say("GET /" + std::string(1UL << 20, 'a'));
    }
    // They never stop to say something, so the answer may be lost to the reset behind it.
    CHECK(crowd.go_on_until([&] { return all_ended(crowd); }, TimeLimit{30s}));
    CHECK(crowd.received("HTTP/1.1 431 ") + crowd.received("HTTP/1.1 400 ") >= crowd.size() / 2);
    probe.stop_and_check();
    stage.finish();
}

TEST_CASE("chunks without end are refused at the limit of bodies") {
    GreedyStage stage{{}};
    Probe probe{stage.port()};
    Crowd crowd{stage.port(), scaled(50)};
    SECTION("of one byte") {
        crowd.say(put_head("Transfer-Encoding: chunked") + repeated("1\r\n \r\n", 7UL << 20));
    }
    SECTION("of 1,000 bytes") {
        crowd.say(put_head("Transfer-Encoding: chunked")
                  + repeated("3e8\r\n" + std::string(1000, ' ') + "\r\n", 2UL << 20));
    }
    CHECK(crowd.go_on_until([&] { return all_ended(crowd); }, TimeLimit{60s}));
    CHECK(crowd.received("HTTP/1.1 413 ") >= crowd.size() / 2);
    probe.stop_and_check();
    stage.finish();
}

TEST_CASE("bodies that are half there stay under the budget, and what does not fit is refused") {
    // The probe's own bodies need a little of it.
    GreedyStage stage{"  buffered_bodies: 16MiB\n  body_idle: 10s\n"};
    constexpr std::size_t budget = 16UL << 20;
    constexpr std::size_t whole = 1UL << 20;
    Probe probe{stage.port()};
    Crowd crowd{stage.port(), scaled(1000)};
    crowd.say(put_head("Content-Length: " + std::to_string(whole)) + std::string(whole / 2, ' '));
    std::size_t most = 0;
    std::size_t turns = 0;
    auto const is_settled = [&] {
        if (++turns % 10 == 0) most = std::max(most, stage.buffered_bytes());
        auto const refused = crowd.received("HTTP/1.1 503 ");
        return crowd.said_all() == crowd.size() && refused + budget / (whole / 2) >= crowd.size();
    };
    CHECK(crowd.go_on_until(is_settled, TimeLimit{60s}));
    most = std::max(most, stage.buffered_bytes());
    CHECK(most <= budget);
    CHECK(most > 0);
    CHECK(crowd.received("HTTP/1.1 503 ") > 0);
    crowd.leave();
    probe.stop_and_check();
    stage.finish();
}

TEST_CASE("connections one after another leave nothing behind") {
    GreedyStage stage{{}};
    auto const text = request_for("getPipe").set("Connection", "close").text();
    for (std::size_t left = scaled(10'000); left > 0; --left) {
        RawClient client{stage.port(), without_tls()};
        // Every other one leaves without a word.
        if (left % 2 == 0) CHECK(client.exchange(text).status == 200);
    }
    stage.finish();
}

TEST_CASE("transfers that never have to wait leave the others their turn") {
    std::string const piece(1UL << 20, 'x');
    Event enough;
    GreedyStage stage{{}, [&](UpstreamExchange& exchange) {
                          if (exchange.request.target.find("/blob/") == std::string::npos) {
                              exchange.send(response_text("{}"));
                              return;
                          }
                          exchange.send("HTTP/1.1 200 OK\r\nContent-Length: 999999999999\r\n\r\n");
                          while (!enough.is_set() && exchange.send(piece) == End::data) {
                          }
                      }};
    Probe probe{stage.port()};
    // As fast as both sides can, each on a thread of its own.
    std::vector<std::thread> clients;
    for (int i = 0; i < 3; ++i)
        clients.emplace_back([&] {
            Crowd crowd{stage.port(), 1};
            crowd.say(Outgoing{"GET", "/blob/endless"}.authorization(basic(administrator)).text());
            crowd.go_on_until([] { return false; }, TimeLimit{3s});
        });
    for (auto& client : clients)
        client.join();
    enough.set();
    probe.stop_and_check();
    stage.finish();
}

TEST_CASE("without descriptors the gateway waits, and serves again once there are some") {
    GreedyStage stage{{}};
    auto const id = stage.gateway.id();
    // Once with descriptors: UndefinedBehaviorSanitizer needs one itself for what it meets the
    // first time.
    Crowd first{stage.port(), 1};
    first.say("GET /v1/ HTTP/1.1\r\n");
    first.leave();
    REQUIRE(fetch(stage.port(), request_for("getPipe").text(), without_tls()).status == 200);
    rlimit const few{stage.descriptors_before + 20, stage.descriptors_before + 20};
    REQUIRE(::prlimit(id, RLIMIT_NOFILE, &few, nullptr) == 0);
    Crowd crowd{stage.port(), 200};
    crowd.say("GET /v1/ HTTP/1.1\r\n");
    auto const before = processor_time(id);
    CHECK_FALSE(crowd.go_on_until([] { return false; }, TimeLimit{3s}));
    CHECK(processor_time(id) - before <= 1500ms);
    CHECK(crowd.ended() < crowd.size()); // those that it could not accept wait
    crowd.leave();
    auto const response = fetch(stage.port(), request_for("getPipe").text(), without_tls());
    CHECK(response.status == 200);
    CHECK(stage.gateway.standard_error().find(" accept_paused ") != std::string::npos);
    stage.finish();
}

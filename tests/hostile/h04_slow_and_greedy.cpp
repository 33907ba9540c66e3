// Slow and greedy clients: each is limited, other clients are served within a second, and all
// resources are released.
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

namespace h04_slow_and_greedy {

using namespace sallyport::test;

namespace {

using namespace std::chrono_literals;
using namespace std::string_view_literals;

std::string put_head(std::string const& framing) {
    return "PUT " + operation("updatePipeSettings").target
           + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: " + basic(administrator)
           + "\r\nContent-Type: application/json\r\n" + framing + "\r\n\r\n";
}

// The text again and again, up to this size.
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

TEST_CASE("heads that arrive slowly are refused at their time limit") {
    GreedyStage stage{"  head_time: 2s\n"};
    Probe probe{stage.port()};
    Crowd crowd{stage.port(), scaled(500)};
    crowd.queue("GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: " + std::string(4000, 'a'), 1);
    CHECK(crowd.run_until([&] { return all_ended(crowd); }, TimeLimit{20s}, 50ms));
    CHECK(crowd.received("HTTP/1.1 408 ") == crowd.size());
    probe.stop_and_check();
    stage.finish();
}

TEST_CASE("handshakes that never finish are closed at their time limit") {
    GreedyStage stage{"  handshake: 2s\n"};
    Probe probe{stage.port()};
    Crowd crowd{stage.gateway.port("public"), scaled(500)};
    crowd.queue("\x16\x03\x01\x02");
    CHECK(crowd.run_until([&] { return all_ended(crowd); }, TimeLimit{20s}));
    probe.stop_and_check();
    stage.finish();
}

TEST_CASE(
    "handshakes that stop within the ClientHello take little memory, and the oldest are closed") {
    GreedyStage stage{"  handshake: 60s\n"};
    stage.warm_up();
    Probe probe{stage.port()};
    auto const resident = resident_bytes(stage.gateway.id());
    // In small groups: the gateway has read the bytes of one when the next one connects.
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
        crowds.back()->queue("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"sv);
        auto& crowd = *crowds.back();
        CHECK(crowd.run_until([&] { return crowd.sent_all() == crowd.size(); }, TimeLimit{10s}));
    }
    // limits.handshakes_per_address is 500 for the one worker. It may not have read the bytes of a
    // few of the last group.
    std::size_t const least = all - 500 - 100;
    for (TimeLimit const limit{20s}; ended() < least && !limit.has_passed();)
        for (auto& crowd : crowds) {
            bool is_done = false;
            crowd->run_until([&] { return std::exchange(is_done, true); }, limit);
        }
    CHECK(ended() >= least);
    // With the buffers of OpenSSL each took 47 KiB.
    if (measures_memory())
        CHECK(resident_bytes(stage.gateway.id()) <= resident + all * (12UL << 10) + (4UL << 20));
    probe.stop_and_check();
    crowds.clear();
    stage.finish();
}

TEST_CASE("bodies that arrive slowly are refused at their time limit") {
    GreedyStage stage{"  body_idle: 1s\n"};
    Probe probe{stage.port()};
    Crowd crowd{stage.port(), scaled(500)};
    SECTION("not at all") {
        crowd.queue(put_head("Content-Length: 1000"));
        CHECK(crowd.run_until([&] { return all_ended(crowd); }, TimeLimit{20s}));
    }
    SECTION("a byte at a time, never pausing for long") {
        crowd.queue(put_head("Content-Length: 1000"));
        CHECK(crowd.run_until([&] { return crowd.sent_all() == crowd.size(); }, TimeLimit{10s}));
        crowd.queue(std::string(1000, ' '), 1);
        CHECK(crowd.run_until([&] { return all_ended(crowd); }, TimeLimit{20s}, 50ms));
    }
    SECTION("a chunk at a time") {
        crowd.queue(put_head("Transfer-Encoding: chunked"));
        CHECK(crowd.run_until([&] { return crowd.sent_all() == crowd.size(); }, TimeLimit{10s}));
        crowd.queue(repeated("1\r\n \r\n", 6000), 6);
        CHECK(crowd.run_until([&] { return all_ended(crowd); }, TimeLimit{20s}, 50ms));
    }
    CHECK(crowd.received("HTTP/1.1 408 ") == crowd.size());
    probe.stop_and_check();
    stage.finish();
}

TEST_CASE(
    "a client that does not read a large response holds a part of it only, and is disconnected") {
    constexpr std::size_t size = 64UL << 20;
    std::string const piece(1UL << 20, 'x');
    GreedyStage stage{"  body_idle: 2s\n", [&](UpstreamExchange& exchange) {
                          if (exchange.request.target.find("/blob/") == std::string::npos) {
                              exchange.send(response_text("{}"));
                              return;
                          }
                          // A real upstream has a machine of its own: five hundred send buffers of
                          // normal size exceed the limit of all TCP memory here, which would delay
                          // every client.
                          exchange.channel().limit_send_buffer(64 << 10);
                          exchange.send("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(size)
                                        + "\r\n\r\n");
                          for (std::size_t sent = 0; sent < size; sent += piece.size())
                              if (exchange.send(piece) != End::data) break;
                      }};
    Probe probe{stage.port()};
    Crowd crowd{stage.port(), scaled(500), Reads::no};
    crowd.queue(Outgoing{"GET", "/blob/large"}.authorization(basic(administrator)).text());
    auto const before = resident_bytes(stage.gateway.id());
    std::size_t most = 0;
    auto const all_disconnected = [&] {
        most = std::max(most, resident_bytes(stage.gateway.id()));
        return all_ended(crowd);
    };
    CHECK(crowd.run_until(all_disconnected, TimeLimit{30s}));
    // A few parts of 64 KiB each, far less than the upstream would send.
    CHECK(most < before + crowd.size() * 400 * 1024 + (8UL << 20));
    CHECK(comes_true([&] {
        auto const lines = stage.gateway.log();
        return static_cast<std::size_t>(std::count_if(lines.begin(), lines.end(), is_too_slow))
               == crowd.size();
    }));
    probe.stop_and_check();
    stage.finish();
}

TEST_CASE("idle connections take little memory, and are closed at their time limit") {
    GreedyStage stage{"  idle: 3s\n"};
    Probe probe{stage.port()};
    Crowd crowd{stage.port(), scaled(2000)};
    auto const before = resident_bytes(stage.gateway.id());
    // A request that is refused without the upstream, so that its queue stays empty.
    crowd.queue(request_for("getPipe").without("Authorization").text());
    CHECK(crowd.run_until([&] { return crowd.received("HTTP/1.1 401 ") == crowd.size(); },
                          TimeLimit{20s}));
    // An idle plain connection has no buffer.
    CHECK(resident_bytes(stage.gateway.id()) < before + crowd.size() * 16 * 1024 + (8UL << 20));
    CHECK(crowd.run_until([&] { return all_ended(crowd); }, TimeLimit{20s}));
    probe.stop_and_check();
    stage.finish();
}

TEST_CASE("heads without end are refused") {
    GreedyStage stage{{}};
    Probe probe{stage.port()};
    Crowd crowd{stage.port(), scaled(500)};
    std::string const start = "GET / HTTP/1.1\r\nHost: localhost\r\n";
    SECTION("fields without end") {
        crowd.queue(start + repeated("X-A: b\r\n", 1UL << 20));
    }
    SECTION("a line without end") {
        crowd.queue(start + "X-A: " + std::string(1UL << 20, 'a'));
    }
    SECTION("a target without end") {
        crowd.queue("GET /" + std::string(1UL << 20, 'a'));
    }
    // They send without a pause, so a reset may discard the response.
    CHECK(crowd.run_until([&] { return all_ended(crowd); }, TimeLimit{30s}));
    CHECK(crowd.received("HTTP/1.1 431 ") + crowd.received("HTTP/1.1 400 ") >= crowd.size() / 2);
    probe.stop_and_check();
    stage.finish();
}

TEST_CASE("chunks without end are refused at the limit of a body") {
    GreedyStage stage{{}};
    Probe probe{stage.port()};
    Crowd crowd{stage.port(), scaled(50)};
    SECTION("of one byte") {
        crowd.queue(put_head("Transfer-Encoding: chunked") + repeated("1\r\n \r\n", 7UL << 20));
    }
    SECTION("of 1,000 bytes") {
        crowd.queue(put_head("Transfer-Encoding: chunked")
                    + repeated("3e8\r\n" + std::string(1000, ' ') + "\r\n", 2UL << 20));
    }
    CHECK(crowd.run_until([&] { return all_ended(crowd); }, TimeLimit{60s}));
    CHECK(crowd.received("HTTP/1.1 413 ") >= crowd.size() / 2);
    probe.stop_and_check();
    stage.finish();
}

TEST_CASE("incomplete bodies stay within the budget, and those that do not fit are refused") {
    // The probe's own bodies take a small part of it.
    GreedyStage stage{"  buffered_bodies: 16MiB\n  body_idle: 10s\n"};
    constexpr std::size_t budget = 16UL << 20;
    constexpr std::size_t whole = 1UL << 20;
    Probe probe{stage.port()};
    Crowd crowd{stage.port(), scaled(1000)};
    crowd.queue(put_head("Content-Length: " + std::to_string(whole)) + std::string(whole / 2, ' '));
    std::size_t most = 0;
    std::size_t turns = 0;
    auto const is_settled = [&] {
        if (++turns % 10 == 0) most = std::max(most, stage.buffered_bytes());
        auto const refused = crowd.received("HTTP/1.1 503 ");
        return crowd.sent_all() == crowd.size() && refused + budget / (whole / 2) >= crowd.size();
    };
    CHECK(crowd.run_until(is_settled, TimeLimit{60s}));
    most = std::max(most, stage.buffered_bytes());
    CHECK(most <= budget);
    CHECK(most > 0);
    CHECK(crowd.received("HTTP/1.1 503 ") > 0);
    crowd.close();
    probe.stop_and_check();
    stage.finish();
}

TEST_CASE("consecutive connections leak nothing") {
    GreedyStage stage{{}};
    auto const text = request_for("getPipe").set("Connection", "close").text();
    for (std::size_t left = scaled(10'000); left > 0; --left) {
        RawClient client{stage.port(), without_tls()};
        // Every other one closes without a request.
        if (left % 2 == 0) CHECK(client.exchange(text).status == 200);
    }
    stage.finish();
}

TEST_CASE("transfers that never have to wait do not delay other clients") {
    std::string const piece(1UL << 20, 'x');
    Event done;
    GreedyStage stage{{}, [&](UpstreamExchange& exchange) {
                          if (exchange.request.target.find("/blob/") == std::string::npos) {
                              exchange.send(response_text("{}"));
                              return;
                          }
                          exchange.send("HTTP/1.1 200 OK\r\nContent-Length: 999999999999\r\n\r\n");
                          while (!done.is_set() && exchange.send(piece) == End::data) {
                          }
                      }};
    Probe probe{stage.port()};
    // As fast as both sides can, each client on a thread of its own.
    std::vector<std::thread> clients;
    for (int i = 0; i < 3; ++i)
        clients.emplace_back([&] {
            Crowd crowd{stage.port(), 1};
            crowd.queue(
                Outgoing{"GET", "/blob/endless"}.authorization(basic(administrator)).text());
            crowd.run_until([] { return false; }, TimeLimit{3s});
        });
    for (auto& client : clients)
        client.join();
    done.set();
    probe.stop_and_check();
    stage.finish();
}

TEST_CASE("without descriptors the gateway waits, and serves again once some are free") {
    GreedyStage stage{{}};
    auto const id = stage.gateway.id();
    // Once with descriptors: UndefinedBehaviorSanitizer opens one itself for each type that it
    // checks for the first time.
    Crowd first{stage.port(), 1};
    first.queue("GET /v1/ HTTP/1.1\r\n");
    first.close();
    REQUIRE(fetch(stage.port(), request_for("getPipe").text(), without_tls()).status == 200);
    rlimit const few{stage.descriptors_before + 20, stage.descriptors_before + 20};
    REQUIRE(::prlimit(id, RLIMIT_NOFILE, &few, nullptr) == 0);
    // More than fit even after the gateway has closed every idle upstream connection.
    Crowd crowd{stage.port(), stage.descriptors_before + 200};
    crowd.queue("GET /v1/ HTTP/1.1\r\n");
    auto const before = processor_time(id);
    CHECK_FALSE(crowd.run_until([] { return false; }, TimeLimit{3s}));
    CHECK(processor_time(id) - before <= 1500ms);
    CHECK(crowd.ended() < crowd.size()); // the others wait to be accepted
    crowd.close();
    auto const response = fetch(stage.port(), request_for("getPipe").text(), without_tls());
    CHECK(response.status == 200);
    CHECK(stage.gateway.standard_error().find(" accept_paused ") != std::string::npos);
    stage.finish();
}

} // namespace h04_slow_and_greedy

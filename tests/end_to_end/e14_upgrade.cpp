// Upgrades: one program replaces another on the same sockets, and clients do not notice.
#include "tests/end_to_end/expectations.h"
#include "tests/end_to_end/stage.h"
#include "tests/support/admin.h"
#include "tests/support/successor.h"

#include <catch2/catch.hpp>

#include <atomic>
#include <chrono>
#include <csignal>
#include <future>
#include <optional>

namespace e14_upgrade {

using namespace sallyport::test;

TEST_CASE("a successor takes over the listeners, and its predecessor finishes its requests") {
    Event gate;
    Stage stage{[&](UpstreamExchange& exchange) {
        exchange.wait(gate);
        exchange.send(response_text("\"old\""));
    }};
    RawClient running{stage.port()};
    running.send(request_for("getPipe").text());
    stage.upstream.wait_for_requests(1);
    stage.upstream.respond_with({});
    auto const successor = upgrade(
        stage.gateway, [&](int number) { stage.gateway.signal(number); }, 1);
    CHECK(stage.send(request_for("getPipe")).status == 200);
    CHECK(stage.gateway.is_running());
    gate.set();
    CHECK(running.read_response().body == "\"old\"");
    CHECK(stage.gateway.wait_for_exit() == 0);
    CHECK(stage.send(request_for("getPipe")).status == 200);
    successor.signal(SIGTERM);
    CHECK(successor.has_ended(patience));
}

TEST_CASE("an upgrade takes over the admin listener: the successor serves it") {
    Event gate;
    Stage stage{[&](UpstreamExchange& exchange) {
                    exchange.wait(gate);
                    exchange.send(response_text("{}"));
                },
                [](Configuration& configuration) { configuration.rest += admin_section; }};
    auto const port = stage.gateway.admin_port();
    auto const request_readiness = [&] { return request_admin(port, "/readyz"); };
    CHECK(request_readiness().body == "ready\n");
    RawClient running{stage.port()};
    running.send(request_for("getPipe").text());
    stage.upstream.wait_for_requests(1);
    auto const successor = upgrade(
        stage.gateway, [&](int number) { stage.gateway.signal(number); }, 1);
    stage.gateway.wait_for_error_output(
        [](std::string const& text) { return text.find("draining") != std::string::npos; });
    // The predecessor drains, and leaves the response to the serving process.
    for (int i = 0; i < 5; ++i)
        CHECK(request_readiness().body == "ready\n");
    gate.set();
    CHECK(running.read_response().status == 200);
    CHECK(stage.gateway.wait_for_exit() == 0);
    CHECK(request_readiness().body == "ready\n");
    successor.signal(SIGTERM);
    CHECK(successor.has_ended(patience));
}

TEST_CASE("a successor remembers the passwords that its predecessor has verified") {
    // Of `correct horse`, at the least cost.
    std::string const ann = "  - name: ann\n    basic: { key_id: ann, secrets: "
                            "[\"$2b$04$abcdefghijklmnopqrstuujydOTSfIH/d5oUHpsygqV5X9xJLQc6e\"] }\n"
                            "    allow: all\n";
    Stage stage{{},
                [](Configuration& configuration) { configuration.rest += admin_section; },
                {.credentials = standard_credentials() + ann}};
    auto const port = stage.gateway.admin_port();
    auto const right = request_for("getPipe").authorization(basic_of("ann:correct horse"));
    auto const wrong = request_for("getPipe").authorization(basic_of("ann:wrong"));
    CHECK(stage.send(right).status == 200);
    auto const successor = upgrade(
        stage.gateway, [&](int number) { stage.gateway.signal(number); }, 1);
    CHECK(stage.gateway.wait_for_exit() == 0);
    CHECK(stage.send(right).status == 200);
    CHECK(stage.send(wrong).status == 401);
    auto const metrics = request_admin(port, "/metrics").body;
    CHECK(metrics.find("sallyport_password_checks_total{result=\"right\"} 0\n")
          != std::string::npos);
    CHECK(metrics.find("sallyport_password_checks_total{result=\"wrong\"} 1\n")
          != std::string::npos);
    successor.signal(SIGTERM);
    CHECK(successor.has_ended(patience));
}

TEST_CASE("a predecessor that is stopped while its successor loads leaves it the sockets") {
    Stage stage;
    auto const port = stage.port();
    stage.gateway.signal(SIGUSR2);
    stage.gateway.wait_for_error_output(
        [](std::string const& text) { return !successors(text).empty(); });
    Successor const successor{successors(stage.gateway.standard_error()).front()};
    stage.gateway.signal(SIGTERM);
    CHECK(stage.gateway.wait_for_exit() == 0);
    // A new connection waits until it serves, and is not refused.
    CHECK(fetch(port, request_for("getPipe").text()).status == 200);
    successor.signal(SIGTERM);
    CHECK(successor.has_ended(patience));
}

TEST_CASE("a successor that cannot start changes nothing") {
    Stage stage;
    stage.gateway.replace("sallyport.yaml", "listeners: none\n");
    stage.gateway.wait_for_rejected_reloads(1);
    stage.gateway.signal(SIGUSR2);
    stage.gateway.wait_for_error_output(
        [](std::string const& text) { return text.find("upgrade_failed") != std::string::npos; });
    CHECK(stage.send(request_for("getPipe")).status == 200);
    CHECK(stage.gateway.stop() == 0);
}

// Requests on one connection until the gateway closes it. During an upgrade it does so 250 ms after
// the last response: a busy machine may not run a client for so long, and then it finds the
// connection closed (RFC 9112, 9.3).
void use_connection(std::uint16_t port, std::atomic<bool> const& done, std::atomic<int>& good) {
    using Clock = std::chrono::steady_clock;
    constexpr std::chrono::milliseconds idle{200};
    auto const request = request_for("updatePipeSettings").text();
    RawClient client{port};
    for (std::optional<Clock::time_point> last; !done;) {
        auto const begun = Clock::now();
        auto const sent = client.try_send(request);
        bool const was_idle = last && Clock::now() - *last > idle;
        if (sent != End::data && was_idle) return;
        Response response;
        try {
            response = client.read_response();
        } catch (std::exception const&) {
            if (was_idle && client.unread().empty()) return;
            throw;
        }
        if (response.status != 200) throw std::runtime_error(response.body);
        ++good;
        if (response.fields.find("Connection") == "close") return;
        last = begun;
    }
}

TEST_CASE("twenty upgrades under load: no connection is refused and no request fails") {
    Stage stage;
    std::atomic<bool> done{false};
    std::atomic<int> good{0};
    std::vector<std::future<void>> clients;
    for (int number = 0; number < 4; ++number)
        clients.push_back(std::async(std::launch::async, [&] {
            while (!done)
                use_connection(stage.port(), done, good);
        }));
    std::vector<Successor> chain;
    auto const signal = [&](int number) {
        if (chain.empty()) {
            stage.gateway.signal(number);
        } else {
            chain.back().signal(number);
        }
    };
    for (std::size_t number = 1; number <= 20; ++number)
        chain.push_back(upgrade(stage.gateway, signal, number));
    done = true;
    for (auto& client : clients)
        client.get();
    CHECK(good > 0);
    CHECK(stage.gateway.wait_for_exit() == 0);
    chain.back().signal(SIGTERM);
    for (auto const& process : chain)
        CHECK(process.has_ended(patience));
}

} // namespace e14_upgrade

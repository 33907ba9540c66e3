// Upgrades: one program follows another on the same sockets, and no client notices.
#include "tests/end_to_end/expectations.h"
#include "tests/end_to_end/stage.h"
#include "tests/support/admin.h"

#include <catch2/catch.hpp>

#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <future>
#include <regex>

using namespace sallyport::test;

namespace {

// A process that is not our child: watched and ended by its pidfd.
class Successor {
public:
    explicit Successor(pid_t id)
        : id_{id}, descriptor_{static_cast<int>(::syscall(SYS_pidfd_open, id, 0))} {
        REQUIRE(descriptor_.get() >= 0);
    }
    ~Successor() {
        bool const is_ours = descriptor_.get() >= 0; // not moved from
        if (is_ours && !has_ended(std::chrono::milliseconds{0})) ::kill(id_, SIGKILL);
    }
    Successor(Successor&&) = default;

    void signal(int number) const { ::kill(id_, number); }
    bool has_ended(std::chrono::milliseconds within) const {
        return wait_for(descriptor_.get(), -1, TimeLimit{within}) == Waited::happened;
    }

private:
    pid_t id_;
    Descriptor descriptor_;
};

std::vector<pid_t> successors(std::string const& error_output) {
    static std::regex const line{R"(successor_started pid=(\d+)\n)"};
    std::vector<pid_t> found;
    for (std::sregex_iterator at{error_output.begin(), error_output.end(), line}, end; at != end;
         ++at)
        found.push_back(static_cast<pid_t>(std::stol((*at)[1])));
    return found;
}

std::size_t count(std::string const& word, std::string const& text) {
    std::size_t number = 0;
    for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
        ++number;
    return number;
}

// The successor of whoever runs, when it serves. The first of the line may have ended by then.
Successor upgrade(Gateway const& gateway, std::function<void(int)> const& signal,
                  std::size_t number) {
    signal(SIGUSR2);
    TimeLimit const limit;
    FileWatch watch{gateway.folder()};
    for (;;) {
        auto const text = gateway.standard_error();
        if (successors(text).size() == number && count(" ready", text) == number + 1)
            return Successor{successors(text).back()};
        INFO(text);
        REQUIRE(watch.wait(-1, limit) == Waited::happened);
    }
}

} // namespace

TEST_CASE("a successor takes the listeners over, and its predecessor finishes what it began") {
    Event gate;
    Stage stage{[&](UpstreamExchange& exchange) {
        exchange.wait(gate);
        exchange.send(answer("\"old\""));
    }};
    RawClient running{stage.port()};
    running.send(request_for("getPipe").text());
    stage.upstream.wait_for_requests(1);
    stage.upstream.answer_with({});
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

TEST_CASE("an upgrade takes the admin listener along: the successor answers there") {
    Event gate;
    Stage stage{[&](UpstreamExchange& exchange) {
                    exchange.wait(gate);
                    exchange.send(answer("{}"));
                },
                [](Configuration& configuration) { configuration.rest += admin_section; }};
    auto const port = stage.gateway.admin_port();
    auto const ask = [&] { return ask_admin(port, "/readyz"); };
    CHECK(ask().body == "ready\n");
    RawClient running{stage.port()};
    running.send(request_for("getPipe").text());
    stage.upstream.wait_for_requests(1);
    auto const successor = upgrade(
        stage.gateway, [&](int number) { stage.gateway.signal(number); }, 1);
    stage.gateway.wait_for_error_output(
        [](std::string const& text) { return text.find("draining") != std::string::npos; });
    // The predecessor drains, and leaves the answer to who serves.
    for (int i = 0; i < 5; ++i)
        CHECK(ask().body == "ready\n");
    gate.set();
    CHECK(running.read_response().status == 200);
    CHECK(stage.gateway.wait_for_exit() == 0);
    CHECK(ask().body == "ready\n");
    successor.signal(SIGTERM);
    CHECK(successor.has_ended(patience));
}

TEST_CASE("a successor that cannot start leaves everything as it was") {
    Stage stage;
    stage.gateway.replace("sallyport.yaml", "listeners: none\n");
    stage.gateway.wait_for_rejected_reloads(1);
    stage.gateway.signal(SIGUSR2);
    stage.gateway.wait_for_error_output(
        [](std::string const& text) { return text.find("upgrade_failed") != std::string::npos; });
    CHECK(stage.send(request_for("getPipe")).status == 200);
    CHECK(stage.gateway.stop() == 0);
}

TEST_CASE("twenty upgrades under load: no connection is refused and no request fails") {
    Stage stage;
    std::atomic<bool> done{false};
    std::atomic<int> good{0};
    std::vector<std::future<void>> clients;
    for (int number = 0; number < 4; ++number)
        clients.push_back(std::async(std::launch::async, [&] {
            while (!done) {
                RawClient client{stage.port()};
                for (bool open = true; open && !done;) {
                    auto const response = client.exchange(request_for("updatePipeSettings").text());
                    if (response.status != 200) throw std::runtime_error(response.body);
                    ++good;
                    open = response.fields.find("Connection") != "close";
                }
            }
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

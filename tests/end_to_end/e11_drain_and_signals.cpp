// Signals: SIGTERM drains, SIGUSR1 reopens the log, and no request in progress is lost.
#include "tests/end_to_end/expectations.h"
#include "tests/end_to_end/stage.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <future>
#include <sstream>
#include <string>
#include <vector>

#include <sys/wait.h>

namespace e11_drain_and_signals {

using namespace sallyport::test;

namespace {

Change with_drain(std::string const& time) {
    return [time](Configuration& configuration) { configuration.rest += "drain: " + time + "\n"; };
}

// Connections that only test whether the port is open leave lines without a method.
std::ptrdiff_t requests_in(std::vector<Json> const& log) {
    return std::count_if(log.begin(), log.end(),
                         [](Json const& line) { return !line["method"].is_null(); });
}

} // namespace

TEST_CASE("requests in progress at SIGTERM are finished, and no new ones begin") {
    Event gate;
    Stage stage{[&](UpstreamExchange& exchange) {
        exchange.wait(gate);
        exchange.send(response_text("\"finished\""));
    }};
    RawClient idle{stage.port()};
    RawClient running{stage.port()};
    running.send(request_for("createService").text());
    stage.upstream.wait_for_requests(1);
    stage.gateway.signal(SIGTERM);
    wait_until_closed(stage.port());
    CHECK(idle.read_to_end() == End::orderly); // an idle connection does not delay the end
    CHECK(stage.gateway.is_running());
    gate.set();
    auto const response = running.read_response();
    CHECK(response.body == "\"finished\"");
    CHECK(response.fields.find("Connection") == "close");
    CHECK(running.read_to_end() == End::orderly);
    CHECK(stage.gateway.wait_for_exit() == 0);
    CHECK(requests_in(stage.gateway.log()) == 1);
}

TEST_CASE("further signals until the process has ended do not change how it ends") {
    Stage stage;
    siginfo_t gone{};
    for (TimeLimit const limit; gone.si_pid == 0 && !limit.has_passed();) {
        stage.gateway.signal(SIGTERM);
        REQUIRE(::waitid(P_PID, static_cast<id_t>(stage.gateway.id()), &gone,
                         WEXITED | WNOHANG | WNOWAIT)
                == 0);
    }
    CHECK(stage.gateway.wait_for_exit() == 0);
}

TEST_CASE("only the main thread receives signals") {
    Stage stage;
    // The listeners are closed before the workers drain.
    CHECK(stage.send(request_for("getPipe")).status == 200);
    auto const id = std::to_string(stage.gateway.id());
    // The threads to which SIGTERM may be delivered.
    auto const takers = [&] {
        std::vector<std::string> open;
        for (auto const& task : std::filesystem::directory_iterator{"/proc/" + id + "/task"}) {
            std::istringstream status{read_file(task.path() / "status")};
            std::string line;
            while (std::getline(status, line) && line.rfind("SigBlk:", 0) != 0) {
            }
            if (line.empty()) continue; // it has ended meanwhile
            auto const mask = line.substr(line.find_last_of("\t ") + 1);
            auto const blocked = std::stoull(mask, nullptr, 16);
            if ((blocked >> (SIGTERM - 1) & 1) == 0) open.push_back(task.path().filename());
        }
        return open;
    };
    // A thread begins with the signals of its creator, and the loader blocks them itself.
    for (TimeLimit const limit; takers().size() > 1 && !limit.has_passed();) {
    }
    CHECK(takers() == std::vector<std::string>{id});
}

TEST_CASE("an idle client that keeps its side open does not delay a drain") {
    Stage stage{{}, with_drain("3s")};
    RawClient never_used{stage.port()};
    RawClient idle{stage.port()};
    CHECK(idle.exchange(request_for("createService").text()).status == 200);
    stage.gateway.signal(SIGTERM);
    CHECK(stage.gateway.wait_for_exit() == 0); // 1: the drain ended at its time limit
    CHECK(idle.read_to_end() == End::orderly);
    CHECK(never_used.read_to_end() == End::orderly);
}

TEST_CASE("a drain ends at its time limit, and its exit code shows what was cut off") {
    Event gate;
    Stage stage{[&](UpstreamExchange& exchange) { exchange.wait(gate); }, with_drain("500ms")};
    RawClient running{stage.port()};
    running.send(request_for("createService").text());
    stage.upstream.wait_for_requests(1);
    stage.gateway.signal(SIGTERM);
    CHECK(stage.gateway.wait_for_exit() == 1);
    running.read_to_end();
    auto const status_line = running.unread().substr(0, 12);
    CHECK((status_line.empty() || status_line == "HTTP/1.1 503"));
    CHECK(requests_in(stage.gateway.log()) == 1); // nothing is lost from the log
    gate.set();
}

TEST_CASE("a request on a connection of a draining gateway is refused or the connection closed") {
    Event gate;
    Stage stage{[&](UpstreamExchange& exchange) {
        exchange.wait(gate);
        exchange.send(response_text("{}"));
    }};
    RawClient idle{stage.port()};
    RawClient running{stage.port()};
    running.send(request_for("getPipe").text() + request_for("getPipe").text());
    stage.upstream.wait_for_requests(1);
    stage.gateway.signal(SIGTERM);
    // The port is closed before the worker knows.
    CHECK(idle.read_to_end() == End::orderly);
    gate.set();
    auto const first = running.read_response();
    CHECK(first.status == 200);
    running.read_to_end();
    auto const rest = running.unread().substr(0, 12);
    CHECK((rest.empty() || rest == "HTTP/1.1 503"));
    CHECK(stage.upstream.requests().size() == 1);
    CHECK(stage.gateway.wait_for_exit() == 0);
}

TEST_CASE("SIGINT ends it as well, and a second signal does no harm") {
    Stage stage;
    stage.gateway.signal(SIGINT);
    stage.gateway.signal(SIGTERM);
    CHECK(stage.gateway.wait_for_exit() == 0);
}

TEST_CASE("SIGUSR1 reopens the log, and no line is lost or torn") {
    Stage stage;
    RawClient client{stage.port()};
    std::vector<std::string> ids;
    auto const send_one = [&] {
        ids.push_back(client.exchange(request_for("getPipe").text()).fields.one("X-Request-Id"));
    };
    for (int index = 0; index < 10; ++index)
        send_one();
    auto const current = stage.gateway.access_log();
    auto const rotated = current.string() + ".1";
    std::filesystem::rename(current, rotated);
    for (int index = 0; index < 10; ++index)
        send_one();
    stage.gateway.signal(SIGUSR1);
    FileWatch watch{stage.gateway.folder()};
    TimeLimit const limit;
    while (!std::filesystem::exists(current))
        REQUIRE(watch.wait(-1, limit) == Waited::happened);
    for (int index = 0; index < 10; ++index)
        send_one();
    stage.gateway.wait_for_log_of(ids.back());
    CHECK(stage.gateway.stop() == 0);
    auto const before = read_file(rotated);
    auto const after = read_file(current);
    for (auto const& id : ids) {
        auto const is_before = before.find(id) != std::string::npos;
        auto const is_after = after.find(id) != std::string::npos;
        CHECK(is_before != is_after);
    }
    CHECK(before.find(ids.front()) != std::string::npos);
    CHECK(before.back() == '\n');
}

TEST_CASE("SIGUSR1 reopens the log during a drain, too") {
    Event gate;
    Stage stage{[&](UpstreamExchange& exchange) {
        exchange.wait(gate);
        exchange.send(response_text("{}"));
    }};
    RawClient running{stage.port()};
    running.send(request_for("getPipe").text());
    stage.upstream.wait_for_requests(1);
    stage.gateway.signal(SIGTERM);
    wait_until_closed(stage.port());
    auto const current = stage.gateway.access_log();
    std::filesystem::rename(current, current.string() + ".1");
    stage.gateway.signal(SIGUSR1);
    stage.gateway.wait_for_error_output([](std::string const& text) {
        return text.find("access_log_reopened") != std::string::npos;
    });
    gate.set();
    auto const id = running.read_response().fields.one("X-Request-Id");
    CHECK(stage.gateway.wait_for_exit() == 0);
    CHECK(read_file(current).find(id) != std::string::npos);
}

TEST_CASE("SIGUSR1 many times under load loses nothing") {
    Stage stage{{}, [](Configuration& configuration) { configuration.workers = "2"; }};
    constexpr int requests = 200;
    std::vector<std::future<void>> clients;
    for (int number = 0; number < 2; ++number)
        clients.push_back(std::async(std::launch::async, [&stage] {
            RawClient client{stage.port()};
            for (int index = 0; index < requests; ++index)
                client.exchange(request_for("getPipe").text());
        }));
    for (int index = 0; index < 20; ++index) {
        stage.gateway.signal(SIGUSR1);
        stage.send(request_for("getPipe"));
    }
    for (auto& client : clients)
        client.get();
    CHECK(stage.gateway.stop() == 0);
    CHECK(stage.gateway.log().size() == 2 * requests + 20);
}

TEST_CASE("a log that cannot be written is reported once, and requests are served") {
    Stage stage{{}, [](Configuration& configuration) {
                    configuration.access_log = "  output: /dev/full\n";
                }};
    RawClient client{stage.port()};
    for (int index = 0; index < 50; ++index)
        CHECK(client.exchange(request_for("getPipe").text()).status == 200);
    stage.gateway.wait_for_error_output([](std::string const& text) {
        return text.find("/dev/full") != std::string::npos
               || text.find("No space left") != std::string::npos;
    });
    stage.finish();
}

TEST_CASE("SIGHUP with the same files changes nothing for clients") {
    Stage stage;
    RawClient client{stage.port()};
    CHECK(client.exchange(request_for("getPipe").text()).status == 200);
    stage.gateway.signal(SIGHUP);
    CHECK(client.exchange(request_for("getPipe").text()).status == 200);
    CHECK(stage.send(request_for("getPipe")).status == 200);
    CHECK(stage.gateway.is_running());
    stage.finish();
}

} // namespace e11_drain_and_signals

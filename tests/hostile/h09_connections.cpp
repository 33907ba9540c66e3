// Upstreams to which no connection can be made: an error in time, and no request to another server.
#include "tests/hostile/connection_fault.h"
#include "tests/support/admin.h"
#include "tests/support/gateway.h"
#include "tests/support/operations.h"
#include "tests/support/raw_client.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <list>
#include <set>
#include <thread>

namespace h09_connections {

using namespace sallyport::test;

namespace {

// An upstream for each fault, a healthy one, and one gateway in front of all.
struct ConnectionStage {
    ConnectionStage() : faults(connection_faults()), gateway{configure()} {}

    Configuration configure() {
        auto configuration = standard_configuration(upstream);
        configuration.listeners += "  - name: plain\n    address: 127.0.0.1:0\n    tls: off\n";
        for (auto const& fault : faults) {
            endpoints.emplace_back(fault.keyword);
            configuration.upstreams += endpoints.back().yaml(fault.keyword);
            configuration.apis += "  " + fault.keyword + ": { paths: [\"/" + fault.keyword
                                  + "/\"], upstream: " + fault.keyword
                                  + ", authenticate: [basic] }\n";
        }
        configuration.rest += admin_section;
        return configuration;
    }

    std::vector<ConnectionFault> faults;
    RecordingUpstream upstream;
    std::list<FaultyEndpoint> endpoints;
    Gateway gateway;
};

std::string request(ConnectionFault const& fault, std::string_view method) {
    Outgoing outgoing{std::string{method}, "/" + fault.keyword + "/" + std::string{method}};
    outgoing.authorization(basic(administrator));
    if (method == "PUT") outgoing.body(std::string(900'000, 'u'), "application/octet-stream");
    return outgoing.text();
}

// The errors in the responses to each of several methods.
std::string run_fault(ConnectionFault const& fault, std::uint16_t port) {
    std::string problems;
    for (auto const* method : {"GET", "POST", "PUT"}) {
        try {
            RawClient client{port, without_tls()};
            client.try_send(request(fault, method));
            auto const response = client.read_final_response(method);
            auto const reason = Json::parse(response.body).text("reason");
            if (response.status != fault.status || reason != fault.reason)
                problems += std::string{method} + ": " + std::to_string(response.status) + " "
                            + reason + "\n";
        } catch (std::exception const& error) {
            problems += std::string{method} + ": " + error.what() + "\n";
        }
    }
    return problems;
}

} // namespace

TEST_CASE(
    "an unreachable or unverified upstream gets no request, and the client an error in time") {
    ConnectionStage stage;
    CHECK(stage.faults.size() >= 15);
    std::vector<std::string> problems(stage.faults.size());
    auto const begin = std::chrono::steady_clock::now();
    {
        std::list<std::thread> threads;
        for (std::size_t i = 0; i < stage.faults.size(); ++i)
            threads.emplace_back(
                [&, i] { problems[i] = run_fault(stage.faults[i], stage.gateway.port("plain")); });
        // Meanwhile another client is served.
        RawClient other{stage.gateway.port("plain"), without_tls()};
        for (int sent = 0; sent < 50; ++sent)
            CHECK(other.exchange(request_for("getPipe").text()).status == 200);
        for (auto& thread : threads)
            thread.join();
    }
    // Three times the connect time-out of a second, and a margin for a busy machine.
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds{15});
    auto const metrics = metrics_of(stage.gateway);
    auto endpoint = stage.endpoints.begin();
    for (std::size_t i = 0; i < stage.faults.size(); ++i, ++endpoint) {
        CAPTURE(stage.faults[i].name, stage.faults[i].place);
        CHECK(problems[i] == "");
        CHECK(endpoint->requests() == 0);
        // Once for each request: a retry at the same address would only take twice as long. An
        // unknown name leaves no address to connect to.
        auto const& keyword = stage.faults[i].keyword;
        CHECK(endpoint->connections().value_or(3) == 3);
        CHECK(metrics["sallyport_upstream_connect_failures_total{upstream=\"" + keyword + "\"}"]
              == (keyword == "no_name" ? 0 : 3));
        CHECK(metrics["sallyport_upstream_retries_total{upstream=\"" + keyword + "\"}"] == 0);
    }
    CHECK(stage.gateway.stop() == 0);
    // Each has a line with its reason.
    std::multiset<std::string> logged;
    for (auto const& line : stage.gateway.log())
        if (line.text("api") != "management")
            logged.insert(line.text("api") + " " + line.text("status") + " " + line.text("reason")
                          + " " + line.text("retries"));
    for (auto const& fault : stage.faults) {
        CAPTURE(fault.name);
        CHECK(logged.count(fault.keyword + " " + std::to_string(fault.status) + " " + fault.reason
                           + " 0")
              == 3);
    }
}

} // namespace h09_connections

// Session tickets: valid at every worker, across a reload and an upgrade, and for a limited time.
#include "tests/hostile/tls_client.h"
#include "tests/support/gateway.h"
#include "tests/support/machine.h"
#include "tests/support/operations.h"
#include "tests/support/recording_upstream.h"
#include "tests/support/successor.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <csignal>
#include <memory>
#include <vector>

namespace h08_tickets {

using namespace sallyport::test;

namespace {

Configuration configure(RecordingUpstream const& upstream) {
    auto configuration = standard_configuration(upstream);
    configuration.workers = "3";
    return configuration;
}

// One gateway with three workers, and a client with one of its tickets.
struct TicketStage {
    TicketStage(int version, Gateway::Options const& options = {})
        : gateway{configure(upstream), options}, context{lax_context(version)} {
        TlsClient client{gateway.port(), context.get()};
        CHECK(client.connect());
        CHECK_FALSE(client.is_resumed());
        CHECK(client.exchange(valid) == "HTTP/1.1 200 Status"); // the ticket has arrived with it
        session = client.session();
    }

    // Opens that many connections at once, so that every worker gets some; how many are resumed.
    // Tickets that arrive meanwhile are not used.
    [[nodiscard]] std::size_t resumed(std::size_t connections) const {
        std::vector<std::unique_ptr<TlsClient>> clients;
        for (std::size_t i = 0; i < connections; ++i) {
            clients.push_back(
                std::make_unique<TlsClient>(gateway.port(), context.get(), session.get()));
            CHECK(clients.back()->connect());
            CHECK(clients.back()->exchange(valid) == "HTTP/1.1 200 Status");
        }
        return static_cast<std::size_t>(std::count_if(
            clients.begin(), clients.end(), [](auto const& one) { return one->is_resumed(); }));
    }

    std::string valid = request_for("getPipe").text();
    RecordingUpstream upstream;
    Gateway gateway;
    Context context;
    Session session;
};

} // namespace

TEST_CASE("a ticket is valid at every worker, after a reload and after an upgrade") {
    for (auto const version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
        CAPTURE(version);
        TicketStage stage{version};
        CHECK(stage.resumed(9) == 9);

        stage.gateway.signal(SIGHUP);
        stage.gateway.wait_for_reloads(1);
        CHECK(stage.resumed(9) == 9);

        auto const successor = upgrade(
            stage.gateway, [&](int number) { stage.gateway.signal(number); }, 1);
        CHECK(stage.gateway.wait_for_exit() == 0);
        CHECK(stage.resumed(9) == 9);

        successor.signal(SIGTERM);
        CHECK(successor.has_ended(patience));
    }
}

TEST_CASE(
    "a ticket is valid while its key is the current or the previous one, and not afterwards") {
    if (!has_clock_to_set()) return;
    // Both versions: the age of a session is measured by clocks that libfaketime moves as well.
    for (auto const version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
        CAPTURE(version);
        TicketStage stage{version, with_clock_to_set()};
        // Each step creates a key, because requests arrive.
        for (auto const* hours : {"+62m\n", "+119m\n"}) {
            CAPTURE(hours);
            stage.gateway.replace("clock", hours);
            CHECK(stage.resumed(3) == 3);
        }
        stage.gateway.replace("clock", "+182m\n");
        CHECK(stage.resumed(3) == 0);
        CHECK(stage.gateway.stop() == 0);
    }
}

} // namespace h08_tickets

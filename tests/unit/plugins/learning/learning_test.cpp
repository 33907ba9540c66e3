// A fact that is missing is fetched over the network, once for all that wait for it, within their
// time; and what cannot be learned refuses.
#include "tests/unit/pipeline/double.h"
#include "tests/unit/plugins/learning/fact_server.h"
#include "tests/unit/plugins/learning/membership.h"

#include <catch2/catch.hpp>

namespace learning_test {

using namespace sallyport;
using namespace sallyport::pipeline;
using plugins::test::FactServer;
using plugins::test::Membership;
using plugins::test::MembershipService;

namespace {

constexpr auto member = "HTTP/1.1 204 No Content\r\n\r\n";
constexpr auto non_member = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n";

/// One worker: its loop, and the exchanges that it serves at the same time.
struct Worker {
    /// What still waits goes before what it waits at, as when a worker ends.
    ~Worker() { loop.end(); }

    struct Asking {
        Asking(Worker& worker, std::string name)
            : exchange{client, transport, worker.services}, plugin{plugins::test::make_membership(
                                                                worker.service)} {
            caller.name = std::move(name);
            exchange.decision.caller = &caller;
        }
        ClientConnection client;
        pipeline::test::NoTransport transport;
        Identity caller;
        Exchange exchange;
        std::unique_ptr<Plugin> plugin;
        std::string verdict = "waits";
    };

    /// As the pipeline does: calls check(), and awaits what is missing.
    static net::Task<> ask(Asking& asking) {
        auto& exchange = asking.exchange;
        auto verdict = asking.plugin->check(exchange.request, exchange.decision, exchange.services);
        if (verdict.kind() == Verdict::Kind::missing) {
            auto learning =
                asking.plugin->learn(exchange.request, exchange.decision, exchange.services);
            verdict = co_await std::move(learning);
        }
        asking.verdict = verdict.kind() == Verdict::Kind::pass
                             ? "passes"
                             : std::string{to_string(std::move(verdict).take_denial()->reason)};
    }
    Asking& begin(std::string name) {
        asking.push_back(std::make_unique<Asking>(*this, std::move(name)));
        net::test::start(loop, ask(*asking.back()));
        return *asking.back();
    }
    void run_until(std::function<bool()> const& fact) { net::test::run_until(loop, fact); }
    /// Until the server has had so many requests, all in all.
    void wait_for_connections(std::size_t count) {
        run_until([&] { return server.connections() >= count; });
    }
    void wait_for_verdict(Asking const& one) {
        run_until([&] { return one.verdict != "waits"; });
    }

    FactServer server;
    net::Loop loop;
    net::Budget budget{1 << 20};
    Services services{loop, budget, {}};
    MembershipService service{loop, server.port()};
    std::vector<std::unique_ptr<Asking>> asking;
};

} // namespace

TEST_CASE("without a response of the server all that wait are refused, and the next request is "
          "sent again") {
    Worker worker;
    auto& first = worker.begin("ada");
    auto& second = worker.begin("ada");
    worker.wait_for_connections(1);
    worker.server.close();
    worker.wait_for_verdict(first);
    worker.wait_for_verdict(second);
    CHECK(first.verdict == "overloaded");
    CHECK(second.verdict == "overloaded");
    CHECK(worker.server.connections() == 1);
    CHECK(worker.service.known.empty());

    auto& third = worker.begin("ada");
    worker.wait_for_connections(2);
    worker.server.respond(member);
    worker.wait_for_verdict(third);
    CHECK(third.verdict == "passes");
}

TEST_CASE("a server that is not there, or whose response is unclear, means a refusal") {
    Worker refused;
    refused.service.port =
        upstream::test::Listening{1, upstream::test::Listening::Begins::refusing}.port();
    auto& extra = refused.begin("ada");
    refused.wait_for_verdict(extra);
    CHECK(extra.verdict == "overloaded");

    Worker worker;
    auto& asked = worker.begin("ada");
    worker.wait_for_connections(1);
    worker.server.respond("nonsense\r\n\r\n");
    worker.wait_for_verdict(asked);
    CHECK(asked.verdict == "overloaded");
}

TEST_CASE("an exchange waits as long as it may, and the fetch goes on for those behind it") {
    Worker worker;
    worker.service.wait_time = std::chrono::milliseconds{1};
    worker.service.fetch_time = std::chrono::hours{1};
    auto& impatient = worker.begin("ada");
    worker.wait_for_verdict(impatient);
    CHECK(impatient.verdict == "overloaded");
    CHECK(worker.service.flights.size() == 1);

    worker.service.wait_time = std::chrono::hours{1};
    auto& patient = worker.begin("ada");
    worker.wait_for_connections(1);
    worker.server.respond(member);
    worker.wait_for_verdict(patient);
    CHECK(patient.verdict == "passes");
    CHECK(worker.server.connections() == 1);
    CHECK(worker.service.flights.size() == 0);
}

TEST_CASE("a fetch ends within its own time") {
    Worker worker;
    worker.service.fetch_time = std::chrono::milliseconds{1};
    worker.service.wait_time = std::chrono::hours{1};
    auto& asked = worker.begin("ada");
    worker.wait_for_verdict(asked);
    CHECK(asked.verdict == "overloaded");
    CHECK(worker.service.flights.size() == 0);
}

TEST_CASE("the result of the server decides for all that wait, and is fetched once") {
    Worker worker;
    auto& first = worker.begin("ada");
    auto& second = worker.begin("ada");
    worker.wait_for_connections(1);
    CHECK(worker.service.flights.size() == 1);
    worker.server.respond(non_member);
    worker.wait_for_verdict(first);
    worker.wait_for_verdict(second);
    CHECK(first.verdict == "forbidden");
    CHECK(second.verdict == "forbidden");
    auto& third = worker.begin("ada");
    CHECK(third.verdict == "forbidden"); // known from then on
    CHECK(worker.server.connections() == 1);
}

TEST_CASE("facts of different keys are fetched side by side") {
    Worker worker;
    auto& ada = worker.begin("ada");
    worker.wait_for_connections(1);
    auto& bob = worker.begin("bob");
    worker.wait_for_connections(2);
    worker.server.respond(member);
    worker.wait_for_verdict(bob);
    CHECK(bob.verdict == "passes");
    CHECK(ada.verdict == "waits");
}

TEST_CASE("a loop that ends lets go of all that wait") {
    Worker worker;
    worker.begin("ada");
    worker.begin("ada");
    worker.wait_for_connections(1);
    // ~Worker: no exchange is resumed, and nothing refers to what has gone (AddressSanitizer).
}

} // namespace learning_test

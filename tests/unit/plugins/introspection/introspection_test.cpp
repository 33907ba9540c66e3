// Each verdict about tokens that their issuer is asked about, with an issuer that may lie.
#include "plugins/introspection/introspection.h"

#include "gateway/fetch/fetcher.h"
#include "plugins/bearer/bearer.h"
#include "plugins/introspection/settings.h"
#include "tests/support/encodings.h"
#include "tests/unit/fetch/fetch_fixture.h"
#include "tests/unit/pipeline/double.h"
#include "tests/unit/support/snapshot.h"

#include <catch2/catch.hpp>

#include <ctime>
#include <functional>

namespace introspection_test {

using namespace sallyport;
using namespace sallyport::plugins;
using namespace std::chrono_literals;
using fetch::test::Port;
using pipeline::AuthFailure;

namespace {

constexpr std::string_view roles = R"(roles:
  reader: { allow: { operations: [items/getItem] } }
  writer: { allow: { apis: [items] }, deny: [ { id: "${label:org}" } ] }
)";

std::string json(std::string const& body) {
    return fetch::test::with_length(body);
}

std::string active(std::string const& more = {}, int seconds = 600) {
    return json(R"({"active":true,"sub":"alice","org":"o-1","groups":["x"],"exp":)"
                + std::to_string(std::time(nullptr) + seconds) + (more.empty() ? "" : "," + more)
                + "}");
}

std::string const inactive = json(R"({"active":false})");

/// A gateway's snapshot whose API `items` asks an issuer at a port of this test.
class Gateway {
public:
    Gateway(std::uint16_t port, std::string const& more,
            std::string const& authenticate = "introspection") {
        lifecycle::test::Sections sections;
        sections.items =
            ", introspection: { url: \"http://127.0.0.1:" + std::to_string(port)
            + R"(/introspect", client: { id: "gate:way", secret: "s&cret" }, labels: { org: org }, )"
              R"(roles: { always: [reader], claim: groups, mapping: { writers: [writer] } })"
            + more + " }";
        auto const path = lifecycle::test::write(folder_, sections);
        auto text = lifecycle::test::configuration_text(sections);
        text.replace(text.find("authenticate: [basic]"), 21,
                     "authenticate: [" + authenticate + "]");
        folder_.write("sallyport.yaml", text);
        auto const credentials = sallyport::test::read_file(folder_ / "credentials.yaml");
        folder_.write("credentials.yaml", std::string{roles} + credentials);
        snapshot_ = lifecycle::test::load(path);
        plugin_ = make_introspection(api());
    }

    pipeline::Api const& api() const { return *snapshot_->apis.all().front(); }
    pipeline::Plugin& plugin() { return *plugin_; }

private:
    sallyport::test::TemporaryFolder folder_;
    std::shared_ptr<lifecycle::Snapshot const> snapshot_;
    std::unique_ptr<pipeline::Plugin> plugin_;
};

/// One worker and its issuer, which the test plays.
struct Worker {
    /// Its issuer has much time, for a busy machine, where `more` says nothing of it.
    explicit Worker(std::string const& more = {})
        : settings{more.find("timeout:") == std::string::npos ? ", timeout: 30s" + more : more},
          gateway{std::make_unique<Gateway>(port.number(), settings)} {
        services.fetcher = &fetcher;
    }
    ~Worker() {
        fetcher.stop();
        connections.clear();
        loop.end();
    }

    struct Asking {
        Asking(Worker& worker, std::string const& authorization)
            : head{"GET / HTTP/1.1\r\nHost: h\r\n"
                   + (authorization.empty() ? "" : "Authorization: " + authorization + "\r\n")
                   + "\r\n"},
              exchange{client, transport, worker.services} {
            REQUIRE(http::parse_request_head(head, {}, exchange.request.head) == nullptr);
            exchange.decision.api = &worker.gateway->api();
        }
        std::string head;
        pipeline::ClientConnection client;
        pipeline::test::NoTransport transport;
        pipeline::Exchange exchange;
        std::string verdict = "waits";
        std::string note;
        bool has_retry_after = false;
    };

    static net::Task<> ask(pipeline::Plugin& plugin, Asking& asking) {
        auto& exchange = asking.exchange;
        auto& decision = exchange.decision;
        auto verdict = plugin.check(exchange.request, decision, exchange.services);
        if (verdict.kind() == pipeline::Verdict::Kind::missing) {
            auto learning = plugin.learn(exchange.request, decision, exchange.services);
            verdict = co_await std::move(learning);
        }
        if (verdict.kind() == pipeline::Verdict::Kind::abstain) {
            asking.verdict = "abstains";
        } else if (verdict.kind() == pipeline::Verdict::Kind::pass) {
            asking.verdict = decision.caller->name;
        } else {
            auto const denial = std::move(verdict).take_denial();
            asking.note = denial->log_note;
            for (auto const& field : denial->fields)
                asking.has_retry_after = asking.has_retry_after || field.name == "Retry-After";
            asking.verdict = std::string{to_string(denial->reason)} + " "
                             + std::string{to_string(decision.auth_failure)};
        }
    }
    /// `subprotocol`: what came as a subprotocol of WebSocket; empty: nothing did.
    Asking& begin(std::string const& authorization, std::string const& subprotocol = {}) {
        asking.push_back(std::make_unique<Asking>(*this, authorization));
        if (!subprotocol.empty())
            asking.back()->exchange.request.subprotocol_authorization =
                std::make_unique<config::Secret const>(subprotocol);
        net::test::start(loop, ask(gateway->plugin(), *asking.back()));
        return *asking.back();
    }
    std::string wait(Asking const& one) {
        net::test::run_until(loop, [&] { return one.verdict != "waits"; });
        return one.verdict;
    }
    /// The next request of the gateway, whole.
    std::string accept() {
        auto const limit = net::Clock::now() + net::test::hang;
        while (!port.has_connection()) {
            REQUIRE(net::Clock::now() < limit);
            loop.context().run_for(5ms);
            if (loop.context().stopped()) loop.context().restart();
        }
        connections.push_back(std::make_unique<net::PlainStream>(loop, port.accept(), net::Peer{}));
        std::string all;
        auto const length = [&all] {
            auto const at = all.find("Content-Length: ");
            auto const end = all.find("\r\n\r\n");
            if (at == std::string::npos || end == std::string::npos) return std::string::npos;
            return end + 4 + std::stoul(all.substr(at + 16));
        };
        while (all.size() < length()) {
            std::string block(4096, '\0');
            auto const read = net::test::run(loop, connections.back()->read_some(block));
            REQUIRE(read);
            all.append(block, 0, *read);
        }
        return all;
    }
    void respond(std::string_view response) {
        auto const error = net::test::run(loop, connections.back()->write(response));
        CHECK_FALSE(error);
    }
    /// Whether the issuer is asked: nothing has to be waited for.
    std::string ask_known(std::string const& token) {
        auto& one = begin("Bearer " + token);
        return one.verdict;
    }
    /// Asks until what is known of it has become too old, and its issuer is asked.
    void ask_until_unknown(std::string const& token) {
        auto const limit = net::Clock::now() + net::test::hang;
        while (ask_known(token) != "waits") {
            REQUIRE(net::Clock::now() < limit);
            asking.pop_back();
            loop.context().run_for(5ms);
            if (loop.context().stopped()) loop.context().restart();
        }
    }
    std::string ask(std::string const& token, std::string const& response) {
        auto& one = begin("Bearer " + token);
        accept();
        respond(response);
        return wait(one);
    }
    /// The same configuration, loaded anew.
    void reload() { gateway = std::make_unique<Gateway>(port.number(), settings); }

    std::string settings;
    Port port;
    std::unique_ptr<Gateway> gateway;
    fetch::Fetcher fetcher;
    net::Loop loop;
    net::Budget budget{1 << 20};
    pipeline::Services services{loop, budget, {}};
    std::vector<std::unique_ptr<net::Stream>> connections;
    std::vector<std::unique_ptr<Asking>> asking;
};

} // namespace

TEST_CASE("introspection abstains without a field, and of another scheme") {
    Worker worker;
    CHECK(worker.begin("").verdict == "abstains");
    CHECK(worker.begin("Basic aWQ6c2VjcmV0").verdict == "abstains");
    CHECK(worker.begin("Bearer a b").verdict == "unauthenticated malformed");
    CHECK_FALSE(worker.fetcher.has_started());
}

TEST_CASE("an issuer is asked about a token that came as a subprotocol too") {
    Worker worker;
    auto& one = worker.begin("", "Bearer token");
    CHECK(worker.accept().ends_with("\r\n\r\ntoken=token&token_type_hint=access_token"));
    worker.respond(active());
    CHECK(worker.wait(one) == "introspection:alice");
    CHECK(worker.begin("", "Bearer token").verdict == "introspection:alice");
    CHECK(worker.begin("Bearer token", "Bearer token").verdict == "unauthenticated malformed");
}

TEST_CASE("an issuer is asked with the gateway's own credentials, and the token escaped") {
    Worker worker;
    auto& one = worker.begin("Bearer a+b/c==");
    auto const request = worker.accept();
    CHECK(request.starts_with("POST /introspect HTTP/1.1\r\n"));
    // Basic, of gate%3Away:s%26cret.
    CHECK(request.find("\r\nAuthorization: Basic Z2F0ZSUzQXdheTpzJTI2Y3JldA==\r\n")
          != std::string::npos);
    CHECK(request.find("\r\nContent-Type: application/x-www-form-urlencoded\r\n")
          != std::string::npos);
    CHECK(request.ends_with("\r\n\r\ntoken=a%2Bb%2Fc%3D%3D&token_type_hint=access_token"));
    worker.respond(active());
    CHECK(worker.wait(one) == "introspection:alice");
    auto const& decision = one.exchange.decision;
    CHECK(decision.authorization.proof == "a+b/c==");
    CHECK(decision.caller == decision.own_caller.get());
    auto const& labels = decision.caller->labels;
    REQUIRE(labels.size() == 2);
    CHECK(labels[0].name == "org");
    CHECK(pipeline::text_of(labels[0].value) == "o-1");
    // The issuer has not named itself: it is the one that was asked.
    CHECK(labels[1].name == "issuer");
    CHECK(pipeline::text_of(labels[1].value)
          == "http://127.0.0.1:" + std::to_string(worker.port.number()) + "/introspect");
}

TEST_CASE(
    "a token that is active is not asked about again, in whatever spelling, or after a reload") {
    Worker worker;
    CHECK(worker.ask("token", active()) == "introspection:alice");
    CHECK(worker.ask_known("token") == "introspection:alice");
    CHECK(worker.begin("bearer  token").verdict == "introspection:alice");
    worker.reload();
    CHECK(worker.ask_known("token") == "introspection:alice");
    CHECK(worker.ask_known("token2") == "waits");
}

TEST_CASE("a token that is not active is refused, and not asked about again for a while") {
    Worker worker;
    CHECK(worker.ask("token", inactive) == "unauthenticated inactive");
    CHECK(worker.ask_known("token") == "unauthenticated inactive");
    CHECK(worker.ask("expired", active({}, -60)) == "unauthenticated expired");
    CHECK(worker.ask_known("expired") == "unauthenticated expired");
}

TEST_CASE("what an issuer says of a caller has to be complete") {
    Worker worker{", scopes: { required: [read] }"};
    CHECK(worker.ask("1", active()) == "unauthenticated scope");
    CHECK(worker.ask("2", active(R"("scope":"a read")")) == "introspection:alice");
    CHECK(worker.ask("3", json(R"({"active":true,"scope":"read","org":"o"})"))
          == "unauthenticated claim");
    CHECK(worker.ask("4", json(R"({"active":true,"scope":"read","sub":"bob"})"))
          == "unauthenticated claim");
}

TEST_CASE("one request for all that wait for the same token") {
    Worker worker;
    auto& first = worker.begin("Bearer token");
    auto& second = worker.begin("Bearer token");
    worker.accept();
    worker.respond(active());
    CHECK(worker.wait(first) == "introspection:alice");
    CHECK(worker.wait(second) == "introspection:alice");
    CHECK_FALSE(worker.port.has_connection());
}

TEST_CASE("an issuer that lies lets nobody in, and says nothing about the token") {
    struct Row {
        std::string response;
        std::string note;
    };
    auto const row = GENERATE(values<Row>({
        {json("{\"active\":\"true\"}"), "`active` of the answer is no boolean"},
        {json("{\"active\":true,\"active\":true}"), "the answer is no JSON object"},
        {json("[]"), "the answer is no JSON object"},
        {fetch::test::with_length("<html>", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"),
         "media_type"},
        {std::string{fetch::test::json_head} + "Content-Length: 10000000\r\n\r\n", "too_large"},
        {"HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/\r\nContent-Length: 0\r\n\r\n",
         "redirected"},
        {"HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n", "status"},
        {"HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n", "status"},
    }));
    Worker worker;
    CHECK(worker.ask("token", row.response) == "issuer_unavailable unavailable");
    CHECK(worker.asking.back()->note == row.note);
    CHECK(worker.asking.back()->has_retry_after);
    // It is asked again.
    CHECK(worker.ask("token", active()) == "introspection:alice");
}

TEST_CASE("an issuer that is slow holds a request as long as it may, and nothing else") {
    Worker worker{", timeout: 5s"}; // the other one takes less, on a busy machine too
    auto& slow = worker.begin("Bearer token");
    worker.accept();
    CHECK(worker.ask("other", active()) == "introspection:alice");
    CHECK(worker.wait(slow) == "issuer_unavailable unavailable");
    CHECK(slow.note == "timeout");
}

TEST_CASE("without the issuer, tokens that were active go on where that is configured") {
    std::string const down = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n";
    SECTION("as configured") {
        Worker worker{", on_failure: allow_cached, cache: { positive: 1s, negative: 5s }"};
        CHECK(worker.ask("token", active()) == "introspection:alice");
        worker.ask_until_unknown("token");
        worker.accept();
        worker.respond(down);
        CHECK(worker.wait(*worker.asking.back()) == "introspection:alice");
        // Without another wait.
        CHECK(worker.ask_known("token") == "introspection:alice");
        // Nobody else, and the issuer's word ends it.
        CHECK(worker.ask("another", down) == "issuer_unavailable unavailable");
        worker.ask_until_unknown("token");
        worker.accept();
        worker.respond(inactive);
        CHECK(worker.wait(*worker.asking.back()) == "unauthenticated inactive");
    }
    SECTION("never beyond their end") {
        Worker worker{", on_failure: allow_cached, leeway: 0s, cache: { positive: 1h }"};
        CHECK(worker.ask("token", active({}, 6)) == "introspection:alice");
        worker.ask_until_unknown("token");
        worker.accept();
        worker.respond(down);
        CHECK(worker.wait(*worker.asking.back()) == "issuer_unavailable unavailable");
    }
    SECTION("no longer than configured") {
        Worker worker{
            ", on_failure: allow_cached, cache: { positive: 1s, negative: 1s, keep: 1s }"};
        CHECK(worker.ask("token", active()) == "introspection:alice");
        auto const limit = net::Clock::now() + net::test::hang;
        // While its issuer fails it passes, and in the end it does not.
        for (std::string seen = "introspection:alice"; seen != "issuer_unavailable unavailable";) {
            REQUIRE(net::Clock::now() < limit);
            worker.ask_until_unknown("token");
            worker.accept();
            worker.respond(down);
            seen = worker.wait(*worker.asking.back());
        }
    }
    SECTION("not otherwise") {
        Worker worker{", cache: { positive: 1s }"};
        CHECK(worker.ask("token", active()) == "introspection:alice");
        worker.ask_until_unknown("token");
        worker.accept();
        worker.respond(down);
        CHECK(worker.wait(*worker.asking.back()) == "issuer_unavailable unavailable");
    }
}

TEST_CASE("an issuer is asked about so many tokens at once, and as many wait") {
    Worker worker{", pending: 3"};
    // One place is kept for other addresses.
    for (auto const* const field :
         {"Bearer 1", "Bearer 2", "Bearer 3", "Bearer 4", "Bearer 5"})
        CHECK(worker.begin(field).verdict == "waits");
    auto& sixth = worker.begin("Bearer 6");
    CHECK(sixth.verdict == "issuer_unavailable unavailable");
    CHECK(sixth.note == "too many tokens wait for their issuer");
    CHECK(sixth.has_retry_after);
    // One that waits already may have more who wait for it.
    CHECK(worker.begin("Bearer 2").verdict == "waits");
}

TEST_CASE("tokens that were active wait beyond those that never were") {
    Worker worker{", pending: 1, cache: { positive: 1s }"};
    CHECK(worker.ask("known", active()) == "introspection:alice");
    worker.begin("Bearer 1");
    worker.accept();
    worker.ask_until_unknown("known");
    worker.accept();
    worker.respond(active());
    CHECK(worker.wait(*worker.asking.back()) == "introspection:alice");
    CHECK(worker.begin("Bearer 2").verdict == "waits");
    CHECK(worker.begin("Bearer 3").verdict == "issuer_unavailable unavailable");
}

TEST_CASE("with too many that wait, tokens that were active go on where that is configured") {
    Worker worker{", pending: 1, on_failure: allow_cached, cache: { positive: 1s }"};
    CHECK(worker.ask("known", active()) == "introspection:alice");
    CHECK(worker.ask("other", active()) == "introspection:alice");
    worker.begin("Bearer 1");
    worker.accept();
    worker.ask_until_unknown("other");
    worker.accept();
    // Both places are taken, and the answer about this one is older.
    CHECK(worker.ask_known("known") == "introspection:alice");
    CHECK_FALSE(worker.port.has_connection());
}

TEST_CASE("a client beyond its budget of wrong tokens asks its issuer nothing") {
    Worker worker{", cache: { positive: 1s }"};
    pipeline::FailedAuthentication failed{[](pipeline::BeganBlock const&) {}};
    failed.configure({1, 1h, 1h, 1h}, {1, 1h, 1h, 1h}, {});
    CHECK(worker.ask("known", active()) == "introspection:alice");
    worker.services.failed_authentication = &failed;
    CHECK(worker.ask("wrong", inactive) == "unauthenticated inactive");
    for (int i = 0; i < 2; ++i) // as the pipeline does
        static_cast<void>(failed.count(worker.asking.back()->exchange.request,
                                       worker.asking.back()->exchange.decision));
    auto& refused = worker.begin("Bearer other");
    CHECK(refused.verdict == "rate_limited unavailable");
    CHECK(refused.has_retry_after);
    // One that was active is asked about.
    worker.ask_until_unknown("known");
}

TEST_CASE("APIs that ask the same issuer share what it says, and judge it by their own rules") {
    Worker worker{", audience: items"};
    CHECK(worker.ask("token", active(R"("aud":"things")")) == "unauthenticated claim");
    worker.settings = ", audience: things";
    worker.reload();
    CHECK(worker.ask_known("token") == "introspection:alice");
    worker.settings = ", audience: items";
    worker.reload();
    CHECK(worker.ask_known("token") == "unauthenticated claim");
}

TEST_CASE("a denied token is refused without asking, also if it was active, in every spelling") {
    Worker worker;
    CHECK(worker.ask("token", active()) == "introspection:alice");
    auto const line = "sha256:" + sallyport::test::sha256_hex("token") + "\n";
    auto read = pipeline::DeniedSecrets::read(line);
    REQUIRE(read.wrong_line == 0);
    worker.services.denied_secrets =
        std::make_shared<pipeline::DeniedSecrets const>(std::move(read.list));
    worker.services.known_tokens.reset(); // as a worker does
    for (auto const* const spelling : {"token", "token=", "token==", "TOKEN"})
        CHECK(worker.ask_known(spelling) == "unauthenticated denied");
}

TEST_CASE("a signed token in another spelling is refused without asking") {
    Worker worker;
    std::string const in_front = "eyJhbGciOiJFUzUxMiJ9.e30.";
    CHECK(worker.ask(in_front + "AA", active()) == "introspection:alice");
    // `AAA` is another signature, of two bytes.
    for (std::string const same : {"AA=", "AA==", "AAAAA", "AAA=", "AB", "AA.", "AA.AA"}) {
        CAPTURE(same);
        CHECK(worker.ask_known(in_front + same) == "unauthenticated malformed");
    }
    CHECK_FALSE(worker.port.has_connection());
}

TEST_CASE("with bearer in front, a token of the store is not asked about, and others are") {
    Port const port;
    Gateway gateway{port.number(), {}, "bearer, introspection"};
    auto const bearer = make_bearer(gateway.api());
    pipeline::test::Fixture unknown{"GET / HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer x\r\n\r\n"};
    unknown.exchange.decision.api = &gateway.api();
    CHECK(unknown.ask(*bearer).kind() == pipeline::Verdict::Kind::abstain);
    CHECK(unknown.exchange.decision.auth_failure == AuthFailure::unknown);
    CHECK(unknown.ask(gateway.plugin()).kind() == pipeline::Verdict::Kind::missing);
}

TEST_CASE("without introspection bearer refuses what the store does not have") {
    pipeline::test::Fixture unknown{"GET / HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer x\r\n\r\n"};
    auto const table = std::make_shared<pipeline::CredentialTable const>();
    unknown.api.credentials = table;
    unknown.api.authenticate = {"bearer"};
    auto const bearer = make_bearer(unknown.api);
    CHECK(unknown.ask(*bearer).kind() == pipeline::Verdict::Kind::deny);
    CHECK(unknown.exchange.decision.auth_failure == AuthFailure::unknown);
}

} // namespace introspection_test

// One caller that uses all resources it can get: other callers are served without delay, and as long
// as there are none it gets nearly everything.
#include "tests/hostile/crowd.h"
#include "tests/hostile/greedy_stage.h"

#include "tests/support/admin.h"
#include "tests/support/encodings.h"
#include "tests/support/http2_client.h"
#include "tests/support/operations.h"
#include "tests/support/token_signer.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

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

// What one caller gets of the connections, if there is no other.
bool has_all_but_an_eighth(GreedyStage const& stage) {
    auto const expected = static_cast<double>(connections() - connections() / 8);
    return counted(stage, "connections", ",state=\"active\"") == expected;
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
        CHECK(comes_true([&] { return has_all_but_an_eighth(stage); }));
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
    // As much as eight bodies of one caller would take without a share: it gets all but an eighth.
    GreedyStage stage{"  buffered_bodies: 8MiB\n"};
    auto const as = [](Key const& key) {
        auto request = request_for("updatePipeSettings");
        return request.set("Authorization", basic(key));
    };
    OtherClients const others{stage, as(enterprise).text()};
    constexpr std::size_t size = 1'000'000;
    Crowd crowd{stage.port(), 16};
    crowd.queue(as(administrator).set("Content-Length", std::to_string(size)).head()
                + std::string(600'000, ' '));
    REQUIRE(crowd.run_until([&] { return crowd.sent_all() == crowd.size(); }, TimeLimit{20s}));
    crowd.queue(std::string(1000, ' '), 1);
    others.check_while(crowd, 50ms);
    CHECK(stage.buffered_bytes() <= 7UL << 20);
    CHECK(stage.buffered_bytes() > 4UL << 20);
    CHECK(crowd.received("HTTP/1.1 503 ") > 0);
    CHECK(crowd.received("HTTP/1.1 503 ") < crowd.size());
    CHECK(comes_true([&] {
        return stage.gateway.standard_error().find("limits.buffered_bodies_per_caller is used up")
               != std::string::npos;
    }));
    crowd.close();
    stage.finish();
}

// A gateway that takes tokens of an issuer, and tokens with wrong signatures for it.
class TokenStage {
public:
    explicit TokenStage(std::string algorithm)
        : algorithm_{std::move(algorithm)}, signer_{algorithm_}, signature_{sign()},
          gateway_{configure(), {.credentials = "roles:\n  all: { allow: all }\n"
                                                + standard_credentials(),
                                 .files = {{"keys.json", key_set({signer_.jwk()})}}}} {}

    [[nodiscard]] Gateway const& gateway() const { return gateway_; }
    // Each is another one.
    std::string request_with_wrong_token() {
        auto const payload = R"({"iss":"i","aud":"a","jti":")" + std::to_string(++made_) + "\"}";
        return "GET /guarded/x HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
               + encode_base64url(signer_.header()) + '.' + encode_base64url(payload) + '.'
               + signature_ + "\r\n\r\n";
    }
    // The median wait of another client while `attack` runs.
    template <class Attack>
    void check_others_while(Attack attack) {
        Event never;
        auto const measure = [&](auto const& meanwhile) {
            Probe probe{gateway_.port("plain")};
            meanwhile();
            return probe.stop_and_measure();
        };
        auto const quiet = measure([&] { never.wait(-1, TimeLimit{500ms}); });
        auto const attacked = measure(attack);
        std::cout << algorithm_ << ": others wait " << quiet.count() << " ms, in the attack "
                  << attacked.count() << " ms\n";
        CHECK(attacked <= quiet + most_added);
    }

private:
    std::string sign() const {
        auto const signed_by_another = TokenSigner{algorithm_}.token("{}");
        return signed_by_another.substr(signed_by_another.rfind('.') + 1);
    }
    Configuration configure() const {
        auto configuration = standard_configuration(upstream_);
        configuration.listeners += "  - name: plain\n    address: 127.0.0.1:0\n    tls: off\n";
        configuration.apis +=
            "  guarded: { paths: [\"/guarded/\"], upstream: management, authenticate: [jwt], jwt: "
            "{ issuer: i, audience: a, algorithms: ["
            + algorithm_ + "], keys: { file: keys.json }, roles: { always: [all] } } }\n";
        configuration.rest += admin_section;
        return configuration;
    }

    RecordingUpstream upstream_;
    std::string algorithm_;
    TokenSigner signer_;
    std::string signature_;
    Gateway gateway_;
    std::size_t made_ = 0;
};

TEST_CASE("wrong tokens that are sent at once delay no other client") {
    constexpr std::size_t each = 2000;
    TokenStage stage{"ES256"};
    std::string requests;
    for (std::size_t i = 0; i < each; ++i)
        requests += stage.request_with_wrong_token();
    stage.check_others_while([&] {
        Crowd crowd{stage.gateway().port("plain"), 8};
        crowd.queue(requests);
        auto const is_over = [&] {
            return std::all_of(crowd.members().begin(), crowd.members().end(), [](auto const& one) {
                constexpr std::size_t least_response = 200;
                return one.ended || one.received_size >= each * least_response;
            });
        };
        CHECK(crowd.run_until(is_over, TimeLimit{60s}));
        CHECK(crowd.received("HTTP/1.1 401 ") == crowd.size());
    });
}

TEST_CASE("streams of HTTP/2 with wrong tokens of a costly key delay no other client") {
    TokenStage stage{"ES384"};
    stage.check_others_while([&] {
        std::vector<std::unique_ptr<Http2Client>> clients;
        for (int i = 0; i < 16; ++i) {
            auto& client = *clients.emplace_back(
                std::make_unique<Http2Client>(stage.gateway().port("public")));
            // The second response shows that the acknowledgement of SETTINGS has been read, which
            // has a time limit, and these clients read only while they wait.
            client.wait_for_ping();
            client.wait_for_ping();
        }
        std::vector<std::vector<std::uint32_t>> streams;
        for (auto const& client : clients) {
            auto& begun = streams.emplace_back();
            for (int j = 0; j < 100; ++j)
                begun.push_back(client->begin(stage.request_with_wrong_token()));
        }
        for (std::size_t i = 0; i < clients.size(); ++i)
            for (auto const stream : streams[i]) {
                auto const status = clients[i]->read_response(stream).message.status;
                // Beyond the queue they are refused.
                CHECK((status == 401 || status == 429));
            }
    });
    CHECK(metrics_of(stage.gateway())["sallyport_password_checks_total{result=\"wrong\"}"] > 0);
}

} // namespace h11_fairness

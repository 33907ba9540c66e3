// Clients that send many wrong credentials, and those that share their address.
#include "tests/end_to_end/stage.h"
#include "tests/support/admin.h"
#include "tests/support/encodings.h"
#include "tests/support/machine.h"

#include <catch2/catch.hpp>

#include <chrono>
#include <regex>
#include <thread>

namespace e47_wrong_credentials {

using namespace sallyport::test;

namespace {

// A trusted proxy names the client of each request.
struct Guarded {
    explicit Guarded(std::string const& keys, std::string const& entries = {})
        : stage{{},
                [&](Configuration& configuration) {
                    configuration.rest += admin_section;
                    configuration.rest += section(keys);
                    configuration.listeners += "  - { name: edge, address: \"127.0.0.1:0\", "
                                               "tls: off, trusted_proxies: [127.0.0.1] }\n";
                },
                {.credentials = standard_credentials() + entries}} {}

    static std::string section(std::string const& keys) {
        return "failed_authentication: { " + keys + " }\n";
    }
    [[nodiscard]] Response send(Outgoing request, std::string_view client) const {
        if (!client.empty()) request.add("X-Forwarded-For", client);
        return fetch(stage.gateway.port("edge"), request.text(), without_tls());
    }
    [[nodiscard]] Response send_wrong(std::string_view client,
                                      std::string_view id = administrator.id) const {
        return send(request_for("getPipe").authorization(basic({id, "wrong"})), client);
    }
    [[nodiscard]] int status_of_wrong(std::string_view client) const {
        return send_wrong(client).status;
    }
    [[nodiscard]] int status_of_right(std::string_view client) const {
        return send(request_for("getPipe").authorization(basic(administrator)), client).status;
    }
    void wait_for_event(std::string const& text) const {
        stage.gateway.wait_for_error_output(
            [&text](std::string const& output) { return output.find(text) != std::string::npos; });
    }

    Stage stage;
};

// Of `correct horse`, at the least cost.
std::string const ann = "  - name: ann\n    basic: { key_id: ann, secrets: "
                        "[\"$2b$04$abcdefghijklmnopqrstuujydOTSfIH/d5oUHpsygqV5X9xJLQc6e\"] }\n"
                        "    allow: all\n";

// As deploy/credentials.md has it for fail2ban, whose <HOST> is an address.
std::regex documented_failregex() {
    auto const page = read_file(sources() / "deploy/credentials.md");
    constexpr std::string_view key = "failregex = ";
    auto const begin = page.find(key);
    REQUIRE(begin != std::string::npos);
    auto const end = page.find('\n', begin);
    auto text = page.substr(begin + key.size(), end - begin - key.size());
    constexpr std::string_view host = "<HOST>";
    auto const at = text.find(host);
    REQUIRE(at != std::string::npos);
    text.replace(at, host.size(), "([0-9a-f.:]+)");
    return std::regex{text, std::regex::ECMAScript | std::regex::multiline};
}

} // namespace

TEST_CASE("beyond per_address wrong credentials get 429 for first_block, and right ones pass") {
    Guarded guarded{"per_address: 3, first_block: 1h, longest_block: 1h"};
    for (auto i = 0; i < 3; ++i)
        CHECK(guarded.status_of_wrong("192.0.2.1") == 401);
    auto const refused = guarded.send_wrong("192.0.2.1");
    CHECK(refused.status == 429);
    CHECK(refused.fields.one("Retry-After") == "3600");
    CHECK(refused.fields.one("X-RateLimit-Reset") == "3600");
    CHECK(refused.fields.one("RateLimit-Limit") == "3");
    CHECK(refused.fields.count("WWW-Authenticate") == 0);
    CHECK(Json::parse(refused.body).text("reason") == "rate_limited");
    auto const line = guarded.stage.log_of(refused);
    CHECK(line.text("reason") == "rate_limited");
    CHECK(line.text("auth_failure") == "wrong_secret");
    CHECK(line.text("client") == "192.0.2.1");
    // Nothing tells that one of the two ids is there.
    CHECK(guarded.send_wrong("192.0.2.1", "nobody").body.size() == refused.body.size());
    guarded.wait_for_event("client_blocked client=192.0.2.1 for_ms=3600000 blocks=1 left_out=0");
    std::smatch match;
    auto const output = guarded.stage.gateway.standard_error();
    REQUIRE(std::regex_search(output, match, documented_failregex()));
    CHECK(match[1] == "192.0.2.1");

    CHECK(guarded.status_of_right("192.0.2.1") == 200);
    CHECK(guarded.send(request_for("getPipe").without("Authorization"), "192.0.2.1").status == 401);
    CHECK(guarded.status_of_wrong("192.0.2.2") == 401);
    CHECK(guarded.stage.upstream.requests().size() == 1);
    auto const metrics = metrics_of(guarded.stage.gateway);
    CHECK(metrics["sallyport_authentication_blocks_total{of=\"address\"}"] == 1);
    guarded.stage.finish();
}

TEST_CASE("an IPv6 network of 64 bits has one budget") {
    Guarded guarded{"per_address: 1, first_block: 1h, longest_block: 1h"};
    CHECK(guarded.status_of_wrong("2001:db8:0:1::1") == 401);
    CHECK(guarded.status_of_wrong("2001:db8:0:1:ffff::2") == 429);
    CHECK(guarded.status_of_wrong("2001:db8:0:2::1") == 401);
    guarded.stage.finish();
}

TEST_CASE("guesses of one key id are bounded, and then not verified") {
    Guarded guarded{"per_id: 2, first_block: 1h, longest_block: 1h", ann};
    auto const send = [&guarded](std::string_view client, std::string_view proof) {
        return guarded.send(request_for("getPipe").authorization(basic_of(std::string{proof})),
                            client);
    };
    // From wherever they come; the key id of nobody has a budget too.
    for (auto const* const id : {"ann", "bob"}) {
        auto const guess = std::string{id} + ":a guess";
        CHECK(send("192.0.2.1", guess).status == 401);
        CHECK(send("192.0.2.2", guess).status == 401);
        CHECK(send("192.0.2.3", guess).status == 429);
    }
    guarded.wait_for_event(
        "credential_blocked credential=ann client=192.0.2.3 for_ms=3600000 blocks=1 left_out=0");
    CHECK(guarded.stage.gateway.standard_error().find("bob") == std::string::npos);
    auto const verified = [&guarded] {
        return metrics_of(
            guarded.stage.gateway)["sallyport_password_checks_total{result=\"wrong\"}"];
    };
    // An address without failures has one attempt.
    CHECK(send("192.0.2.4", "ann:a guess").status == 429);
    auto const before = verified();
    auto const blocked = send("192.0.2.4", "ann:correct horse");
    CHECK(blocked.status == 429);
    auto const line = guarded.stage.log_of(blocked);
    CHECK(line.text("auth_failure") == "unavailable");
    CHECK(line.text("auth_rule").find("credentials.yaml:") != std::string::npos);
    // What is left of the hour that began three requests ago.
    auto const left = std::stoi(std::string{blocked.fields.one("Retry-After")});
    CHECK(left > 3540);
    CHECK(left <= 3600);
    CHECK(verified() == before);
    auto const metrics = metrics_of(guarded.stage.gateway);
    CHECK(metrics["sallyport_authentication_blocks_total{of=\"id\"}"] == 2);
    // Generated secrets cannot be guessed: theirs is found before.
    CHECK(guarded.status_of_right("192.0.2.5") == 200);
    guarded.stage.finish();
}

TEST_CASE("guesses of others, once in each block, do not lock the owner of a key id out") {
    Guarded guarded{"per_id: 2, window: 1h, first_block: 1ms, longest_block: 1h", ann};
    auto const send = [&guarded](std::string_view client, std::string_view proof) {
        auto const request =
            request_for("getPipe").authorization(basic_of("ann:" + std::string{proof}));
        return guarded.send(request, client).status;
    };
    TimeLimit const limit;
    auto const is_blocked_for_long = [&guarded] {
        auto const output = guarded.stage.gateway.standard_error();
        return output.find("credential_blocked credential=ann client=192.0.2.1 for_ms=4096")
               != std::string::npos;
    };
    // As soon as a block ends, the next one begins, twice as long.
    while (!is_blocked_for_long() && !limit.has_passed())
        static_cast<void>(send("192.0.2.1", "a guess"));
    REQUIRE(is_blocked_for_long());
    CHECK(send("192.0.2.1", "correct horse") == 429);
    CHECK(send("192.0.2.9", "correct horse") == 200);
    CHECK(send("192.0.2.9", "correct horse") == 200);
    // It is remembered for every address.
    CHECK(send("192.0.2.1", "correct horse") == 200);
    guarded.stage.finish();
}

TEST_CASE("a password that is remembered passes while its key id is blocked") {
    Guarded guarded{"per_id: 1, first_block: 1h, longest_block: 1h", ann};
    auto const send = [&guarded](std::string_view proof) {
        return guarded
            .send(request_for("getPipe").authorization(basic_of(std::string{proof})), "192.0.2.1")
            .status;
    };
    CHECK(send("ann:correct horse") == 200);
    CHECK(send("ann:a guess") == 401);
    CHECK(send("ann:another guess") == 429);
    CHECK(send("ann:correct horse") == 200);
    guarded.stage.finish();
}

TEST_CASE("clients of this machine are not blocked unless `except` is without them") {
    auto const first = GENERATE(true, false);
    Guarded guarded{std::string{"per_address: 1, first_block: 1h, longest_block: 1h"}
                    + (first ? "" : ", except: [192.0.2.0/24]")};
    CHECK(guarded.status_of_wrong("") == 401);
    CHECK(guarded.status_of_wrong("") == (first ? 401 : 429));
    CHECK(guarded.status_of_wrong("192.0.2.1") == 401);
    CHECK(guarded.status_of_wrong("192.0.2.1") == (first ? 429 : 401));
    guarded.stage.finish();
}

TEST_CASE("each block is twice as long as the one before, up to longest_block") {
    Guarded guarded{"per_address: 1, window: 1h, first_block: 1ms, longest_block: 3ms"};
    TimeLimit const limit;
    auto const has_four = [&guarded] {
        return guarded.stage.gateway.standard_error().find("blocks=4") != std::string::npos;
    };
    while (!has_four() && !limit.has_passed())
        static_cast<void>(guarded.status_of_wrong("192.0.2.1"));
    guarded.wait_for_event("client=192.0.2.1 for_ms=1 blocks=1 ");
    guarded.wait_for_event("client=192.0.2.1 for_ms=2 blocks=2 ");
    guarded.wait_for_event("client=192.0.2.1 for_ms=3 blocks=3 ");
    guarded.wait_for_event("client=192.0.2.1 for_ms=3 blocks=4 ");
    guarded.stage.finish();
}

TEST_CASE("failures are counted within the window, by the limits of the last reload") {
    Guarded guarded{"per_address: 1, window: 1ms"};
    for (auto i = 0; i < 3; ++i) {
        CHECK(guarded.status_of_wrong("192.0.2.1") == 401);
        auto const since = std::chrono::steady_clock::now();
        while (std::chrono::steady_clock::now() - since < std::chrono::milliseconds{2})
            std::this_thread::yield();
    }
    auto const text = read_file(guarded.stage.gateway.folder() / "sallyport.yaml");
    auto const before = Guarded::section("per_address: 1, window: 1ms");
    auto const at = text.find(before);
    REQUIRE(at != std::string::npos);
    auto changed = text;
    changed.replace(at, before.size(), Guarded::section("per_address: 2, window: 1h"));
    guarded.stage.gateway.replace("sallyport.yaml", changed);
    guarded.wait_for_event(" reloaded ");
    CHECK(guarded.status_of_wrong("192.0.2.9") == 401);
    CHECK(guarded.status_of_wrong("192.0.2.9") == 401);
    CHECK(guarded.status_of_wrong("192.0.2.9") == 429);
    guarded.stage.finish();
}

} // namespace e47_wrong_credentials

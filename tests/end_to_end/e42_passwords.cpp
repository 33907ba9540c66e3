// Passwords: slow hashes of the file of credentials and of htpasswd files, verified once, in a
// bounded queue.
#include "tests/end_to_end/prepared.h"

#include "tests/support/admin.h"
#include "tests/support/encodings.h"
#include "tests/support/time_limit.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <csignal>
#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace e42_passwords {

using namespace sallyport::test;

namespace {

constexpr std::string_view password = "correct horse";

// Of that password, with parameters that are low for the sake of the test.
constexpr std::string_view argon2id =
    "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$REiRt35dHGtMWJ/p+5b5FBn+NMuLR8SFnoCU9BlDUHE";
constexpr std::string_view bcrypt = "$2b$04$abcdefghijklmnopqrstuujydOTSfIH/d5oUHpsygqV5X9xJLQc6e";
constexpr std::string_view yescrypt = "$y$j75$abcdefgh$Jakf0CHhzdQOivqISxvBXCIRIaxY0Fs1wJGsJSurry/";
constexpr std::string_view sha512 =
    "$6$rounds=1000$saltsaltsalt$Dt0JGUnDdc4DdUjlyySCHRPx7U2pABqWbPrinz5ntgKXqDPocxu0xlsHum4."
    "yrEVleQdkaDZxTsKnM8ZF88Lz1";
// Of another one: verifying takes more than a second.
constexpr std::string_view costly = "$2b$14$abcdefghijklmnopqrstuujydOTSfIH/d5oUHpsygqV5X9xJLQc6e";
constexpr std::string_view slower = "$2b$12$abcdefghijklmnopqrstuujydOTSfIH/d5oUHpsygqV5X9xJLQc6e";
constexpr std::string_view sha1 = "{SHA}VBPuJHI7uixaa6LQGWx4s+5GKNE=";
constexpr std::string_view apr1 = "$apr1$r31.....$HqJZimcKQFAMYayBlzkrA/";
constexpr std::string_view password_of_users = "myPassword"; // of the two above

std::string entry(std::string_view name, std::string_view hash) {
    std::string out{"  - name: "};
    out.append(name).append("\n    basic: { key_id: ").append(name).append(", secrets: [\"");
    return out.append(hash).append("\"] }\n    allow: all\n");
}

Change with_htpasswd() {
    return [](Configuration& configuration) {
        configuration.credentials = "credentials.yaml, htpasswd: users.htpasswd";
        configuration.rest += admin_section;
    };
}

std::string user(std::string_view name, std::string_view hash) {
    return std::string{name} + ':' + std::string{hash} + '\n';
}

Outgoing pipe_of(std::string_view key_id, std::string_view secret) {
    return request_for("getPipe").authorization(
        basic_of(std::string{key_id} + ':' + std::string{secret}));
}

int status_of(Stage const& stage, std::string_view key_id, std::string_view secret = password) {
    return stage.send(pipe_of(key_id, secret)).status;
}

double checks(Stage const& stage, std::string_view result) {
    return metrics_of(
        stage.gateway)["sallyport_password_checks_total{result=\"" + std::string{result} + "\"}"];
}

void wait_until(std::function<bool()> const& fact) {
    TimeLimit const limit;
    while (!fact())
        REQUIRE_FALSE(limit.has_passed());
}

/// A hash that takes long, and one that does not. `limits`: of the configuration.
struct Busy {
    explicit Busy(std::string const& limits)
        : stage{{},
                both(with_limits(limits + "\n  head_time: 1m"),
                     [](Configuration& configuration) { configuration.rest += admin_section; }),
                {.credentials =
                     standard_credentials() + entry("costly", costly) + entry("quick", bcrypt)}} {}
    Stage stage;
};

} // namespace

TEST_CASE("wrong passwords are refused like other wrong secrets, and say why in the log alone") {
    Stage stage{{},
                [](Configuration& configuration) { configuration.rest += admin_section; },
                {.credentials = standard_credentials() + entry("argon", argon2id)
                                + entry("blowfish", bcrypt)}};
    auto const plain = stage.send(pipe_of(administrator.id, "wrong"));
    for (auto const& [key_id, secret, failure] : {std::tuple{"argon", "wrong", "wrong_secret"},
                                                  {"argon", "", "wrong_secret"},
                                                  {"nobody", "correct horse", "unknown"},
                                                  {"blowfish", "correct hors", "wrong_secret"}}) {
        CAPTURE(key_id, secret);
        auto const refused = stage.send(pipe_of(key_id, secret));
        CHECK(refused.status == 401);
        CHECK(refused.body.size() == plain.body.size());
        CHECK(refused.fields.one("WWW-Authenticate") == plain.fields.one("WWW-Authenticate"));
        CHECK(stage.log_of(refused).text("auth_failure") == failure);
    }
    // Of bcrypt's 72 bytes none is taken for more.
    CHECK(status_of(stage, "blowfish", std::string{password} + std::string(100, 'x')) == 401);
    CHECK(checks(stage, "right") == 0);
    CHECK(checks(stage, "wrong") == 6); // the first one, too
    stage.finish();
}

TEST_CASE("a password of each kind of hash is right, and verified once") {
    Stage stage{{},
                [](Configuration& configuration) {
                    configuration.workers = "2";
                    configuration.rest += admin_section;
                },
                {.credentials = standard_credentials() + entry("argon", argon2id)
                                + entry("blowfish", bcrypt) + entry("yes", yescrypt)
                                + entry("sha", sha512)}};
    for (int times = 0; times < 4; ++times) {
        for (auto const* const key_id : {"argon", "blowfish", "yes", "sha"}) {
            auto const response = stage.send(pipe_of(key_id, password));
            CAPTURE(key_id);
            CHECK(response.status == 200);
            CHECK(stage.log_of(response).text("credential") == key_id);
        }
    }
    CHECK(checks(stage, "right") == 4);
    CHECK(metrics_of(stage.gateway)["sallyport_passwords_remembered"] == 4);
    // Secrets with fast hashes need none.
    CHECK(status_of(stage, administrator.id, administrator.secret) == 200);
    CHECK(checks(stage, "right") == 4);
    stage.finish();
    CHECK(stage.gateway.every_written_byte().find(password) == std::string::npos);
}

TEST_CASE("while the queue is full unknown passwords get 429, and known callers pass") {
    for (int const threads : {1, 2}) {
        Busy busy{"hashing_threads: " + std::to_string(threads) + "\n  hashing_queue: 1"};
        auto& stage = busy.stage;
        CHECK(status_of(stage, "quick") == 200);
        // So many are verified, one waits; what comes besides has no place.
        std::vector<std::unique_ptr<RawClient>> clients;
        for (int i = 0; i < 6; ++i) {
            clients.push_back(std::make_unique<RawClient>(stage.port()));
            clients.back()->send(pipe_of("costly", "wrong " + std::to_string(i)).text());
        }
        std::string const refusals =
            "sallyport_password_checks_refused_total{cause=\"queue_full\"}";
        wait_until([&] { return metrics_of(stage.gateway)[refusals] > 0; });
        CHECK(status_of(stage, "quick") == 200);
        CHECK(status_of(stage, administrator.id, administrator.secret) == 200);
        // Neither of them has waited for the first.
        CHECK(checks(stage, "wrong") == 0);
        int refused = 0;
        for (auto const& client : clients) {
            auto const response = client->read_final_response();
            if (response.status == 401) continue;
            ++refused;
            CHECK(response.status == 429);
            CHECK_FALSE(response.fields.one("Retry-After").empty());
            auto const line = stage.log_of(response);
            CHECK(line.text("reason") == "rate_limited");
            CHECK(line.text("auth_failure") == "unavailable");
            CHECK(line.text("auth_rule").find("credentials.yaml:") != std::string::npos);
        }
        // As many run; one more if a thread took its question before the next one came.
        CHECK(refused >= 5 - threads);
        CHECK(refused <= 5);
        stage.gateway.wait_for_error_output([](std::string const& text) {
            return text.find("limits.hashing_queue is full") != std::string::npos;
        });
        stage.finish();
    }
}

TEST_CASE("an address that fills the queue delays the password of another by one verification") {
    // A trusted proxy names the client of each request.
    Stage stage{{},
                both(with_limits("hashing_threads: 1\n  hashing_queue: 8\n  head_time: 1m"),
                     [](Configuration& configuration) {
                         configuration.rest += admin_section;
                         configuration.listeners += "  - { name: edge, address: \"127.0.0.1:0\", "
                                                    "tls: off, trusted_proxies: [127.0.0.1] }\n";
                     }),
                {.credentials = standard_credentials() + entry("slower", slower)
                                + entry("quick", bcrypt)}};
    auto const from = [&](std::string_view address, Outgoing request) {
        auto client = std::make_unique<RawClient>(stage.gateway.port("edge"), without_tls());
        client->send(request.add("X-Forwarded-For", address).text());
        return client;
    };
    std::vector<std::unique_ptr<RawClient>> clients;
    for (int i = 0; i < 12; ++i)
        clients.push_back(from("192.0.2.1", pipe_of("slower", "wrong " + std::to_string(i))));
    std::string const refusals = "sallyport_password_checks_refused_total{cause=\"queue_full\"}";
    wait_until([&] { return metrics_of(stage.gateway)[refusals] > 0; });
    auto const before = checks(stage, "wrong");
    auto const other = from("192.0.2.2", pipe_of("quick", password));
    CHECK(other->read_final_response().status == 200);
    // The one that was running, and one of the queue; another one may have ended just before.
    CHECK(checks(stage, "wrong") <= before + 3);
    // What no client waits for any more is not verified.
    clients.clear();
    stage.finish();
}

TEST_CASE("a client that leaves while its password is verified, and a drain, disturb nobody") {
    Busy busy{"hashing_threads: 1\n  hashing_queue: 1"};
    auto& stage = busy.stage;
    auto const waiting = [&] {
        return metrics_of(stage.gateway)["sallyport_password_checks_waiting"];
    };
    {
        RawClient leaving{stage.port()};
        leaving.send(pipe_of("costly", "wrong").text());
        RawClient second{stage.port()};
        second.send(pipe_of("costly", "another").text());
        wait_until([&] { return waiting() == 1; });
    }
    RawClient client{stage.port()};
    wait_until([&] { return waiting() == 0; });
    client.send(pipe_of("quick", password).text());
    wait_until([&] { return waiting() == 1 || checks(stage, "right") == 1; });
    stage.gateway.signal(SIGTERM);
    CHECK(client.read_final_response().status == 200);
    CHECK(stage.gateway.wait_for_exit() == 0);
}

TEST_CASE("users of an htpasswd file may do what the file of credentials says of them") {
    Stage stage{{},
                with_htpasswd(),
                {.credentials = "htpasswd:\n  allow: { operations: [management/getPipe] }\n"
                                + standard_credentials(),
                 .files = {{"users.htpasswd", "# staff\n" + user("ann", bcrypt) + user("bob", apr1)
                                                  + user("old", sha1)}}}};
    CHECK(status_of(stage, "ann") == 200);
    CHECK(status_of(stage, "bob", password_of_users) == 200);
    CHECK(status_of(stage, "old", password_of_users) == 200);
    CHECK(status_of(stage, "old", "wrong") == 401);
    CHECK(status_of(stage, administrator.id, administrator.secret) == 200);
    auto const forbidden = stage.send(
        request_for("listServiceBackups").authorization(basic_of("ann:" + std::string{password})));
    CHECK(forbidden.status == 403);
    CHECK(stage.log_of(forbidden).text("credential") == "ann");

    // A change is in force within its time; a file with an error leaves the users as they are.
    stage.gateway.replace("users.htpasswd", user("bob", apr1) + user("eve", bcrypt));
    stage.gateway.wait_for_reloads(1);
    CHECK(status_of(stage, "ann") == 401);
    CHECK(status_of(stage, "bob", password_of_users) == 200);
    CHECK(status_of(stage, "eve") == 200);
    stage.gateway.replace("users.htpasswd", user("bob", apr1) + "eve:hunter2\n");
    stage.gateway.wait_for_rejected_reloads(1);
    CHECK(status_of(stage, "eve") == 200);
    auto const output = stage.gateway.standard_error();
    CHECK(output.find("users.htpasswd:2:5: no hash that is known") != std::string::npos);
    CHECK(output.find("hunter2") == std::string::npos);
    // Another hash is another password.
    stage.gateway.replace("users.htpasswd", user("eve", sha1));
    stage.gateway.wait_for_reloads(2);
    CHECK(status_of(stage, "eve") == 401);
    CHECK(status_of(stage, "eve", password_of_users) == 200);
    stage.finish();
}

TEST_CASE("what takes the last caller, secret or permission away is applied") {
    std::string const credentials = "htpasswd:\n  allow: { operations: [management/getPipe] }\n";
    Stage stage{{},
                with_htpasswd(),
                {.credentials = credentials + standard_credentials(),
                 .files = {{"users.htpasswd", user("ann", bcrypt)}}}};
    auto const administrators = [&stage] {
        return status_of(stage, administrator.id, administrator.secret);
    };
    REQUIRE(status_of(stage, "ann") == 200);
    REQUIRE(administrators() == 200);
    stage.gateway.replace("users.htpasswd", "");
    stage.gateway.wait_for_reloads(1);
    CHECK(status_of(stage, "ann") == 401);
    CHECK(administrators() == 200);
    stage.gateway.replace("credentials.yaml", credentials + "credentials:\n");
    stage.gateway.wait_for_reloads(2);
    CHECK(administrators() == 401);
    // Nor do permissions stay.
    stage.gateway.replace("users.htpasswd", user("ann", bcrypt));
    stage.gateway.wait_for_reloads(3);
    CHECK(status_of(stage, "ann") == 200);
    stage.gateway.replace("credentials.yaml", "htpasswd: { allow: { operations: [] } }\n");
    stage.gateway.wait_for_reloads(4);
    CHECK(status_of(stage, "ann") == 403);
    stage.gateway.replace("credentials.yaml", "# no users\n");
    stage.gateway.wait_for_reloads(5);
    CHECK(status_of(stage, "ann") == 401);
    stage.finish();
}

TEST_CASE("check warns of hashes that are guessed quickly, and commands know the users") {
    Prepared prepared;
    prepared.configuration.credentials = "credentials.yaml, htpasswd: users.htpasswd";
    prepared.write();
    prepared.folder.write("credentials.yaml", "htpasswd: { allow: all }\n" + standard_credentials()
                                                  + entry("low", bcrypt) + entry("few", yescrypt)
                                                  + entry("old", sha512));
    prepared.folder.write("users.htpasswd",
                          user("ann", apr1) + user("bob", sha1) + user("cid", sha1));
    auto const checked = prepared.check();
    CAPTURE(checked.output, checked.error);
    CHECK(checked.exit_code == 0);
    CHECK(checked.output.find("users.htpasswd:1:1: warning: \"ann\" has a hash of apr1: who reads "
                              "this file guesses passwords quickly")
          != std::string::npos);
    CHECK(checked.output.find("users.htpasswd:2:1: warning: \"bob\", and 1 more of this file, has "
                              "a hash of {SHA}")
          != std::string::npos);
    for (auto const* const warned :
         {"\"low\" has a hash of bcrypt", "\"few\" has a hash of yescrypt",
          "\"old\" has a hash of sha512"}) {
        CAPTURE(warned);
        CHECK(checked.output.find(std::string{warned} + " with parameters so low that")
              != std::string::npos);
    }

    auto const run = [&](std::vector<std::string> words) {
        words.insert(words.end(), {"-c", "sallyport.yaml"});
        return run_gateway(words, {}, prepared.folder.path());
    };
    auto const list = run({"credential", "list"});
    CHECK(list.output.find("cid\n  basic, key id cid\n  may: all\n") != std::string::npos);
    CHECK(run({"access", "--credential", "ann"}).exit_code == 0);
    auto const revoked = run({"credential", "revoke", "--name", "ann"});
    CHECK(revoked.exit_code == 1);
    CHECK(revoked.error.find("users.htpasswd:1 with htpasswd(1)") != std::string::npos);

    prepared.folder.write("users.htpasswd", "ann:hunter2\n");
    auto const wrong = prepared.check();
    CHECK(wrong.exit_code == 1);
    CHECK(wrong.output.find("users.htpasswd:1:5: no hash that is known") != std::string::npos);
    CHECK(wrong.output.find("hunter2") == std::string::npos);
}

TEST_CASE("credential hash makes a hash of each kind that a file takes") {
    Prepared prepared;
    std::string entries;
    for (auto const* const kind : {"argon2id", "bcrypt", "yescrypt", "sha512"}) {
        auto const made =
            run_gateway({"credential", "hash", "--kind", kind}, std::string{password} + "\n");
        CAPTURE(kind, made.output, made.error);
        REQUIRE(made.exit_code == 0);
        REQUIRE(made.output.ends_with('\n'));
        entries += entry(kind, made.output.substr(0, made.output.size() - 1));
        CHECK(run_gateway({"credential", "hash", "--kind", kind}, "short").exit_code == 1);
    }
    prepared.folder.write("credentials.yaml", standard_credentials() + entries);
    auto const checked = prepared.check();
    CAPTURE(checked.output);
    CHECK(checked.exit_code == 0);
    CHECK(checked.output.find("guesses") == std::string::npos);
    CHECK(run_gateway({"credential", "hash", "--kind", "bcrypt"}, std::string(73, 'a')).exit_code
          == 1);
    CHECK(run_gateway({"credential", "hash", "--kind", "md5"}, std::string{password}).exit_code
          != 0);
}

} // namespace e42_passwords

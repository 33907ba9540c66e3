// Basic credentials whose secrets have slow hashes: they are verified once, then known.
#include "gateway/pipeline/password_checks.h"
#include "plugins/basic/basic.h"
#include "plugins/bearer/bearer.h"

#include "tests/unit/net/harness.h"
#include "tests/unit/pipeline/double.h"

#include <catch2/catch.hpp>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>

namespace password_test {

using namespace sallyport;
using namespace sallyport::plugins;
using pipeline::AuthFailure;
using pipeline::PasswordChecks;
using pipeline::Verdict;

namespace {

using WallClock = std::chrono::system_clock;

constexpr std::string_view right_field = "Basic aWQ6YS1yaWdodC1zZWNyZXQ=";
constexpr std::string_view wrong_field = "Basic aWQ6d3Jvbmc=";
constexpr std::string_view unknown_field = "Basic b3RoZXI6YS1yaWdodC1zZWNyZXQ=";
constexpr std::string_view fast_field = "Basic ZmFzdDphLXJpZ2h0LXNlY3JldA==";
constexpr std::string_view wrong_fast_field = "Basic ZmFzdDp3cm9uZw==";

secrets::StoredHash slow_hash(std::string_view cost = "04") {
    return *secrets::parse_hash("$2b$" + std::string{cost}
                                    + "$abcdefghijklmnopqrstuuHlY.AhZbM9tdlaR5tpTNv3GCPHENPRm",
                                secrets::From::credentials)
                .hash;
}

/// What is common to the requests of a process: `id` has a slow hash, `fast` a fast one.
struct Process {
    Process() { use_table({}); }
    ~Process() { checks.stop(); }

    struct Changes {
        std::vector<secrets::StoredHash> slow{slow_hash()};
        std::optional<WallClock::time_point> expires = {};
        bool disabled = false;
    };
    /// As a reload does.
    void use_table(Changes changes) {
        pipeline::Credential slow;
        slow.identity.name = "slow";
        slow.slow = std::move(changes.slow);
        slow.expires = changes.expires;
        slow.disabled = changes.disabled;
        pipeline::Sha256 sha256;
        pipeline::Credential fast;
        fast.identity.name = "fast";
        fast.digests.fill(sha256("a-right-secret"));
        table = std::make_shared<pipeline::CredentialTable>();
        table->add("basic", {"id"}, slow);
        table->add("basic", {"fast"}, fast);
    }

    std::atomic<int> verified{0};
    // The secret of every hash.
    PasswordChecks checks{{1, 4, std::chrono::hours{1}},
                          [this](secrets::StoredHash const& hash, std::string_view secret) {
                              ++verified;
                              return hash == slow_hash() && secret == "a-right-secret"
                                         ? secrets::Verified::right
                                         : secrets::Verified::wrong;
                          }};
    std::shared_ptr<pipeline::CredentialTable> table;
};

struct Asked : pipeline::test::Fixture {
    Asked(Process& process, std::string_view field)
        : Fixture{"GET / HTTP/1.1\r\nHost: h\r\nAuthorization: " + std::string{field}
                  + "\r\n\r\n"} {
        api.credentials = process.table;
        services.passwords = &process.checks;
    }

    /// Of check(), then of learn() behind a comma, if it is called: "missing, slow".
    std::string ask(std::unique_ptr<pipeline::Plugin> plugin) {
        auto verdict = Fixture::ask(*plugin);
        if (verdict.kind() != Verdict::Kind::missing) return words_of(std::move(verdict));
        auto learned =
            net::test::run(loop, plugin->learn(exchange.request, exchange.decision, services));
        return "missing, " + words_of(std::move(learned));
    }
    std::string ask() { return ask(make_basic(api)); }

    std::string words_of(Verdict verdict) {
        switch (verdict.kind()) {
        case Verdict::Kind::deny: {
            auto const denial = std::move(verdict).take_denial();
            std::string words{to_string(denial->reason)};
            for (auto const& field : denial->fields)
                words.append(" ").append(field.name).append(": ").append(field.value);
            return words;
        }
        case Verdict::Kind::abstain: return "abstains";
        case Verdict::Kind::missing: return "missing again";
        case Verdict::Kind::pass: break;
        }
        return exchange.decision.caller == nullptr ? "nobody" : exchange.decision.caller->name;
    }
    AuthFailure failure() { return exchange.decision.auth_failure; }
};

} // namespace

TEST_CASE("a wrong password, and one of an unknown key id, cost the same work and are denied") {
    Process process;
    Asked wrong{process, wrong_field};
    CHECK(wrong.ask() == "missing, unauthenticated");
    CHECK(wrong.failure() == AuthFailure::wrong_secret);
    CHECK(process.verified == 1);
    Asked unknown{process, unknown_field};
    CHECK(unknown.ask() == "missing, unauthenticated");
    CHECK(unknown.failure() == AuthFailure::unknown);
    CHECK(process.verified == 2);
    // Nothing is remembered of them.
    CHECK(Asked{process, wrong_field}.ask() == "missing, unauthenticated");
    CHECK(process.verified == 3);
    // A wrong secret of a fast hash as well.
    Asked fast{process, wrong_fast_field};
    CHECK(fast.ask() == "missing, unauthenticated");
    CHECK(fast.failure() == AuthFailure::wrong_secret);
    CHECK(process.verified == 4);
}

TEST_CASE("while one key id has two slow hashes, each wrong password costs two verifications") {
    Process process;
    process.use_table({{slow_hash("05"), slow_hash("06")}});
    for (auto const field : {wrong_field, unknown_field, wrong_fast_field}) {
        process.verified = 0;
        CHECK(Asked{process, field}.ask() == "missing, unauthenticated");
        CHECK(process.verified == 2);
    }
    CHECK(process.table->slow()->costliest == slow_hash("06"));
}

TEST_CASE("a right password that is disabled, expired or denied is denied after the same work") {
    Process process;
    process.use_table({{slow_hash()}, WallClock::now() - std::chrono::hours{1}, false});
    for (int times = 1; times <= 2; ++times) {
        Asked expired{process, right_field};
        CHECK(expired.ask() == "missing, unauthenticated");
        CHECK(expired.failure() == AuthFailure::expired);
        CHECK(process.verified == times);
    }
    process.use_table({{slow_hash()}, {}, true});
    Asked disabled{process, right_field};
    CHECK(disabled.ask() == "missing, unauthenticated");
    CHECK(disabled.failure() == AuthFailure::disabled);
    CHECK(process.verified == 3);

    process.use_table({});
    Asked denied{process, right_field};
    auto read = pipeline::DeniedSecrets::read(
        "sha256:209c63f3f1a3e47839e1b2f72747e31e1d6bf544d3d6a23320fdbfd3e647aa67");
    denied.services.denied_secrets =
        std::make_shared<pipeline::DeniedSecrets const>(std::move(read.list));
    CHECK(denied.ask() == "missing, unauthenticated");
    CHECK(denied.failure() == AuthFailure::denied);
    CHECK(process.verified == 4);

    // Neither does the first of two hashes end the work.
    process.use_table({{slow_hash("05"), slow_hash("06")}, {}, true});
    process.verified = 0;
    CHECK(Asked{process, right_field}.ask() == "missing, unauthenticated");
    CHECK(process.verified == 2);
    process.use_table({{slow_hash("05"), slow_hash("06")}});
    process.verified = 0;
    Asked two{process, right_field};
    two.services.denied_secrets = denied.services.denied_secrets;
    CHECK(two.ask() == "missing, unauthenticated");
    CHECK(process.verified == 2);
}

TEST_CASE("a right password is verified once: later requests, workers and reloads know it") {
    Process process;
    Asked first{process, right_field};
    CHECK(first.ask() == "missing, slow");
    CHECK(first.exchange.decision.authorization.scheme == "Basic");
    CHECK(first.exchange.decision.authorization.proof == right_field.substr(6));
    CHECK(first.ask() == "slow"); // of the worker's own cache
    CHECK(process.checks.numbers().known == 0);
    Asked other_worker{process, right_field};
    CHECK(other_worker.ask() == "slow");
    CHECK(process.checks.numbers().known == 1);
    process.use_table({});
    CHECK(Asked{process, right_field}.ask() == "slow");
    CHECK(process.verified == 1);
    CHECK(Asked{process, wrong_field}.ask() == "missing, unauthenticated");
}

TEST_CASE("a changed hash is verified again, and one that expires meanwhile is denied") {
    Process process;
    CHECK(Asked{process, right_field}.ask() == "missing, slow");
    process.use_table({{slow_hash("05")}});
    CHECK(Asked{process, right_field}.ask() == "missing, unauthenticated");
    process.use_table({});
    CHECK(Asked{process, right_field}.ask() == "slow");
    process.use_table({{slow_hash()}, WallClock::now() - std::chrono::hours{1}, false});
    Asked expired{process, right_field};
    CHECK(expired.ask() == "missing, unauthenticated");
    CHECK(expired.failure() == AuthFailure::expired);
}

TEST_CASE("without room for a verification a request is refused for now") {
    Process process;
    process.checks.set({1, 0, std::chrono::hours{1}});
    Asked wrong{process, wrong_field};
    CHECK(wrong.ask()
          == "missing, rate_limited Retry-After: 1 RateLimit-Limit: 0 RateLimit-Remaining: 0 "
             "RateLimit-Reset: 1 X-RateLimit-Reset: 1");
    CHECK(wrong.failure() == AuthFailure::unavailable);
    process.checks.set({1, 1, std::chrono::hours{1}});
    CHECK(Asked{process, right_field}.ask() == "missing, slow");
    process.checks.set({1, 0, std::chrono::hours{1}});
    // One that is known waits for nothing, and neither does a fast hash.
    CHECK(Asked{process, right_field}.ask() == "slow");
    CHECK(Asked{process, fast_field}.ask() == "fast");
}

TEST_CASE("a table without slow hashes, and tokens, are verified at once") {
    Process process;
    Asked token{process, "Bearer a-wrong-token"};
    CHECK(token.ask(make_bearer(token.api)) == "unauthenticated");
    process.table = std::make_shared<pipeline::CredentialTable>();
    CHECK(process.table->slow() == nullptr);
    CHECK(Asked{process, wrong_field}.ask() == "unauthenticated");
    CHECK(process.verified == 0);
}

} // namespace password_test

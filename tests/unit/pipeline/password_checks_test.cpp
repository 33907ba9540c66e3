// Passwords are verified beside the loops: once for all that ask at a time, in a bounded queue, and
// not again while they are remembered.
#include "gateway/pipeline/password_checks.h"

#include "tests/unit/net/harness.h"

#include <catch2/catch.hpp>

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <sched.h>

namespace password_checks_test {

using namespace sallyport;
using pipeline::PasswordChecks;
using pipeline::PasswordQuestion;
using pipeline::PasswordResult;
using secrets::StoredHash;
using secrets::Verified;

namespace {

/// Verifications that wait until they are let through. The secret of a hash is `right`.
class Gate {
public:
    Verified verify(std::string_view secret) {
        std::unique_lock lock{mutex_};
        ++begun_;
        changed_.notify_all();
        changed_.wait(lock, [&] { return is_open_; });
        if (secret == "no memory") throw std::bad_alloc{};
        return secret == "right" ? Verified::right : Verified::wrong;
    }
    void open() {
        std::lock_guard const lock{mutex_};
        is_open_ = true;
        changed_.notify_all();
    }
    void wait_for(std::size_t begun) {
        std::unique_lock lock{mutex_};
        REQUIRE(changed_.wait_for(lock, net::test::hang, [&] { return begun_ >= begun; }));
    }
    std::size_t begun() {
        std::lock_guard const lock{mutex_};
        return begun_;
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::size_t begun_ = 0;
    bool is_open_ = false;
};

StoredHash hash_of(int number) {
    std::string const cost = number < 10 ? "0" + std::to_string(number) : std::to_string(number);
    return *secrets::parse_hash("$2b$" + cost
                                    + "$abcdefghijklmnopqrstuujydOTSfIH/d5oUHpsygqV5X9xJLQc6e",
                                secrets::From::credentials)
                .hash;
}

struct Fixture {
    explicit Fixture(PasswordChecks::Limits limits = {1, 2, std::chrono::hours{1}})
        : checks{limits, [this](StoredHash const&, std::string_view secret) {
                     return gate.verify(secret);
                 }} {}
    ~Fixture() {
        gate.open();
        checks.stop();
        loop.end();
    }

    PasswordQuestion question(std::string_view key_id, std::string_view secret,
                              std::vector<StoredHash> const& hashes, std::size_t decoys = 0) {
        PasswordQuestion out;
        auto const digest = sha256(secret);
        for (auto const& hash : hashes)
            out.hashes.push_back({hash, checks.tag_of(hash, digest, sha256)});
        out.decoys.resize(decoys, hash_of(4));
        out.secret = config::Secret{secret};
        out.key = checks.key_of(key_id, digest, out, sha256);
        return out;
    }

    using Result = std::optional<PasswordResult>;
    std::shared_ptr<Result> ask(net::Loop& on, std::string_view key_id, std::string_view secret,
                                std::size_t decoys = 0) {
        auto result = std::make_shared<Result>();
        net::test::start(
            on, keep(checks.check(on, 1, question(key_id, secret, {hash_of(5)}, decoys)), result));
        return result;
    }
    std::shared_ptr<Result> ask(std::string_view key_id, std::string_view secret) {
        return ask(loop, key_id, secret);
    }
    std::shared_ptr<Result> ask_from(net::OwnerKey from, PasswordChecks::Question question) {
        auto result = std::make_shared<Result>();
        net::test::start(loop, keep(checks.check(loop, from, std::move(question)), result));
        return result;
    }
    std::shared_ptr<Result> ask_from(net::OwnerKey from, std::string_view key_id) {
        return ask_from(from, question(key_id, "wrong", {hash_of(5)}));
    }
    static net::Task<> keep(net::Task<PasswordResult> task, std::shared_ptr<Result> result) {
        *result = co_await std::move(task);
    }
    PasswordResult await(std::shared_ptr<Result> const& result) {
        net::test::run_until(loop, [&] { return result->has_value(); });
        return **result;
    }
    bool is_remembered(std::string_view secret, StoredHash const& hash) {
        return checks.is_remembered(checks.tag_of(hash, sha256(secret), sha256));
    }

    Gate gate;
    net::Loop loop;
    pipeline::Sha256 sha256;
    PasswordChecks checks;
};

} // namespace

TEST_CASE("beyond the queue a password is refused at once, and one that is asked for is not") {
    Fixture fixture; // one is verified, two wait
    auto const first = fixture.ask("a", "wrong");
    fixture.gate.wait_for(1);
    auto const second = fixture.ask("b", "right");
    auto const third = fixture.ask("c", "wrong");
    CHECK(fixture.checks.numbers().waiting == 2);
    CHECK(fixture.await(fixture.ask("d", "right")) == PasswordResult::queue_full);
    CHECK(fixture.checks.numbers().refused == 1);
    // The same question as one that waits takes no place.
    auto const again = fixture.ask("b", "right");
    CHECK_FALSE(again->has_value());
    CHECK(fixture.checks.seconds_until_room() == 1); // of nothing that was measured
    fixture.gate.open();
    CHECK(fixture.await(first) == PasswordResult::wrong);
    CHECK(fixture.await(second) == PasswordResult::right);
    CHECK(fixture.await(third) == PasswordResult::wrong);
    CHECK(fixture.await(again) == PasswordResult::right);
    CHECK(fixture.gate.begun() == 3);
    auto const numbers = fixture.checks.numbers();
    CHECK(numbers.waiting == 0);
    CHECK(numbers.right == 1);
    CHECK(numbers.wrong == 2);
    CHECK(numbers.busy.count() > 0);
}

TEST_CASE("addresses are served in turn, however many passwords one of them has sent") {
    Fixture fixture{{1, 8, std::chrono::hours{1}}};
    auto const first = fixture.ask_from(1, "a");
    fixture.gate.wait_for(1);
    std::vector<std::shared_ptr<Fixture::Result>> of_greedy;
    for (auto const* const key_id : {"b", "c", "d", "e"})
        of_greedy.push_back(fixture.ask_from(1, key_id));
    auto const of_other = fixture.ask_from(2, "f");
    fixture.gate.open();
    CHECK(fixture.await(of_other) == PasswordResult::wrong);
    // The results come in the order of the verifications: one of the greedy one, and its own.
    CHECK(of_greedy[0]->has_value());
    CHECK(fixture.await(of_greedy[3]) == PasswordResult::wrong);
}

TEST_CASE("one address fills the queue alone, and loses places in it to others") {
    Fixture fixture{{1, 3, std::chrono::hours{1}}};
    auto const first = fixture.ask_from(1, "a");
    fixture.gate.wait_for(1);
    auto const second = fixture.ask_from(1, "b");
    auto const third = fixture.ask_from(1, "c");
    auto const last = fixture.ask_from(1, "d");
    CHECK(fixture.await(fixture.ask_from(1, "e")) == PasswordResult::queue_full);
    auto const of_other = fixture.ask_from(2, "f");
    CHECK(fixture.await(last) == PasswordResult::queue_full);
    CHECK(fixture.checks.numbers().waiting == 3);
    CHECK(fixture.checks.numbers().refused == 2);
    // With as many of each there is no more to be taken away.
    auto const more = fixture.ask_from(2, "g");
    CHECK(fixture.await(more) == PasswordResult::queue_full);
    CHECK_FALSE(third->has_value());
    fixture.gate.open();
    for (auto const& one : {first, second, third, of_other})
        CHECK(fixture.await(one) == PasswordResult::wrong);
}

TEST_CASE("a signature by a costly key waits with the passwords, and is verified beside the loops") {
    Fixture fixture{{1, 8, std::chrono::hours{1}}};
    auto const first = fixture.ask_from(1, "a");
    fixture.gate.wait_for(1);
    auto const worker = std::this_thread::get_id();
    auto const ask = [&](std::string_view name, auto verifies) {
        return fixture.ask_from(2, pipeline::SignatureQuestion{verifies, fixture.sha256(name)});
    };
    std::atomic<int> verified = 0;
    auto const right = ask("right", [&] { return ++verified, std::this_thread::get_id() != worker; });
    auto const again = ask("right", [] { return false; });
    auto const wrong = ask("wrong", [] { return false; });
    auto const failed = ask("failed", []() -> bool { throw std::bad_alloc{}; });
    CHECK(fixture.checks.numbers().waiting == 3);
    fixture.gate.open();
    CHECK(fixture.await(failed) == PasswordResult::failed);
    CHECK(fixture.await(right) == PasswordResult::right);
    CHECK(fixture.await(again) == PasswordResult::right);
    CHECK(fixture.await(wrong) == PasswordResult::wrong);
    CHECK(verified == 1);
    CHECK(fixture.await(first) == PasswordResult::wrong);
}

TEST_CASE("a password that is not verified in time is refused, and takes no place any more") {
    Fixture fixture{{1, 1, std::chrono::hours{1}}};
    auto const first = fixture.ask("a", "right");
    fixture.gate.wait_for(1);
    fixture.checks.set({1, 1, std::chrono::milliseconds{1}});
    CHECK(fixture.await(fixture.ask("b", "right")) == PasswordResult::too_slow);
    CHECK(fixture.checks.numbers().too_slow == 1);
    CHECK(fixture.checks.numbers().waiting == 0);
    // One that is being verified goes on, and is remembered.
    CHECK(fixture.await(fixture.ask("a", "right")) == PasswordResult::too_slow);
    fixture.gate.open();
    CHECK(fixture.await(first) == PasswordResult::right);
    CHECK(fixture.gate.begun() == 1);
    CHECK(fixture.is_remembered("right", hash_of(5)));
}

TEST_CASE("without memory no password is right, and none is called wrong") {
    Fixture fixture;
    fixture.gate.open();
    CHECK(fixture.await(fixture.ask("a", "no memory")) == PasswordResult::failed);
    CHECK(fixture.checks.numbers().failed == 1);
    CHECK(fixture.await(fixture.ask("a", "right")) == PasswordResult::right);
}

TEST_CASE("a wrong secret costs its decoys too, and one that is right ends at its hash") {
    Fixture fixture;
    fixture.gate.open();
    CHECK(fixture.await(fixture.ask(fixture.loop, "a", "wrong", 2)) == PasswordResult::wrong);
    CHECK(fixture.gate.begun() == 3);
    CHECK(fixture.await(fixture.ask(fixture.loop, "a", "right", 2)) == PasswordResult::right);
    CHECK(fixture.gate.begun() == 4);
    // An unknown key id has decoys alone, for which even a right secret is wrong.
    auto unknown = fixture.question("?", "right", {}, 3);
    CHECK(net::test::run(fixture.loop, fixture.checks.check(fixture.loop, 1, std::move(unknown)))
          == PasswordResult::wrong);
    CHECK(fixture.gate.begun() == 7);
}

TEST_CASE("a secret that is refused even if it is right costs all hashes and decoys") {
    Fixture fixture;
    fixture.gate.open();
    for (auto const& secret : {"right", "wrong"}) {
        auto question = fixture.question("a", secret, {hash_of(5), hash_of(6)}, 2);
        question.ends_at_right = false;
        auto const before = fixture.gate.begun();
        auto const result =
            net::test::run(fixture.loop, fixture.checks.check(fixture.loop, 1, std::move(question)));
        CHECK((result == PasswordResult::right) == (std::string_view{secret} == "right"));
        CHECK(fixture.gate.begun() - before == 4);
    }
}

TEST_CASE("passwords are verified in the time that the workers leave") {
    std::atomic<int> policy = -1;
    PasswordChecks checks{{1, 1, std::chrono::hours{1}}, [&](StoredHash const&, std::string_view) {
                              policy = ::sched_getscheduler(0);
                              return secrets::Verified::wrong;
                          }};
    net::Loop loop;
    PasswordQuestion question;
    question.decoys = {hash_of(4)};
    CHECK(net::test::run(loop, checks.check(loop, 1, std::move(question))) == PasswordResult::wrong);
    CHECK(policy == SCHED_IDLE);
    checks.stop();
    loop.end();
}

TEST_CASE("only a right password is remembered, and only at its hash") {
    Fixture fixture;
    fixture.gate.open();
    CHECK(fixture.await(fixture.ask("a", "wrong")) == PasswordResult::wrong);
    CHECK_FALSE(fixture.is_remembered("wrong", hash_of(5)));
    CHECK_FALSE(fixture.is_remembered("right", hash_of(5)));
    CHECK(fixture.await(fixture.ask("a", "right")) == PasswordResult::right);
    CHECK(fixture.is_remembered("right", hash_of(5)));
    CHECK_FALSE(fixture.is_remembered("right", hash_of(6)));
    CHECK_FALSE(fixture.is_remembered("other", hash_of(5)));
    CHECK(fixture.checks.numbers().known == 1);
    CHECK(fixture.checks.numbers().remembered == 1);
    // Another process has another key.
    Fixture other;
    CHECK_FALSE(other.checks.tag_of(hash_of(5), other.sha256("right"), other.sha256)
                == fixture.checks.tag_of(hash_of(5), fixture.sha256("right"), fixture.sha256));
}

TEST_CASE("questions are the same if key id, secret and hashes are") {
    Fixture fixture;
    auto const key = fixture.question("a", "secret", {hash_of(5)}).key;
    CHECK(fixture.question("a", "secret", {hash_of(5)}).key == key);
    CHECK_FALSE(fixture.question("b", "secret", {hash_of(5)}).key == key);
    CHECK_FALSE(fixture.question("a", "other", {hash_of(5)}).key == key);
    CHECK_FALSE(fixture.question("a", "secret", {hash_of(6)}).key == key);
    CHECK_FALSE(fixture.question("a", "secret", {hash_of(5), hash_of(6)}).key == key);
}

TEST_CASE("several workers that ask for the same password have it verified once") {
    Fixture fixture{{2, 8, std::chrono::hours{1}}};
    struct Worker {
        net::Loop loop;
        std::shared_ptr<Fixture::Result> result;
    };
    std::vector<std::unique_ptr<Worker>> workers;
    for (int i = 0; i < 3; ++i) {
        auto& worker = *workers.emplace_back(std::make_unique<Worker>());
        worker.result = fixture.ask(worker.loop, "a", "right");
    }
    fixture.gate.wait_for(1);
    fixture.gate.open();
    std::vector<std::thread> threads;
    for (auto& worker : workers) {
        threads.emplace_back([&worker] {
            auto const limit = net::Clock::now() + net::test::hang;
            while (!worker->result->has_value() && net::Clock::now() < limit)
                worker->loop.context().run_one_until(limit);
        });
    }
    for (auto& thread : threads)
        thread.join();
    for (auto& worker : workers)
        CHECK(*worker->result == PasswordResult::right);
    CHECK(fixture.gate.begun() == 1);
}

TEST_CASE("a request that ends while it waits takes what nobody else waits for out of the queue") {
    Fixture fixture;
    auto const first = fixture.ask("a", "right");
    fixture.gate.wait_for(1);
    {
        net::Loop leaving;
        fixture.ask(leaving, "a", "right");
        fixture.ask(leaving, "b", "right");
        fixture.ask(leaving, "c", "right");
        auto const shared = fixture.ask("c", "right");
        CHECK(fixture.checks.numbers().waiting == 2);
        leaving.end();
        CHECK(fixture.checks.numbers().waiting == 1);
        fixture.gate.open();
        CHECK(fixture.await(shared) == PasswordResult::right);
    }
    CHECK(fixture.await(first) == PasswordResult::right);
    CHECK(fixture.gate.begun() == 2);
}

TEST_CASE("the end drops what waits, waits for what runs, and answers no loop any more") {
    Fixture fixture;
    auto const running = fixture.ask("a", "right");
    fixture.gate.wait_for(1);
    auto const waiting = fixture.ask("b", "right");
    std::thread ending{[&] { fixture.checks.stop(); }};
    auto const limit = net::Clock::now() + net::test::hang;
    while (fixture.checks.numbers().waiting > 0 && net::Clock::now() < limit)
        std::this_thread::yield();
    CHECK(fixture.checks.numbers().waiting == 0);
    fixture.gate.open();
    ending.join();
    net::test::run_ready(fixture.loop);
    CHECK_FALSE(running->has_value());
    CHECK_FALSE(waiting->has_value());
    CHECK(fixture.gate.begun() == 1);
    // A request that comes later is refused.
    CHECK(fixture.await(fixture.ask("c", "right")) == PasswordResult::queue_full);
}

TEST_CASE("fewer threads after a change of the limits verify no more at a time, more do") {
    Fixture fixture{{2, 8, std::chrono::hours{1}}};
    auto const first = fixture.ask("a", "wrong");
    auto const second = fixture.ask("b", "wrong");
    fixture.gate.wait_for(2);
    auto const third = fixture.ask("c", "wrong");
    CHECK(fixture.checks.numbers().waiting == 1);
    fixture.checks.set({3, 8, std::chrono::hours{1}});
    fixture.gate.wait_for(3);
    fixture.checks.set({1, 8, std::chrono::hours{1}});
    fixture.gate.open();
    for (auto const& one : {first, second, third})
        CHECK(fixture.await(one) == PasswordResult::wrong);
    CHECK(fixture.await(fixture.ask("d", "right")) == PasswordResult::right);
}

TEST_CASE("of the remembered tags those used last are kept, half of them at least") {
    pipeline::RecentTags tags{4};
    pipeline::Sha256 sha256;
    auto const tag = [&](int i) { return sha256(std::to_string(i)); };
    tags.add(tag(1));
    tags.add(tag(2));
    tags.add(tag(3)); // 1 and 2 are the old ones
    CHECK(tags.has(tag(1)));
    CHECK(tags.has(tag(3)));
    tags.add(tag(4)); // 1 and 3 are the old ones, 2 was not used
    CHECK_FALSE(tags.has(tag(2)));
    CHECK(tags.has(tag(1)));
    CHECK(tags.has(tag(4)));
    for (int i = 5; i < 100; ++i) {
        tags.add(tag(i));
        CHECK(tags.size() <= 4);
        CHECK(tags.has(tag(i)));
    }
}

} // namespace password_checks_test

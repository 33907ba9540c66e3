// Values that are kept up to date: attempts that the test decides about, without a network.
#include "gateway/fetch/refreshed.h"

#include "tests/unit/net/harness.h"

#include <condition_variable>
#include <deque>
#include <stdexcept>

namespace refreshed_test {

using namespace sallyport;
using namespace sallyport::fetch;
using namespace sallyport::net::test;
using namespace std::chrono_literals;

namespace {

using Attempt = std::variant<int, Failure>;

// Results of attempts in their order; the last one is repeated. Shared with the fetching thread.
struct Source {
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<Attempt> attempts;
    std::vector<std::string> events;
    int begun = 0;
    bool throws = false;

    void set(std::deque<Attempt> next) {
        std::lock_guard const lock{mutex};
        attempts = std::move(next);
    }
    Attempt take() {
        std::lock_guard const lock{mutex};
        ++begun;
        changed.notify_all();
        if (throws) throw std::runtime_error{"a fault"};
        auto next = attempts.front();
        if (attempts.size() > 1) attempts.pop_front();
        return next;
    }
    void note(RefreshEvent const& event) {
        constexpr std::array<char const*, 4> kinds{"loaded", "failed", "recovered", "expired"};
        std::lock_guard const lock{mutex};
        events.push_back(std::string{kinds[static_cast<std::size_t>(event.kind)]} + " "
                         + std::string{event.name} + " " + std::string{event.note} + " "
                         + std::string{to_string(event.failure.cause)});
        changed.notify_all();
    }
    void wait_for_attempts(int count) {
        std::unique_lock lock{mutex};
        REQUIRE(changed.wait_for(lock, hang, [&] { return begun >= count; }));
    }
    std::vector<std::string> wait_for_events(std::size_t count) {
        std::unique_lock lock{mutex};
        REQUIRE(changed.wait_for(lock, hang, [&] { return events.size() >= count; }));
        return events;
    }
};

net::Task<Loaded<int>> load_from(std::shared_ptr<Source> source) {
    auto const attempt = source->take();
    if (auto const* const failure = std::get_if<Failure>(&attempt))
        co_return Loaded<int>{nullptr, {}, {}, *failure};
    auto const value = std::get<int>(attempt);
    co_return Loaded<int>{
        std::make_shared<int const>(value), {}, "note" + std::to_string(value), {}};
}

struct Fixture {
    std::shared_ptr<Source> source = std::make_shared<Source>();
    Fetcher fetcher{[source = source](RefreshEvent const& event) { source->note(event); }};
    ScheduleSettings settings;
    std::unique_ptr<Refreshed<int>> value;

    void make() {
        value = std::make_unique<Refreshed<int>>(
            fetcher, "keys", settings,
            [source = source](Environment&) { return load_from(source); });
    }
    ~Fixture() { fetcher.stop(); }

    template <class Fact>
    void wait_until(Fact fact) const {
        auto const limit = net::Clock::now() + hang;
        while (!fact()) {
            REQUIRE(net::Clock::now() < limit);
            std::this_thread::yield();
        }
    }
};

} // namespace

TEST_CASE("a value is fetched at once, and readers see it without a lock") {
    Fixture fixture;
    fixture.source->set({7});
    fixture.make();
    Latest<int> latest{*fixture.value};
    fixture.wait_until([&] { return latest.get() != nullptr; });
    CHECK(*latest.get() == 7);
    CHECK(fixture.value->generation() == 1);
    CHECK(*fixture.value->get() == 7);
    CHECK(fixture.source->wait_for_events(1) == std::vector<std::string>{"loaded keys note7 ok"});
    CHECK(fixture.value->facts().successes == 1);
    CHECK(fixture.value->facts().note == "note7");
}

TEST_CASE("a value is fetched again at its interval, and only a change of its note is an event") {
    Fixture fixture;
    fixture.settings.interval = 50ms;
    fixture.source->set({7, 7, 8});
    fixture.make();
    CHECK(fixture.source->wait_for_events(2)
          == std::vector<std::string>{"loaded keys note7 ok", "loaded keys note8 ok"});
    Latest<int> latest{*fixture.value};
    CHECK(*latest.get() == 8);
    CHECK(fixture.value->facts().successes >= 3);
}

namespace {

net::Task<Loaded<int>> give(std::shared_ptr<int const> value) {
    co_return Loaded<int>{std::move(value), {}, {}, {}};
}

} // namespace

TEST_CASE("a changed value is reported, and one that stays the same is not") {
    auto const first = std::make_shared<int const>(7);
    auto const second = std::make_shared<int const>(7);
    std::atomic<int> attempts{0};
    std::atomic<int> reported{0};
    Fetcher fetcher;
    fetcher.notify_of_changes([&reported] { ++reported; });
    ScheduleSettings settings;
    settings.interval = 50ms;
    Refreshed<int> const value{fetcher, "keys", settings, [&](Environment&) {
                                   return give(attempts.fetch_add(1) < 3 ? first : second);
                               }};
    auto const limit = net::Clock::now() + hang;
    while (value.facts().successes < 5) {
        REQUIRE(net::Clock::now() < limit);
        std::this_thread::yield();
    }
    fetcher.stop();
    CHECK(reported == 2);
}

TEST_CASE("a failure keeps the last value, and is an event when it begins and when it ends") {
    Fixture fixture;
    fixture.settings.interval = 50ms;
    fixture.settings.first_pause = 50ms;
    Failure const slow{Cause::timeout};
    fixture.source->set({7, slow, slow, slow, 7});
    fixture.make();
    CHECK(fixture.source->wait_for_events(3)
          == std::vector<std::string>{"loaded keys note7 ok", "failed keys note7 timeout",
                                      "recovered keys note7 ok"});
    CHECK(*fixture.value->get() == 7);
    CHECK(fixture.value->facts().failures == 3);
    CHECK(fixture.value->facts().last_failure == Failure{});
}

TEST_CASE("a value whose source fails for too long is not used any more") {
    Fixture fixture;
    fixture.settings.interval = 50ms;
    fixture.settings.first_pause = 50ms;
    fixture.settings.keep = 300ms;
    fixture.source->set({7, Failure{Cause::certificate, "expired"}});
    fixture.make();
    CHECK(fixture.source->wait_for_events(3)
          == std::vector<std::string>{"loaded keys note7 ok", "failed keys note7 certificate",
                                      "expired keys note7 certificate"});
    Latest<int> latest{*fixture.value};
    CHECK(latest.get() == nullptr);
    CHECK(fixture.value->get() == nullptr);
    CHECK(fixture.value->facts().last_failure == Failure{Cause::certificate, "expired"});
    // It is loaded again as soon as that succeeds.
    fixture.source->set({9});
    CHECK(fixture.source->wait_for_events(5)
          == std::vector<std::string>{"loaded keys note7 ok", "failed keys note7 certificate",
                                      "expired keys note7 certificate", "recovered keys note9 ok",
                                      "loaded keys note9 ok"});
    CHECK(*latest.get() == 9);
}

TEST_CASE("a refresh on request waits for the attempt that it begins") {
    Fixture fixture;
    fixture.settings.least_between = 0ms;
    fixture.source->set({7});
    fixture.make();
    fixture.source->wait_for_events(1);
    fixture.source->set({8});
    net::Loop loop;
    CHECK(run(loop, fixture.value->refresh(loop, hang)) == OnRequest::loaded);
    CHECK(*fixture.value->get() == 8);
    fixture.source->set({Failure{Cause::timeout}});
    CHECK(run(loop, fixture.value->refresh(loop, hang)) == OnRequest::failed);
    CHECK(*fixture.value->get() == 8);
    fixture.fetcher.stop();
}

TEST_CASE("a refresh on request is refused soon after the last attempt") {
    Fixture fixture;
    fixture.settings.least_between = 1h;
    fixture.source->set({7});
    fixture.make();
    fixture.source->wait_for_events(1);
    fixture.source->set({8});
    net::Loop loop;
    for (int i = 0; i < 10; ++i)
        CHECK(run(loop, fixture.value->refresh(loop, hang)) == OnRequest::recent);
    CHECK(*fixture.value->get() == 7);
    CHECK(fixture.source->begun == 1);
    fixture.fetcher.stop();
}

TEST_CASE("a refresh on request soon after a failed attempt says that it failed") {
    Fixture fixture;
    fixture.settings.least_between = 1h;
    fixture.settings.first_pause = 1h;
    fixture.settings.interval = 1h;
    fixture.source->set({Failure{Cause::timeout}});
    fixture.make();
    fixture.source->wait_for_events(1);
    net::Loop loop;
    CHECK(run(loop, fixture.value->refresh(loop, hang)) == OnRequest::failed);
    CHECK(fixture.source->begun == 1);
    fixture.fetcher.stop();
}

TEST_CASE("an attempt that throws is a failure like others") {
    Fixture fixture;
    fixture.settings.interval = 50ms;
    fixture.settings.first_pause = 50ms;
    fixture.source->throws = true;
    fixture.source->set({7});
    fixture.make();
    CHECK(fixture.source->wait_for_events(1) == std::vector<std::string>{"failed keys  unusable"});
    {
        std::lock_guard const lock{fixture.source->mutex};
        fixture.source->throws = false;
    }
    fixture.source->wait_for_events(3);
    CHECK(*fixture.value->get() == 7);
}

TEST_CASE("a value that its owner drops is not fetched again") {
    Fixture fixture;
    fixture.settings.interval = 50ms;
    fixture.source->set({7});
    fixture.make();
    fixture.source->wait_for_attempts(2);
    fixture.value.reset();
    // What the owner has asked for is done before this.
    net::Loop loop;
    auto const begun = [&] {
        std::lock_guard const lock{fixture.source->mutex};
        return fixture.source->begun;
    };
    Fetcher::Job<int> const nothing = [](Environment& environment) -> net::Task<int> {
        net::Event event{environment.loop.waiters()};
        co_await event.last_turn();
        co_return 1;
    };
    CHECK(run(loop, fixture.fetcher.run<int>(loop, nothing)) == 1);
    auto const before = begun();
    // Another value with the same interval is fetched three times meanwhile.
    auto const other = std::make_shared<Source>();
    other->set({1});
    Refreshed<int> const second{fixture.fetcher, "other", fixture.settings,
                                [other](Environment&) { return load_from(other); }};
    other->wait_for_attempts(3);
    CHECK(begun() == before);
    fixture.fetcher.stop();
}

TEST_CASE("a value may outlive the fetcher") {
    auto source = std::make_shared<Source>();
    source->set({7});
    auto fetcher = std::make_unique<Fetcher>();
    Refreshed<int> const value{
        *fetcher, "keys", {}, [source](Environment&) { return load_from(source); }};
    auto const limit = net::Clock::now() + hang;
    while (value.generation() == 0) {
        REQUIRE(net::Clock::now() < limit);
        std::this_thread::yield();
    }
    fetcher.reset();
    CHECK(*value.get() == 7);
}

} // namespace refreshed_test

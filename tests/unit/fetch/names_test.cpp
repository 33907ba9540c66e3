// Lookups of names: off the loop, one at a time for a name, kept for a while.
#include "tests/unit/fetch/fetch_fixture.h"

#include <condition_variable>
#include <deque>
#include <mutex>

namespace names_test {

using namespace sallyport;
using namespace sallyport::fetch;
using namespace sallyport::fetch::test;
using namespace sallyport::net::test;

namespace {

using Found = net::Result<std::vector<net::Address>>;

Found addresses(std::uint16_t port) {
    return std::vector<net::Address>{address_of("192.0.2.1", port)};
}

// Results that the test releases one by one; shared with threads that may outlive it.
struct Oracle {
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<Found> results;
    int lookups = 0;

    Found look_up(net::Name const&) {
        std::unique_lock lock{mutex};
        ++lookups;
        changed.notify_all();
        changed.wait(lock, [this] { return !results.empty(); });
        auto next = std::move(results.front());
        results.pop_front();
        return next;
    }
    void release(Found found) {
        std::lock_guard const lock{mutex};
        results.push_back(std::move(found));
        changed.notify_all();
    }
    void wait_for_lookups(int count) {
        std::unique_lock lock{mutex};
        REQUIRE(changed.wait_for(lock, hang, [&] { return lookups >= count; }));
    }
    int count() {
        std::lock_guard const lock{mutex};
        return lookups;
    }
};

struct Fixture {
    std::shared_ptr<Oracle> oracle = std::make_shared<Oracle>();
    net::Loop loop;
    std::shared_ptr<Inbox> inbox = std::make_shared<Inbox>(loop.executor());
    Names names{inbox, [oracle = oracle](net::Name const& name) { return oracle->look_up(name); }};

    ~Fixture() {
        inbox->close();
        loop.end();
        for (int i = oracle->count(); i > 0; --i)
            oracle->release(addresses(1));
    }
    net::Task<Found> find(net::Name name, net::Clock::duration time) {
        Cutoff cutoff{loop, net::Clock::now() + time};
        co_return co_await names.find(std::move(name), cutoff);
    }
    void start(std::string const& host, std::optional<Found>& result) {
        net::test::start(loop, keep_result(find({host, 443}, hang), result));
    }
    Found wait(std::optional<Found>& result) {
        run_until(loop, [&] { return result.has_value(); });
        return *result;
    }
    Found run(std::string const& host, net::Clock::duration time = hang) {
        return net::test::run(loop, find({host, 443}, time));
    }
};

} // namespace

TEST_CASE("an address needs no lookup") {
    Fixture fixture;
    CHECK((fixture.run("192.0.2.1") == addresses(443)));
    CHECK(fixture.oracle->count() == 0);
}

TEST_CASE("all who ask for a name wait for one lookup") {
    Fixture fixture;
    std::optional<Found> first;
    std::optional<Found> second;
    fixture.start("a.test", first);
    fixture.start("a.test", second);
    fixture.oracle->wait_for_lookups(1);
    run_ready(fixture.loop);
    CHECK_FALSE(first);
    fixture.oracle->release(addresses(1));
    CHECK((fixture.wait(first) == addresses(1)));
    CHECK((fixture.wait(second) == addresses(1)));
    CHECK(fixture.oracle->count() == 1);
}

TEST_CASE("a result is used for a while, an error is not") {
    Fixture fixture;
    fixture.oracle->release(net::Error{net::asio::error::host_not_found});
    CHECK(fixture.run("a.test").error() == net::asio::error::host_not_found);
    fixture.oracle->release(addresses(1));
    CHECK((fixture.run("a.test") == addresses(1)));
    CHECK((fixture.run("a.test") == addresses(1)));
    CHECK(fixture.oracle->count() == 2);
}

TEST_CASE("a name that does not respond delays only those who ask for it") {
    Fixture fixture;
    std::optional<Found> slow;
    fixture.start("slow.test", slow);
    fixture.oracle->wait_for_lookups(1);
    std::optional<Found> other;
    fixture.start("other.test", other);
    fixture.oracle->wait_for_lookups(2);
    fixture.oracle->release(addresses(1));
    run_until(fixture.loop, [&] { return slow.has_value() || other.has_value(); });
    CHECK(slow.has_value() != other.has_value());
}

TEST_CASE("a lookup is given up when the time is over, and its result is kept when it comes") {
    Fixture fixture;
    CHECK(fixture.run("a.test", 60ms).error() == net::asio::error::timed_out);
    fixture.oracle->release(addresses(1));
    CHECK((fixture.run("a.test") == addresses(1)));
    CHECK(fixture.oracle->count() == 1);
}

TEST_CASE("no more lookups run at once than there may be threads") {
    Fixture fixture;
    std::vector<std::optional<Found>> results(Names::most_lookups);
    for (std::size_t i = 0; i < results.size(); ++i)
        fixture.start("host" + std::to_string(i) + ".test", results[i]);
    fixture.oracle->wait_for_lookups(static_cast<int>(Names::most_lookups));
    CHECK(fixture.run("one-more.test").error() == net::asio::error::host_not_found_try_again);
    fixture.oracle->release(addresses(1));
    run_until(fixture.loop, [&] {
        return std::any_of(results.begin(), results.end(),
                           [](auto const& result) { return result.has_value(); });
    });
    for (std::size_t i = 0; i < Names::most_lookups; ++i)
        fixture.oracle->release(addresses(2));
    CHECK(fixture.run("one-more.test").has_value());
}

TEST_CASE("a lookup that ends after the loop changes nothing") {
    auto oracle = std::make_shared<Oracle>();
    {
        Fixture fixture;
        oracle = fixture.oracle;
        std::optional<Found> result;
        fixture.start("a.test", result);
        oracle->wait_for_lookups(1);
        CHECK_FALSE(result);
    }
    // Its thread ends by itself: under ThreadSanitizer and AddressSanitizer this test says so.
    oracle->release(addresses(1));
}

} // namespace names_test

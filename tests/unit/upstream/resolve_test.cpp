// Names: which results are reported to which subscriber, and that no caller waits for the system.
#include "gateway/upstream/resolve.h"

#include "tests/unit/net/harness.h"

#include <boost/asio/ip/tcp.hpp>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace resolve_test {

using namespace sallyport;
using namespace sallyport::upstream;
using namespace sallyport::net::test;
using namespace std::chrono_literals;

namespace {

Address address(std::uint16_t port) {
    return net::asio::ip::tcp::endpoint{net::asio::ip::make_address("192.0.2.1"), port};
}

using Outcome = net::Result<std::vector<Address>>;

// A resolver function with scripted results, released by the test.
class Oracle {
public:
    void complete_with(Outcome outcome) {
        std::lock_guard const lock{mutex_};
        outcomes_.push_back(std::move(outcome));
        changed_.notify_all();
    }

    Outcome operator()(Name const&) {
        std::unique_lock lock{mutex_};
        ++lookups_;
        changed_.notify_all();
        changed_.wait(lock, [&] { return !outcomes_.empty(); });
        auto next = std::move(outcomes_.front());
        outcomes_.pop_front();
        return next;
    }

    // Until there were so many lookups: earlier results have been processed then.
    void wait_for_lookups(int count) {
        std::unique_lock lock{mutex_};
        REQUIRE(changed_.wait_for(lock, hang, [&] { return lookups_ >= count; }));
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Outcome> outcomes_;
    int lookups_ = 0;
};

struct Listener final : Resolver::Subscriber {
    void resolved(std::size_t index, std::vector<Address> const& addresses) override {
        told.emplace_back(index, addresses);
    }
    std::vector<std::pair<std::size_t, std::vector<Address>>> told;
};

struct Reports {
    std::mutex mutex;
    std::vector<std::string> texts;

    std::vector<std::string> get() {
        std::lock_guard const lock{mutex};
        return texts;
    }
    void add(std::string const& name, std::string const& error) {
        std::lock_guard const lock{mutex};
        texts.push_back(name + (error.empty() ? " resolves" : " fails"));
    }
};

// A resolver whose lookups the test controls; it never looks up by itself again.
struct Fixture {
    std::shared_ptr<Oracle> oracle = std::make_shared<Oracle>();
    std::shared_ptr<Reports> reports = std::make_shared<Reports>();
    net::Loop loop;
    Listener listener;
    net::asio::executor_work_guard<net::Executor> work{loop.executor()};
    std::optional<Resolver> resolver;

    Fixture() {
        resolver.emplace(
            [reports = reports](auto const& name, auto const& error) { reports->add(name, error); },
            [oracle = oracle](Name const& name) { return (*oracle)(name); }, 1h);
    }
    ~Fixture() { oracle->complete_with(std::vector<Address>{}); } // releases the thread
};

} // namespace

TEST_CASE("an IP address needs no lookup, a name does") {
    CHECK(literal_address({"192.0.2.1", 80}) == address(80));
    CHECK(literal_address({"2001:db8::1", 443}));
    CHECK_FALSE(literal_address({"localhost", 80}));
    CHECK_FALSE(literal_address({"", 80}));
    CHECK_FALSE(literal_address({"[::1]", 80}));
}

TEST_CASE("a path that does not fit into the address of a unix socket is refused") {
    CHECK_FALSE(unix_address(""));
    CHECK_FALSE(unix_address(std::string(108, 'x')));
    CHECK(unix_address(std::string(107, 'x')));
}

TEST_CASE("the system resolves localhost, and not a name that cannot exist") {
    auto const found = look_up({"localhost", 8080});
    REQUIRE(found.has_value());
    CHECK_FALSE(found->empty());
    // RFC 6761, 6.4: never exists.
    CHECK_FALSE(look_up({"name.invalid", 80}).has_value());
}

TEST_CASE("a failing name is reported once, and again when it resolves; its last result stays") {
    Fixture fixture;
    auto const subscription = fixture.resolver->subscribe(
        {"api.test", 443}, fixture.loop.executor(), fixture.listener, 7);
    fixture.oracle->complete_with(std::vector{address(1)});
    run_until(fixture.loop, [&] { return fixture.listener.told.size() == 1; });
    CHECK(fixture.listener.told[0].first == 7);
    CHECK(fixture.listener.told[0].second == std::vector{address(1)});
    CHECK(fixture.reports->get().empty());

    net::Error const gone = net::asio::error::host_not_found;
    for (int asked = 2; asked <= 4; ++asked) {
        fixture.resolver->refresh();
        fixture.oracle->wait_for_lookups(asked);
        fixture.oracle->complete_with(asked < 4 ? Outcome{gone} : Outcome{std::vector{address(1)}});
    }
    fixture.resolver->refresh();
    fixture.oracle->wait_for_lookups(5);
    run_ready(fixture.loop);
    CHECK(fixture.reports->get()
          == std::vector<std::string>{"api.test fails", "api.test resolves"});
    CHECK(fixture.listener.told.size() == 1);
}

TEST_CASE("a failed first lookup is reported, so that no request waits for it") {
    Fixture fixture;
    auto const subscription = fixture.resolver->subscribe(
        {"api.test", 443}, fixture.loop.executor(), fixture.listener, 0);
    fixture.oracle->complete_with(net::Error{net::asio::error::host_not_found});
    run_until(fixture.loop, [&] { return !fixture.listener.told.empty(); });
    CHECK(fixture.listener.told[0].second.empty());
    CHECK(fixture.reports->get() == std::vector<std::string>{"api.test fails"});
}

TEST_CASE("the same addresses in another order are not reported, others are") {
    Fixture fixture;
    auto const subscription = fixture.resolver->subscribe(
        {"api.test", 443}, fixture.loop.executor(), fixture.listener, 0);
    fixture.oracle->complete_with(std::vector{address(1), address(2)});
    run_until(fixture.loop, [&] { return fixture.listener.told.size() == 1; });
    fixture.resolver->refresh();
    fixture.oracle->wait_for_lookups(2);
    fixture.oracle->complete_with(std::vector{address(2), address(1)});
    fixture.resolver->refresh();
    fixture.oracle->wait_for_lookups(3);
    fixture.oracle->complete_with(std::vector{address(2)});
    run_until(fixture.loop, [&] { return fixture.listener.told.size() == 2; });
    CHECK(fixture.listener.told[1].second == std::vector{address(2)});
}

TEST_CASE("a subscriber to a known name gets its result without a lookup") {
    Fixture fixture;
    auto const first = fixture.resolver->subscribe({"api.test", 443}, fixture.loop.executor(),
                                                   fixture.listener, 0);
    fixture.oracle->complete_with(std::vector{address(1)});
    run_until(fixture.loop, [&] { return fixture.listener.told.size() == 1; });
    Listener other;
    auto const second =
        fixture.resolver->subscribe({"api.test", 443}, fixture.loop.executor(), other, 3);
    run_ready(fixture.loop);
    REQUIRE(other.told.size() == 1);
    CHECK(other.told[0].first == 3);
    CHECK(fixture.listener.told.size() == 1);
}

TEST_CASE("an ended subscription receives nothing, not even a posted result") {
    Fixture fixture;
    auto subscription = std::make_optional(fixture.resolver->subscribe(
        {"api.test", 443}, fixture.loop.executor(), fixture.listener, 0));
    fixture.oracle->complete_with(std::vector{address(1)});
    run_until(fixture.loop, [&] { return fixture.listener.told.size() == 1; });
    Listener other;
    {
        auto const short_lived =
            fixture.resolver->subscribe({"api.test", 443}, fixture.loop.executor(), other, 0);
    }
    subscription.reset();
    run_ready(fixture.loop);
    CHECK(other.told.empty());
}

TEST_CASE("a resolver ends at once during a lookup, and reports nothing afterwards") {
    Fixture fixture;
    auto const subscription = fixture.resolver->subscribe(
        {"api.test", 443}, fixture.loop.executor(), fixture.listener, 0);
    fixture.oracle->wait_for_lookups(1);
    fixture.resolver.reset();
    fixture.oracle->complete_with(std::vector{address(1)});
    run_ready(fixture.loop);
    CHECK(fixture.listener.told.empty());
}

} // namespace resolve_test

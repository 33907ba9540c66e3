// The fetching thread: coroutines of other loops that wait for it, and its end.
#include "gateway/fetch/fetcher.h"

#include "tests/unit/fetch/fetch_fixture.h"

#include <stdexcept>
#include <thread>

namespace fetcher_test {

using namespace sallyport;
using namespace sallyport::fetch;
using namespace sallyport::fetch::test;
using namespace sallyport::net::test;

namespace {

net::Task<std::thread::id> ask_for_thread(Environment&) {
    co_return std::this_thread::get_id();
}

net::Task<int> fail(Environment&) {
    throw std::runtime_error{"a fault"};
    co_return 1;
}

// Waits on the fetching thread until the test lets it go on.
struct Held {
    std::shared_ptr<std::atomic<bool>> entered = std::make_shared<std::atomic<bool>>(false);

    net::Task<int> operator()(Environment& environment) const { return hold(environment, entered); }
    static net::Task<int> hold(Environment& environment,
                               std::shared_ptr<std::atomic<bool>> entered) {
        net::Event never{environment.loop.waiters()};
        *entered = true;
        entered->notify_all();
        co_await never.wait();
        co_return 1;
    }
};

std::shared_ptr<Target const> target_at(std::uint16_t port) {
    auto target = std::make_shared<Target>();
    target->url = parse_url("http://127.0.0.1:" + std::to_string(port) + "/keys").url;
    return target;
}

} // namespace

TEST_CASE("without a fetch there is no thread") {
    Fetcher fetcher;
    CHECK_FALSE(fetcher.has_started());
    fetcher.stop();
}

TEST_CASE("a job runs on the fetching thread, and its result comes back to the loop") {
    Fetcher fetcher;
    net::Loop loop;
    auto const id = run(loop, fetcher.run<std::thread::id>(loop, ask_for_thread));
    REQUIRE(id);
    CHECK(*id != std::this_thread::get_id());
    CHECK(run(loop, fetcher.run<std::thread::id>(loop, ask_for_thread)) == id);
    CHECK(fetcher.has_started());
    fetcher.stop();
}

TEST_CASE("a job that throws has no result") {
    Fetcher fetcher;
    net::Loop loop;
    CHECK(run(loop, fetcher.run<int>(loop, fail)) == std::nullopt);
    fetcher.stop();
}

TEST_CASE("a fetch is made for a coroutine of another loop") {
    Fetcher fetcher;
    net::Loop loop;
    Port const port;
    std::thread server{[&port] {
        pollfd wait{-1, POLLIN, 0};
        while (!port.has_connection())
            ::poll(&wait, 1, 5);
        auto const connection = port.accept();
        std::string request;
        std::string block(4096, '\0');
        while (request.find("\r\n\r\n") == std::string::npos) {
            auto const read = ::recv(connection.get(), block.data(), block.size(), 0);
            if (read <= 0) return;
            request.append(block, 0, static_cast<std::size_t>(read));
        }
        auto const response = with_length("{\"keys\":[]}");
        ::send(connection.get(), response.data(), response.size(), MSG_NOSIGNAL);
    }};
    auto const result = run(loop, fetcher.fetch(loop, Request{target_at(port.number())}));
    server.join();
    REQUIRE(std::holds_alternative<Response>(result));
    CHECK(std::get<Response>(result).body.reveal() == "{\"keys\":[]}");
    CHECK(fetcher.count(Cause::none) == 1);
    fetcher.stop();
}

TEST_CASE("many coroutines wait at once, each for its own result") {
    Fetcher fetcher;
    net::Loop loop;
    std::uint16_t closed = 0;
    {
        Port const port;
        closed = port.number();
    }
    std::vector<std::optional<Result>> results(50);
    for (auto& result : results)
        start(loop, keep_result(fetcher.fetch(loop, Request{target_at(closed)}), result));
    run_until(loop, [&] {
        return std::all_of(results.begin(), results.end(),
                           [](auto const& result) { return result.has_value(); });
    });
    CHECK(fetcher.count(Cause::not_connected) == 50);
    fetcher.stop();
}

TEST_CASE("after the end nothing begins") {
    Fetcher fetcher;
    net::Loop loop;
    fetcher.stop();
    auto const result = run(loop, fetcher.fetch(loop, Request{target_at(1)}));
    CHECK(std::get<Failure>(result).cause == Cause::stopped);
    CHECK(run(loop, fetcher.run<int>(loop, fail)) == std::nullopt);
    fetcher.stop();
}

TEST_CASE("a caller may be destroyed while it waits, and the end waits for nothing") {
    Held const held;
    Fetcher fetcher;
    auto loop = std::make_unique<net::Loop>();
    std::optional<std::optional<int>> result;
    start(*loop, keep_result(fetcher.run<int>(*loop, held), result));
    run_ready(*loop);
    held.entered->wait(false);
    SECTION("first the fetcher") {
        fetcher.stop();
        loop.reset();
    }
    SECTION("first what waits") {
        loop->waiters().drop();
        fetcher.stop();
        loop.reset();
    }
    CHECK_FALSE(result);
}

} // namespace fetcher_test

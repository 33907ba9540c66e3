// The ticker: repeated calls, and none after it was stopped.
#include "gateway/net/ticker.h"
#include "tests/unit/net/harness.h"

#include <boost/asio/post.hpp>

namespace ticker_test {

using namespace sallyport::net;
using namespace sallyport::net::test;
using namespace std::chrono_literals;

TEST_CASE("a ticker ticks again and again") {
    Loop loop;
    int ticks = 0;
    Ticker ticker{loop.context().get_executor(), [&] { ++ticks; }};
    ticker.start(1ms);
    run_until(loop, [&] { return ticks == 3; });
}

TEST_CASE("a ticker stopped just as it expires neither ticks nor keeps its loop running") {
    Loop loop;
    int ticks = 0;
    Ticker ticker{loop.context().get_executor(), [&] { ++ticks; }};
    ticker.start(1ms);
    auto const due = Clock::now() + 2ms;
    // The timer is found to be due while this runs or just before; its handler is queued after it.
    asio::post(loop.context(), [&] {
        while (Clock::now() < due) {
        }
        asio::post(loop.context(), [&] { ticker.stop(); });
    });
    run_ready(loop);
    run_ready(loop);
    CHECK(ticks == 0);
    CHECK(loop.context().stopped()); // nothing is left to wait for
}

TEST_CASE("a ticker can be stopped by its own tick") {
    Loop loop;
    int ticks = 0;
    std::optional<Ticker> ticker;
    ticker.emplace(loop.context().get_executor(), [&] {
        ++ticks;
        ticker->stop();
    });
    ticker->start(1ms);
    loop.context().run();
    CHECK(ticks == 1);
}

} // namespace ticker_test

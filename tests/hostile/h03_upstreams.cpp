// Hostile upstreams: a fault is an error or an aborted transfer, never a response that is mixed up,
// truncated or another client's.
#include "tests/hostile/fault_stage.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <atomic>
#include <functional>
#include <thread>
#include <utility>

namespace h03_upstreams {

using namespace sallyport::test;

namespace {

struct Run {
    Fault fault;
    Pieces pieces;
    std::vector<std::string> problems = {};
};

// Faults that wait for a deadline run in parallel.
constexpr std::size_t thread_count = 12;

void run_all(std::vector<Run>& runs, FaultStage& stage, std::size_t threads_wanted) {
    std::atomic<std::size_t> next{0};
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < threads_wanted; ++i)
        threads.emplace_back([&] {
            for (auto at = next++; at < runs.size(); at = next++)
                runs[at].problems = stage.run(runs[at].fault, runs[at].pieces);
        });
    for (auto& thread : threads)
        thread.join();
    for (auto const& run : runs) {
        CAPTURE(run.fault.name, run.fault.place, run.pieces == Pieces::whole);
        CHECK(run.problems == std::vector<std::string>{});
    }
}

std::vector<Run> runs_of(Security upstream, std::function<bool(Run const&)> const& chosen) {
    std::vector<Run> runs;
    for (auto const& fault : all_faults()) {
        if (!(upstream == Security::tls ? fault.over_tls : fault.over_plain)) continue;
        for (auto const pieces : {Pieces::whole, Pieces::single_bytes}) {
            Run run{fault, pieces};
            bool const is_same = fault.response.empty() && pieces == Pieces::single_bytes;
            if (!is_same && chosen(run)) runs.push_back(std::move(run));
        }
    }
    return runs;
}

// Faults on a kept connection, or while one is idle: other requests could use that connection.
bool must_run_alone(Fault const& fault) {
    return fault.on_kept_connection || !fault.later.empty();
}

// Whether it may run while others use the same pool: its request is never repeated, and no bytes
// follow a complete response while others may already use that connection.
bool may_share_pool(Run const& run) {
    bool const may_be_repeated = run.fault.response.empty() || run.fault.then == Then::reset;
    bool const arrives_late =
        run.pieces == Pieces::single_bytes
        && std::any_of(run.fault.outcomes.begin(), run.fault.outcomes.end(),
                       [](Outcome const& one) { return one.status != 0 && one.status < 500; });
    return !must_run_alone(run.fault) && !may_be_repeated && !arrives_late;
}

void check_faults(Security upstream) {
    {
        FaultStage stage{upstream, Pool::empty};
        auto runs = runs_of(upstream, [](Run const& run) { return !must_run_alone(run.fault); });
        run_all(runs, stage, thread_count);
        stage.finish();
    }
    {
        FaultStage stage{upstream, Pool::keeping};
        auto runs = runs_of(upstream, may_share_pool);
        run_all(runs, stage, thread_count);
        stage.finish();
    }
    FaultStage stage{upstream, Pool::keeping};
    auto runs = runs_of(upstream, [](Run const& run) { return must_run_alone(run.fault); });
    run_all(runs, stage, 1);
    stage.finish();
}

} // namespace

TEST_CASE("there are enough faults") {
    CHECK(all_faults().size() >= 200);
}

TEST_CASE("a fault of an upstream over plain connections never looks like a valid response") {
    check_faults(Security::plain);
}

TEST_CASE("a fault of an upstream over TLS never looks like a valid response") {
    check_faults(Security::tls);
}

} // namespace h03_upstreams

// Hostile upstreams: what they break is an error or an aborted transfer, never an answer that is
// mixed, cut or somebody else's.
#include "tests/hostile/fault_stage.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <atomic>
#include <functional>
#include <thread>
#include <utility>

using namespace sallyport::test;

namespace {

struct Run {
    Fault fault;
    Pieces pieces;
    std::vector<std::string> problems = {};
};

// Faults that take their time wait beside each other, not one behind the other.
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
        for (auto const pieces : {Pieces::whole, Pieces::byte_by_byte}) {
            Run run{fault, pieces};
            bool const is_same = fault.answer.empty() && pieces == Pieces::byte_by_byte;
            if (!is_same && chosen(run)) runs.push_back(std::move(run));
        }
    }
    return runs;
}

// What happens at another moment than others: on a connection that was kept, or while one is idle.
bool needs_to_be_alone(Fault const& fault) {
    return fault.on_kept_connection || !fault.later.empty();
}

// Whether it may be run while others use the same pool: its request is never sent once more, and
// nothing comes behind an answer that is complete while others may ask on that connection already.
bool may_be_among_others(Run const& run) {
    bool const may_be_repeated = run.fault.answer.empty() || run.fault.then == Then::reset;
    bool const comes_late =
        run.pieces == Pieces::byte_by_byte
        && std::any_of(run.fault.outcomes.begin(), run.fault.outcomes.end(),
                       [](Outcome const& one) { return one.status != 0 && one.status < 500; });
    return !needs_to_be_alone(run.fault) && !may_be_repeated && !comes_late;
}

void check_faults(Security upstream) {
    {
        FaultStage stage{upstream, Pool::empty};
        auto runs = runs_of(upstream, [](Run const& run) { return !needs_to_be_alone(run.fault); });
        run_all(runs, stage, thread_count);
        stage.finish();
    }
    {
        FaultStage stage{upstream, Pool::keeping};
        auto runs = runs_of(upstream, may_be_among_others);
        run_all(runs, stage, thread_count);
        stage.finish();
    }
    FaultStage stage{upstream, Pool::keeping};
    auto runs = runs_of(upstream, [](Run const& run) { return needs_to_be_alone(run.fault); });
    run_all(runs, stage, 1);
    stage.finish();
}

} // namespace

TEST_CASE("there are enough faults") {
    CHECK(all_faults().size() >= 200);
}

TEST_CASE("an upstream that fails over plain connections is never taken for one that answers") {
    check_faults(Security::plain);
}

TEST_CASE("an upstream that fails over TLS is never taken for one that answers") {
    check_faults(Security::tls);
}

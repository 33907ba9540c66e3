// The counters of a worker: kept, found again, limited, and readable while they grow.
#include "gateway/observe/metrics.h"

#include <catch2/catch.hpp>

#include <atomic>
#include <map>
#include <string>
#include <thread>

namespace metrics_test {

using namespace sallyport::observe;

namespace {

std::map<int, std::uint64_t> counts_of(KeyedCounters<int, 3> const& counters) {
    std::map<int, std::uint64_t> counts;
    counters.for_each([&](int key, std::uint64_t count) { counts[key] = count; });
    return counts;
}

std::size_t bucket_of(std::int64_t microseconds) {
    DurationHistogram histogram;
    histogram.observe(microseconds);
    for (std::size_t i = 0; i < DurationHistogram::buckets; ++i) {
        if (histogram.count(i) == 1) return i;
    }
    FAIL("no bucket counted");
    return 0;
}

} // namespace

TEST_CASE("keys beyond the capacity are counted together") {
    KeyedCounters<int, 3> counters;
    for (int const key : {7, 8, 9, 10, 11, 7})
        counters.add(key);
    CHECK(counts_of(counters) == std::map<int, std::uint64_t>{{7, 2}, {8, 1}, {9, 1}});
    CHECK(counters.others() == 2);
}

TEST_CASE("a violation's rule outlives its contract") {
    KeyedCounters<ViolationKey, 4> counters;
    {
        std::string const rule{"a rule whose text is longer than what a string holds in itself"};
        counters.add(SeenViolation{MessagePart::request, ViolationLevel::enforce, rule});
    }
    std::string const again{"a rule whose text is longer than what a string holds in itself"};
    counters.add(SeenViolation{MessagePart::request, ViolationLevel::enforce, again});
    counters.add(SeenViolation{MessagePart::request, ViolationLevel::report, again});
    counters.add(SeenViolation{MessagePart::response, ViolationLevel::enforce, again});
    std::vector<std::uint64_t> counts;
    counters.for_each([&](ViolationKey const& key, std::uint64_t count) {
        CHECK(key.rule == again);
        counts.push_back(count);
    });
    CHECK(counts == std::vector<std::uint64_t>{2, 1, 1});
}

TEST_CASE("a duration counts in the first bucket whose bound it does not exceed") {
    CHECK(bucket_of(-1) == 0); // a clock may go back
    CHECK(bucket_of(0) == 0);
    CHECK(bucket_of(50) == 0);
    CHECK(bucket_of(51) == 1);
    CHECK(bucket_of(300'000'000) == DurationHistogram::buckets - 2);
    CHECK(bucket_of(300'000'001) == DurationHistogram::buckets - 1);
    DurationHistogram histogram;
    histogram.observe(1'500);
    histogram.observe(-3);
    CHECK(histogram.sum_of_microseconds() == 1'500);
}

TEST_CASE("an operation keeps its counts under its names") {
    WorkerMetrics metrics;
    auto& get = metrics.operation("management", "getPipe");
    get.bytes_in.add(5);
    CHECK(&metrics.operation("management", "getPipe") == &get);
    CHECK(&metrics.operation("management", "") != &get);
    CHECK(&metrics.operation("", "") != &metrics.operation("management", ""));
    std::size_t operations = 0;
    metrics.operations().for_each([&](OperationMetrics const&) { ++operations; });
    CHECK(operations == 3);
    CHECK(metrics.operation("management", "getPipe").bytes_in.value() == 5);
    CHECK(&metrics.upstream("a") == &metrics.upstream("a"));
    CHECK(&metrics.upstream("a") != &metrics.upstream("b"));
    auto& upstream = metrics.upstream("a");
    auto& endpoint = upstream.endpoint("http://one.test:80");
    CHECK(&upstream.endpoint("http://one.test:80") == &endpoint);
    CHECK(&upstream.endpoint("http://two.test:80") != &endpoint);
    CHECK(&metrics.upstream("b").endpoint("http://one.test:80") != &endpoint);
}

TEST_CASE("an index has an entry for each operation of each API") {
    OperationIndex index;
    WorkerMetrics metrics;
    CHECK(index.at(2, 5).metrics == nullptr);
    index.at(2, 5) = {&metrics.operation("a", "b"), "part"};
    CHECK(index.at(0, 0).metrics == nullptr);
    CHECK(index.at(2, 6).metrics == nullptr);
    CHECK(index.at(2, 5).metrics == &metrics.operation("a", "b"));
    CHECK(index.at(2, 5).line_part == "part");
}

TEST_CASE("a growing list can be read meanwhile") {
    WorkerMetrics metrics;
    std::atomic<bool> done{false};
    std::thread worker{[&] {
        for (int i = 0; i < 2'000; ++i) {
            auto& operation = metrics.operation("api", std::to_string(i % 200));
            operation.requests.add(RequestOutcome{static_cast<std::uint16_t>(200 + i % 70), ""});
            operation.violations.add(SeenViolation{MessagePart::request, ViolationLevel::enforce,
                                                   i % 2 == 0 ? "minimum" : "maximum"});
        }
        done = true;
    }};
    std::uint64_t last = 0;
    for (bool more = true; more;) {
        more = !done;
        std::uint64_t sum = 0;
        metrics.operations().for_each([&](OperationMetrics const& operation) {
            CHECK_FALSE(operation.operation.empty());
            operation.requests.for_each([&](RequestOutcome const& outcome, std::uint64_t count) {
                CHECK(outcome.status >= 200);
                sum += count;
            });
            sum += operation.requests.others();
        });
        CHECK(sum >= last);
        last = sum;
    }
    worker.join();
    CHECK(last == 2'000);
}

TEST_CASE("a gauge increases and decreases") {
    Gauge gauge;
    gauge.add(3);
    gauge.subtract();
    CHECK(gauge.value() == 2);
}

} // namespace metrics_test

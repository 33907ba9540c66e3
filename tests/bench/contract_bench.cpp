// How long the contract engine takes: bodies of the shipped contract, compared with other
// validators, and bodies designed to be slow.
#include "gateway/contract/contract.h"
#include "gateway/contract/validator.h"
#include "tests/bench/contract_bodies.h"
#include "tests/bench/contract_others.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

namespace {

using namespace sallyport;
using bench::Sample;

[[nodiscard]] contract::Contract const& management() {
    static auto const loaded =
        contract::Contract::load_file(SALLYPORT_SOURCE_FOLDER "/config/contracts/management.yaml");
    if (!loaded.contract) std::abort();
    return *loaded.contract;
}

[[nodiscard]] contract::BodySchema schema_of(std::string const& operation) {
    auto const* const found = management().find_operation(operation);
    return *found->request_body->media_types.front().schema;
}

// A body, and everything needed to validate it.
class Question {
public:
    explicit Question(std::string const& body)
        : padded_{body + std::string(contract::body_padding, '\0')},
          body_{std::string_view{padded_}.substr(0, body.size())} {}
    Question(Question const&) = delete; // body_ refers to padded_
    Question& operator=(Question const&) = delete;

    contract::Outcome validate(contract::BodySchema schema) {
        return validator_.validate(schema, body_, conditions_, levels_).outcome;
    }
    contract::Outcome parse() { return validator_.check_json(body_).outcome; }

private:
    std::string padded_;
    std::string_view body_;
    contract::Validator validator_;
    contract::Conditions conditions_;
    contract::LevelTable levels_ = contract::LevelTable::compile(management(), {}, {}).table;
};

// Measured like ajv (contract_ajv.js): after a warm-up round the best of five, because
// other load on the machine can only add time. `once` returns whether the result was
// correct.
template <class Once>
void measure_rounds(benchmark::State& state, std::int64_t count, Once const& once) {
    using Clock = std::chrono::steady_clock;
    auto best = std::chrono::duration<double>::max();
    for (int round = 0; round < 6; ++round) {
        auto const begin = Clock::now();
        for (std::int64_t i = 0; i < count; ++i) {
            if (!once()) return state.SkipWithError("another outcome");
        }
        std::chrono::duration<double> const taken = Clock::now() - begin;
        if (round > 0) best = std::min(best, taken);
    }
    for (auto _ : state)
        state.SetIterationTime(best.count() / static_cast<double>(count));
}

void sallyport_validates(benchmark::State& state, Sample const& sample) {
    Question question{sample.body};
    contract::BodySchema const schema = schema_of(sample.operation);
    measure_rounds(state, 40'000,
                   [&] { return question.validate(schema) == contract::Outcome::valid; });
}

void sallyport_parses(benchmark::State& state, Sample const& sample) {
    Question question{sample.body};
    measure_rounds(state, 40'000, [&] { return question.parse() == contract::Outcome::valid; });
}

void rapidjson_validates(benchmark::State& state, Sample const& sample) {
    if (!bench::RapidJson::is_here()) {
        return state.SkipWithError("skipped: built without rapidjson-dev");
    }
    bench::RapidJson validator{sample};
    measure_rounds(state, 4'000, [&] { return validator.is_valid(sample.body); });
}

void ajv_validates(benchmark::State& state, Sample const& sample, bench::AjvInput input) {
    auto const nanoseconds = bench::measure_ajv(sample, input);
    if (!nanoseconds) {
        return state.SkipWithError(
            "skipped: no node, or no ajv (npm install --prefix build/ajv ajv)");
    }
    for (auto _ : state)
        state.SetIterationTime(*nanoseconds * 1e-9);
}

// Hostile bodies cost no more than reading them.
void hostile(benchmark::State& state, std::string const& body, contract::Outcome expected) {
    Question question{body};
    contract::BodySchema const schema = schema_of("createService");
    for (auto _ : state) {
        if (question.validate(schema) != expected) return state.SkipWithError("another outcome");
    }
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(body.size()));
}

void loads(benchmark::State& state, std::string const& path) {
    for (auto _ : state) {
        auto loaded = contract::Contract::load_file(path);
        if (!loaded.contract) return state.SkipWithError("does not load");
        benchmark::DoNotOptimize(loaded.contract);
    }
}

void add_samples() {
    for (auto const& [name, sample] : {std::pair{std::string{"settings"}, bench::settings_sample()},
                                       std::pair{std::string{"create"}, bench::create_sample()}}) {
        std::string const size = name + "/" + std::to_string(sample.body.size()) + "B";
        auto const add = [&](std::string const& who, auto what) {
            benchmark::RegisterBenchmark((who + '/' + size).c_str(), what, sample)
                ->UseManualTime()
                ->Iterations(1);
        };
        add("sallyport", sallyport_validates);
        add("sallyport, parse alone", sallyport_parses);
        add("rapidjson", rapidjson_validates);
        for (auto const& [from, input] : {std::pair{"text", bench::AjvInput::text},
                                          std::pair{"bytes", bench::AjvInput::bytes}}) {
            add("ajv from " + std::string{from},
                [input = input](benchmark::State& state, Sample const& one) {
                    ajv_validates(state, one, input);
                });
        }
    }
}

void add_large_ones() {
    using contract::Outcome;
    for (std::size_t const count : {100U, 1'000U, 10'000U, 100'000U}) {
        benchmark::RegisterBenchmark(("members/" + std::to_string(count)).c_str(), hostile,
                                     bench::object_of(count), Outcome::valid);
    }
    for (std::size_t const size : {std::size_t{1} << 16U, std::size_t{1} << 20U}) {
        benchmark::RegisterBenchmark(("text/" + std::to_string(size)).c_str(), hostile,
                                     bench::text_of(size), Outcome::valid);
    }
    std::string const deep(std::size_t{1} << 20U, '[');
    benchmark::RegisterBenchmark("hostile/a megabyte of [", hostile, deep, Outcome::malformed);
    std::string const digits = "{\"numReplicas\":" + std::string(std::size_t{1} << 20U, '7') + "}";
    benchmark::RegisterBenchmark("hostile/a megabyte of digits", hostile, digits,
                                 Outcome::violated);
    std::string twice = bench::object_of(50'000);
    twice.back() = ',';
    twice += R"("member_7":0})";
    benchmark::RegisterBenchmark("hostile/a late duplicate", hostile, twice, Outcome::malformed);
}

} // namespace

int main(int argc, char** argv) {
    add_samples();
    add_large_ones();
    benchmark::RegisterBenchmark("load/management", loads,
                                 SALLYPORT_SOURCE_FOLDER "/config/contracts/management.yaml")
        ->Unit(benchmark::kMillisecond);
    // Published documents, if a folder of them is named.
    if (char const* const folder = std::getenv("SALLYPORT_OPENAPI_FOLDER"); folder != nullptr) {
        for (auto const* const name : {"clickhouse-cloud.json", "hyperdx.json"}) {
            benchmark::RegisterBenchmark((std::string{"load/"} + name).c_str(), loads,
                                         std::string{folder} + "/" + name)
                ->Unit(benchmark::kMillisecond);
        }
    }
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}

// Framing and smuggling: whatever can be read in two ways is refused, or forwarded in exactly one.
#include "tests/hostile/wire_stage.h"

#include <catch2/catch.hpp>

#include <random>

using namespace sallyport::test;

TEST_CASE("there are enough cases of framing") {
    CHECK(wire_cases("framing").size() >= 300);
}

TEST_CASE("what is ambiguous is refused or forwarded in one meaning") {
    WireStage stage;
    for (auto const& wire_case : wire_cases("framing"))
        stage.run(wire_case, in_one_piece);
    stage.finish();
}

TEST_CASE("what is ambiguous means the same byte by byte") {
    WireStage stage;
    for (auto const& wire_case : wire_cases("framing"))
        stage.run(wire_case, byte_by_byte);
    stage.finish();
}

TEST_CASE("what is ambiguous means the same cut in two, wherever that is") {
    std::mt19937_64 random{1};
    WireStage stage;
    for (auto const& wire_case : wire_cases("framing"))
        for (int cuts = 0; cuts < 2 && wire_case.bytes.size() > 1; ++cuts)
            stage.run(wire_case, split_at(1 + random() % (wire_case.bytes.size() - 1)));
    stage.finish();
}

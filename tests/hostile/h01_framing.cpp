// Framing and smuggling: ambiguous requests are refused, or forwarded in exactly one meaning.
#include "tests/hostile/wire_stage.h"

#include <catch2/catch.hpp>

#include <random>

namespace h01_framing {

using namespace sallyport::test;

TEST_CASE("there are enough cases of framing") {
    CHECK(wire_cases("framing").size() >= 300);
}

TEST_CASE("ambiguous requests are refused or forwarded in one meaning") {
    WireStage stage;
    for (auto const& wire_case : wire_cases("framing"))
        stage.run(wire_case, in_one_piece);
    stage.finish();
}

TEST_CASE("ambiguous requests have the same result byte by byte") {
    WireStage stage;
    for (auto const& wire_case : wire_cases("framing"))
        stage.run(wire_case, byte_by_byte);
    stage.finish();
}

TEST_CASE("ambiguous requests have the same result in two pieces, split anywhere") {
    std::mt19937_64 random{1};
    WireStage stage;
    for (auto const& wire_case : wire_cases("framing"))
        for (int cuts = 0; cuts < 2 && wire_case.bytes.size() > 1; ++cuts)
            stage.run(wire_case, split_at(1 + random() % (wire_case.bytes.size() - 1)));
    stage.finish();
}

} // namespace h01_framing

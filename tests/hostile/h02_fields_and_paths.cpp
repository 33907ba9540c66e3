// Fields and paths: strangers cannot speak for the gateway, and no spelling of a path leads past a
// contract.
#include "tests/hostile/wire_stage.h"

#include <catch2/catch.hpp>

using namespace sallyport::test;

TEST_CASE("fields of strangers never arrive, and nobody takes ours away") {
    WireStage stage;
    for (auto const& wire_case : wire_cases("fields")) {
        stage.run(wire_case, in_one_piece);
        stage.run(wire_case, byte_by_byte);
    }
    stage.finish();
}

TEST_CASE("no spelling of a path reaches what was not matched") {
    WireStage stage;
    for (auto const& wire_case : wire_cases("paths")) {
        stage.run(wire_case, in_one_piece);
        stage.run(wire_case, byte_by_byte);
    }
    stage.finish();
}

// Fields and paths: a client cannot send fields in the name of the gateway, and no spelling of a
// path bypasses a contract.
#include "tests/hostile/wire_stage.h"

#include <catch2/catch.hpp>

namespace h02_fields_and_paths {

using namespace sallyport::test;

TEST_CASE("fields that assert an identity are dropped, and a client cannot remove the gateway's") {
    WireStage stage;
    for (auto const& wire_case : wire_cases("fields")) {
        stage.run(wire_case, in_one_piece);
        stage.run(wire_case, byte_by_byte);
    }
    stage.finish();
}

TEST_CASE("no spelling of a path reaches an operation that was not matched") {
    WireStage stage;
    for (auto const& wire_case : wire_cases("paths")) {
        stage.run(wire_case, in_one_piece);
        stage.run(wire_case, byte_by_byte);
    }
    stage.finish();
}

} // namespace h02_fields_and_paths

// Every wire case that HTTP/2 can say has the same response, line of the log and request at the
// upstream over HTTP/2 as over HTTP/1.1, but for `protocol`, Via, and the rows of the tables in
// versions_stage.cpp.
//
// Left out is what only HTTP/1 has: its lines (empty ones before a request, folded ones, ones
// without a colon, request lines that do not split into three parts), its versions, its chunks with
// extensions or malformed ones, and heads and chunks that do not end. A head that is larger than a
// header block ends the connection of HTTP/2 (h14_http2_floods).
#include "tests/hostile/versions_stage.h"
#include "tests/hostile/wire_stage.h"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <map>

namespace h15_both_versions {

using namespace sallyport::test;

namespace {

// How many requests are left out, so that none is unnoticed: a case about these changes them.
std::map<std::string_view, std::size_t> const expected_left_out{
    {left_out::line_before, 9}, {left_out::request_line, 64}, {left_out::version, 90},
    {left_out::folded, 54},     {left_out::no_colon, 34},     {left_out::chunks, 231},
    {left_out::incomplete, 34}, {left_out::large, 8},
};

} // namespace

TEST_CASE("wire cases have the same result over HTTP/2") {
    VersionsStage stage;
    for (auto const* const folder : {"framing", "fields", "paths"})
        for (auto const& wire_case : wire_cases(folder))
            stage.run(wire_case);
    stage.finish();
    if (std::getenv("SALLYPORT_HOSTILE_ONLY") != nullptr) return;
    CHECK(stage.left_out() == expected_left_out);
    CHECK(stage.compared() >= 1'800);
    CHECK(stage.unused() == std::vector<std::string_view>{});
}

} // namespace h15_both_versions

// Every wire case, and every request of the corpora of heads, chunks and targets, that HTTP/2 can
// say has the same response, line of the log and request at the
// upstream over HTTP/2 as over HTTP/1.1, but for `protocol`, Via, and the rows of the tables in
// versions_stage.cpp.
//
// Left out is what only HTTP/1 has: its lines (empty ones before a request, folded ones, ones
// without a colon, request lines that do not split into three parts), its versions, its chunks with
// extensions or malformed ones, heads and chunks that do not end, and an absolute target without a
// Host beside it. A head that is larger than a
// header block ends the connection of HTTP/2 (h14_http2_floods).
#include "tests/hostile/corpus_streams.h"
#include "tests/hostile/versions_stage.h"
#include "tests/hostile/wire_stage.h"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <map>
#include <string>

namespace h15_both_versions {

using namespace sallyport::test;

namespace {

// How many requests are left out, so that none is unnoticed: a case about these changes them.
std::map<std::string_view, std::size_t> const expected_left_out{
    {left_out::line_before, 9}, {left_out::request_line, 64}, {left_out::version, 90},
    {left_out::folded, 54},     {left_out::no_colon, 34},     {left_out::chunks, 231},
    {left_out::incomplete, 34}, {left_out::large, 13},
};

} // namespace

TEST_CASE("wire cases have the same result over HTTP/2") {
    VersionsStage stage;
    for (auto const* const folder : {"framing", "fields", "paths"})
        for (auto const& wire_case : wire_cases(folder))
            stage.run(wire_case);
    stage.finish();
    if (std::getenv("SALLYPORT_HOSTILE_ONLY") != nullptr) return;
    std::string left_out;
    for (auto const& [reason, count] : stage.left_out())
        left_out += std::string{reason} + ": " + std::to_string(count) + '\n';
    CAPTURE(left_out);
    CHECK(stage.left_out() == expected_left_out);
    CHECK(stage.compared() >= 1'800);
    CHECK(stage.unused() == std::vector<std::string_view>{});
}

TEST_CASE("the requests of the corpora have the same result over HTTP/2") {
    VersionsStage stage;
    std::size_t number = 0;
    for (auto const& stream : corpus_streams())
        stage.run("stream " + std::to_string(++number), stream);
    stage.finish();
    CHECK(stage.compared() >= 200);
}

} // namespace h15_both_versions

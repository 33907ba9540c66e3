// The plugin that plugins/README.md shows how to write, in a pipeline by the row that stands there.
#include "plugins/anonymous/anonymous.h"
#include "plugins/deny_debug/deny_debug.h"
#include "tests/unit/pipeline/double.h"

#include <catch2/catch.hpp>

namespace example_test {

using namespace sallyport::pipeline;
using namespace sallyport::plugins;

namespace {

constexpr std::array<PluginRow, 2> rows{{
    {anonymous_name, Phase::authenticate, make_anonymous},
#include "row"
}};

std::string admit(std::string_view field) {
    sallyport::pipeline::test::Fixture fixture{"GET / HTTP/1.1\r\nHost: h\r\n" + std::string{field}
                                               + "\r\n"};
    fixture.api.methods = {"GET"};
    fixture.api.authenticate = {"anonymous"};
    Pipeline pipeline{fixture.api, rows};
    auto admission = pipeline.admit(fixture.exchange, Until::end);
    if (admission.permit()) return "permit";
    auto const denial = std::move(admission).take_denial();
    return std::string{to_string(denial->reason)} + ": " + denial->public_detail;
}

} // namespace

TEST_CASE("the plugin of the page denies within a pipeline, and lets other requests through") {
    CHECK(admit("X-Debug: 1\r\n") == "forbidden: The field X-Debug is not allowed here");
    CHECK(admit("") == "permit");
}

} // namespace example_test

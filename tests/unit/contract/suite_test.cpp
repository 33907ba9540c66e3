// The official JSON Schema Test Suite (2020-12): every mandatory test.
//
// SALLYPORT_JSON_SCHEMA_SUITE names the folder of a checkout; without it the test prints a warning
// and passes.
#include "gateway/contract/openapi/load.h"
#include "tests/unit/contract/support.h"

#include <catch2/catch.hpp>
#include <simdjson.h>

#include <cstdlib>
#include <filesystem>

namespace sallyport::contract::test::suite_test {
namespace {

void run_group(simdjson::dom::element group, LoadOptions const& options, References references,
               int& run) {
    std::string const name{std::string_view{group["description"]}};
    simdjson::dom::element const schema = group["schema"];
    INFO("group: " << name << "\nschema: " << simdjson::minify(schema));
    Loader loader{config::yaml::load_text(simdjson::minify(schema), "schema.json",
                                          config::yaml::Syntax::full),
                  options, references};
    Loaded const loaded = loader.load_schema(Formats::annotate);
    for (auto const& problem : loaded.problems)
        UNSCOPED_INFO(describe(problem));
    CHECK(loaded.contract != nullptr);
    if (!loaded.contract) return;
    Validator validator;
    for (simdjson::dom::element const test : group["tests"]) {
        Body const body{simdjson::minify(test["data"])};
        bool const is_valid = test["valid"];
        auto const& report = validator.validate(*loaded.contract->schema(), body.view(), {}, {});
        INFO("test: " << std::string_view{test["description"]} << "\ndata: " << body.view()
                      << "\nverdict: " << verdict_of(report));
        CHECK(report.outcome == (is_valid ? Outcome::valid : Outcome::violated));
        ++run;
    }
}

TEST_CASE("the official test suite agrees, and none of its schemas is refused") {
    char const* const folder = std::getenv("SALLYPORT_JSON_SCHEMA_SUITE");
    if (folder == nullptr) {
        WARN("skipped: SALLYPORT_JSON_SCHEMA_SUITE does not name the folder of the test suite");
        return;
    }
    std::filesystem::path const suite{folder};
    LoadOptions const options{{(suite / "remotes").string()}};
    // Also as in a document that is too large to have each `$ref` expanded at its place.
    auto const references = GENERATE(References::expanded, References::shared);
    int run = 0;
    for (auto const& entry :
         std::filesystem::directory_iterator{suite / "tests" / "draft2020-12"}) {
        if (entry.path().extension() != ".json") continue;
        INFO("file: " << entry.path().filename().string());
        simdjson::dom::parser parser;
        simdjson::dom::element groups;
        REQUIRE(parser.load(entry.path().string()).get(groups) == simdjson::SUCCESS);
        for (simdjson::dom::element const group : groups)
            run_group(group, options, references, run);
    }
    WARN(run << " tests run");
    CHECK(run > 1200);
}

} // namespace
} // namespace sallyport::contract::test::suite_test

// The official JSON Schema Test Suite (2020-12), as far as its keywords are implemented.
//
// SALLYPORT_JSON_SCHEMA_SUITE names the folder of a checkout; without it the test says so and
// passes.
#include "tests/unit/contract/support.h"

#include <catch2/catch.hpp>
#include <simdjson.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <set>

namespace sallyport::contract::test {
namespace {

// Keywords that do not load. A group that uses one must be refused, or be right all the same.
constexpr std::array unsupported{
    "$anchor",
    "$dynamicAnchor",
    "$dynamicRef",
    "$id",
    "$vocabulary",
    "contains",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
    "definitions",
    "dependentSchemas",
    "maxContains",
    "minContains",
    "patternProperties",
    "propertyNames",
    "unevaluatedItems",
    "unevaluatedProperties",
};

// Stands for a `$ref` to another document, and for a dialect other than 2020-12: neither loads.
constexpr std::string_view elsewhere = "(another document)";
constexpr std::string_view dialect = "https://json-schema.org/draft/2020-12/schema";

// Here the suite asks for something else than this engine means to do.
constexpr std::array other_meaning{
    // Formats are asserted here; the suite's mandatory part holds them to be annotations.
    "format.json",
};

void collect_keys(simdjson::dom::element element, std::set<std::string>& keys) {
    simdjson::dom::object object;
    simdjson::dom::array array;
    if (element.get(object) == simdjson::SUCCESS) {
        for (auto const field : object) {
            keys.emplace(field.key);
            std::string_view text;
            bool const is_text = field.value.get(text) == simdjson::SUCCESS;
            if (is_text && field.key == "$ref" && text.front() != '#') keys.emplace(elsewhere);
            if (is_text && field.key == "$schema" && text != dialect) keys.emplace(elsewhere);
            collect_keys(field.value, keys);
        }
    } else if (element.get(array) == simdjson::SUCCESS) {
        for (auto const item : array)
            collect_keys(item, keys);
    }
}

[[nodiscard]] bool may_be_refused(simdjson::dom::element schema) {
    std::set<std::string> keys;
    collect_keys(schema, keys);
    if (keys.count(std::string{elsewhere}) != 0) return true;
    return std::any_of(unsupported.begin(), unsupported.end(),
                       [&keys](char const* keyword) { return keys.count(keyword) != 0; });
}

struct Count {
    int run = 0;
    int refused = 0;
};

void run_group(simdjson::dom::element group, Count& count) {
    std::string const name{std::string_view{group["description"]}};
    simdjson::dom::element const schema = group["schema"];
    Loaded const loaded = Contract::load_schema(simdjson::minify(schema), "schema.json");
    INFO("group: " << name << "\nschema: " << simdjson::minify(schema));
    if (!loaded.contract) {
        for (auto const& problem : loaded.problems)
            UNSCOPED_INFO(describe(problem));
        CHECK(may_be_refused(schema));
        ++count.refused;
        return;
    }
    Validator validator;
    for (simdjson::dom::element const test : group["tests"]) {
        Body const body{simdjson::minify(test["data"])};
        bool const is_valid = test["valid"];
        auto const& report = validator.validate(*loaded.contract->schema(), body.view(), {}, {});
        INFO("test: " << std::string_view{test["description"]} << "\ndata: " << body.view()
                      << "\nverdict: " << verdict_of(report));
        CHECK(report.outcome == (is_valid ? Outcome::valid : Outcome::violated));
        ++count.run;
    }
}

TEST_CASE("the official test suite agrees wherever its keywords are implemented") {
    char const* const folder = std::getenv("SALLYPORT_JSON_SCHEMA_SUITE");
    if (folder == nullptr) {
        WARN("skipped: SALLYPORT_JSON_SCHEMA_SUITE does not name the folder of the test suite");
        return;
    }
    Count count;
    auto const tests = std::filesystem::path{folder} / "tests" / "draft2020-12";
    for (auto const& entry : std::filesystem::directory_iterator{tests}) {
        if (entry.path().extension() != ".json") continue;
        auto const file = entry.path().filename().string();
        if (std::find(other_meaning.begin(), other_meaning.end(), file) != other_meaning.end()) {
            continue;
        }
        INFO("file: " << file);
        simdjson::dom::parser parser;
        simdjson::dom::element groups;
        REQUIRE(parser.load(entry.path().string()).get(groups) == simdjson::SUCCESS);
        for (simdjson::dom::element const group : groups)
            run_group(group, count);
    }
    WARN(count.run << " tests run, " << count.refused << " groups refused at load");
    CHECK(count.run > 600);
}

} // namespace
} // namespace sallyport::contract::test

// The JSONPath Compliance Test Suite: every test.
//
// SALLYPORT_JSONPATH_SUITE names the folder of a checkout, with its cts.json; without it the test
// prints a warning and passes.
#include "gateway/contract/overlay/jsonpath.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

namespace sallyport::contract::jsonpath::jsonpath_suite_test {
namespace {

namespace yaml = config::yaml;
using Paths = std::vector<std::string>;

[[nodiscard]] Paths texts_of(yaml::Node const& list) {
    Paths out;
    for (yaml::Node const& item : list.items())
        out.push_back(item.text());
    return out;
}

// Properties have no order in JSON, so that there may be several right results.
[[nodiscard]] bool is_expected(yaml::Node const& test, Paths const& paths) {
    if (auto const* const one = test.find("result_paths"); one != nullptr) {
        return texts_of(*one) == paths;
    }
    auto const& all = test.find("results_paths")->items();
    return std::any_of(all.begin(), all.end(),
                       [&paths](yaml::Node const& one) { return texts_of(one) == paths; });
}

TEST_CASE("the JSONPath compliance test suite agrees") {
    char const* const folder = std::getenv("SALLYPORT_JSONPATH_SUITE");
    if (folder == nullptr) {
        WARN("skipped: SALLYPORT_JSONPATH_SUITE does not name the folder of the test suite");
        return;
    }
    auto const suite = yaml::load_file(std::string{folder} + "/cts.json");
    auto const* const tests = suite.root().find("tests");
    REQUIRE(tests != nullptr);
    for (yaml::Node const& test : tests->items()) {
        INFO(test.find("name")->text() << ": " << test.find("selector")->text());
        auto const parsed = parse(test.find("selector")->text());
        bool const is_invalid = test.find("invalid_selector") != nullptr;
        CHECK(parsed.query.has_value() == !is_invalid);
        if (!parsed.query || is_invalid) continue;
        yaml::Node const& document = *test.find("document");
        Work work;
        auto const selected = select(*parsed.query, document, work);
        CHECK(selected.is_whole);
        Paths paths;
        for (Match const& match : selected.matches)
            paths.push_back(normalized_path(document, match.location));
        CAPTURE(paths);
        CHECK(is_expected(test, paths));
    }
    WARN(tests->items().size() << " tests run");
    CHECK(tests->items().size() >= 703);
}

} // namespace
} // namespace sallyport::contract::jsonpath::jsonpath_suite_test

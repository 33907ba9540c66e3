// The rows of cases/*.yaml: decisions, whole bodies, responses, levels.
#include "tests/contract/cases.h"
#include "tests/contract/shipped.h"
#include "tests/unit/contract/sent_text.h"

#include <algorithm>
#include <catch2/catch.hpp>

namespace test_cases {

using namespace sallyport::contract;
using namespace sallyport::contract::test;

namespace {

// Pointer and rule of each violation, sorted: the document does not define their order.
std::vector<std::string> in_short(std::vector<ExpectedViolation> const& violations) {
    std::vector<std::string> lines;
    for (auto const& each : violations) {
        lines.push_back(each.rule_pointer + " at " + each.pointer + " wants "
                        + each.expected.value_or("-"));
    }
    std::sort(lines.begin(), lines.end());
    return lines;
}

std::vector<std::string> in_short(std::vector<Violation> const& violations,
                                  std::vector<ExpectedViolation> const& expected_ones) {
    std::vector<ExpectedViolation> found;
    for (auto const& each : violations) {
        found.push_back({each.pointer, std::string{each.rule_pointer}, each.expected, {}});
        // Only compared if the row has an expected value.
        auto const row =
            std::find_if(expected_ones.begin(), expected_ones.end(), [&](auto const& expected) {
                return expected.rule_pointer == each.rule_pointer
                       && expected.pointer == each.pointer;
            });
        if (row != expected_ones.end() && !row->expected) found.back().expected.reset();
    }
    return in_short(found);
}

void check_violations(std::vector<Violation> const& found,
                      std::vector<ExpectedViolation> const& expected, Level level) {
    CHECK(in_short(found, expected) == in_short(expected));
    for (auto const& violation : found) {
        CHECK(violation.level == level);
        CHECK_FALSE(violation.source.empty());
        CHECK(message_of(violation).find('\n') == std::string::npos);
    }
    for (auto const& each : expected) {
        if (!each.message) continue;
        std::vector<std::string> messages;
        for (auto const& violation : found)
            messages.push_back(message_of(violation));
        CAPTURE(messages, *each.message);
        CHECK(std::count(messages.begin(), messages.end(), *each.message) == 1);
    }
}

std::vector<ExpectedViolation> with_whole_names(Side side, std::vector<ExpectedViolation> list) {
    for (auto& each : list)
        each.rule_pointer = rule_name(side, each.rule_pointer);
    return list;
}

void check_case(Case const& each) {
    INFO(each.name);
    INFO(each.operation << " " << each.body);
    auto const report = validate(each.operation, each.side, each.body, each.labels, each.levels);
    CHECK(report.outcome == each.outcome);
    if (each.outcome == Outcome::malformed) CHECK(name_of(report.malformed) == each.malformed);
    check_violations(report.violations, with_whole_names(each.side, each.because), Level::enforce);
    check_violations(report.reported, with_whole_names(each.side, each.reported), Level::report);
    CHECK_FALSE(report.more_violations);
    if (each.unknown_members) CHECK(report.unknown_members == *each.unknown_members);
    for (auto const& name : each.deprecated) {
        CHECK(std::count(report.deprecated_members.begin(), report.deprecated_members.end(), name)
              == 1);
    }
}

void check_file(std::string const& file) {
    for (auto const& each : read_cases(file))
        check_case(each);
}

} // namespace

TEST_CASE("bodies that a documented decision forbids are refused, and all others pass") {
    check_file("decisions.yaml");
}

TEST_CASE("bodies that are not JSON, not an object or invalid in several places are refused") {
    check_file("bodies.yaml");
}

TEST_CASE("responses that violate the contract are found") {
    check_file("responses.yaml");
}

TEST_CASE("one rule can be reported while the others are enforced") {
    check_file("levels.yaml");
}

} // namespace test_cases

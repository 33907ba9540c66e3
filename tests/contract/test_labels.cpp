// Rules for some callers: each x-when of the contracts applies to every caller that it names and to
// no other, for each label and value.
#include "tests/contract/cases.h"
#include "tests/contract/read.h"
#include "tests/contract/schema_tree.h"
#include "tests/contract/shipped.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <tuple>

namespace test_labels {

using namespace sallyport::contract;
using namespace sallyport::contract::test;
namespace yaml = sallyport::config::yaml;

namespace {

// All callers that differ by one label, with the values of the documents.
std::vector<Label> const one_label{
    {"organization_tier", std::string{"BASIC"}},
    {"organization_tier", std::string{"SCALE"}},
    {"organization_tier", std::string{"ENTERPRISE"}},
    {"organization_tier", std::string{"scale"}},
    {"organization_tier", std::string{}},
    {"organization_tier", true},
    {"paid", true},
    {"paid", false},
    {"paid", std::string{"false"}},
    {"paid", std::int64_t{0}},
    {"Paid", false},
};

LabelValue value_of(yaml::Node const& node) {
    if (node.kind() == yaml::Kind::boolean) return node.as_boolean();
    return text_of(node);
}

// Whether an x-when with one label applies to this caller, according to the contract's file.
bool is_named(yaml::Node const& labels, Label const& caller) {
    REQUIRE(labels.entries().size() == 1);
    auto const& [name, values] =
        std::tie(labels.entries().front().key, labels.entries().front().value);
    if (name != caller.name) return false;
    if (!values.is_sequence()) return is_same(value_of(values), caller.value);
    auto const is_it = [&](yaml::Node const& value) {
        return is_same(value_of(value), caller.value);
    };
    return std::any_of(values.items().begin(), values.items().end(), is_it);
}

// A body that violates a rule below an x-when, and the prefix of the pointers of such rules.
struct Broken {
    std::string operation;
    std::string front;
    std::string body;
};

std::vector<Broken> broken_conditions() {
    std::vector<Broken> all;
    for (auto const* file : {"decisions.yaml", "bodies.yaml"}) {
        for (auto const& each : read_cases(file)) {
            for (auto const& violation : each.because) {
                auto const& rule = violation.rule_pointer;
                auto const at = rule.find("/x-when/");
                if (at == std::string::npos || each.side != Side::request) continue;
                auto const end = rule.find('/', at + std::string{"/x-when/"}.size());
                all.push_back({each.operation, rule.substr(0, end), each.body});
            }
        }
    }
    return all;
}

bool breaks(Broken const& broken, Labels const& labels) {
    auto const report = validate(broken.operation, Side::request, broken.body, labels);
    return std::any_of(
        report.violations.begin(), report.violations.end(), [&broken](Violation const& violation) {
            return violation.rule_pointer.substr(0, broken.front.size() + 1) == broken.front + '/';
        });
}

yaml::Node const& condition_of(Broken const& broken) {
    for (auto const& document : documents()) {
        auto const& root = contract_file(document);
        auto const* const body = body_schema(root, broken.operation, Side::request);
        if (body == nullptr) continue;
        auto const at = broken.front.rfind("/x-when/");
        auto const* const schema = follow(root, *body, broken.front.substr(0, at));
        REQUIRE(schema != nullptr);
        auto const& entries = child(*schema, "x-when").items();
        auto const number = std::stoul(broken.front.substr(at + std::string{"/x-when/"}.size()));
        REQUIRE(number < entries.size());
        return child(entries[number], "labels");
    }
    FAIL("no such operation");
    std::abort();
}

} // namespace

TEST_CASE(
    "a rule for some callers applies to each caller that the contract names, and to no other") {
    std::map<std::string, std::size_t> bound;
    for (auto const& broken : broken_conditions()) {
        auto const& labels = condition_of(broken);
        for (auto const& caller : one_label) {
            INFO(broken.operation << ' ' << broken.front << ' ' << broken.body << ' '
                                  << caller.name);
            CHECK(breaks(broken, {caller}) == is_named(labels, caller));
            // Other labels of a caller have no effect.
            CHECK(breaks(broken, {{"other", std::string{"SCALE"}}, caller})
                  == is_named(labels, caller));
        }
        CHECK_FALSE(breaks(broken, {}));
        ++bound[broken.operation + broken.front];
    }
    // Each x-when of the contracts was checked.
    std::size_t conditions = 0;
    for (auto const& document : documents()) {
        visit_schemas(contract_file(document), [&](yaml::Node const& schema, auto&&...) {
            if (!schema.is_mapping()) return;
            auto const* const entries = schema.find("x-when");
            if (entries != nullptr) conditions += entries->items().size();
        });
    }
    CHECK(conditions >= 5);
    CHECK(bound.size() == conditions);
}

} // namespace test_labels

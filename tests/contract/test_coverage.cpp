// Every rule of the shipped contracts is tested: without it a case would fail.
#include "tests/contract/cases.h"
#include "tests/contract/probes.h"
#include "tests/contract/read.h"
#include "tests/contract/schema_tree.h"

#include <catch2/catch.hpp>
#include <set>
#include <tuple>

namespace test_coverage {

using namespace sallyport::contract::test;

namespace {

struct Rule {
    std::string operation;
    Side side;
    std::string pointer;

    bool operator<(Rule const& other) const {
        return std::tie(operation, side, pointer)
               < std::tie(other.operation, other.side, other.pointer);
    }
};

// Rules that a case or row expects to be violated.
std::set<Rule> tested_rules() {
    std::set<Rule> rules;
    for (auto const& document : documents()) {
        for (auto const& row : document.rows) {
            for (auto const& probe : all_wrong(row)) {
                for (auto const& each : probe.broken)
                    rules.insert({row.operation, row.side, each.rule_pointer});
            }
            if (row.required)
                rules.insert({row.operation, row.side, row.object_rule + "/required"});
        }
    }
    for (auto const* file : {"decisions.yaml", "bodies.yaml", "responses.yaml"}) {
        for (auto const& each : read_cases(file)) {
            for (auto const& violation : each.because) {
                rules.insert({each.operation, each.side, violation.rule_pointer});
            }
        }
    }
    return rules;
}

std::vector<Rule> rules_of_contracts() {
    std::vector<Rule> rules;
    for (auto const& document : documents()) {
        auto const& root = contract_file(document);
        for (auto const& path : child(root, "paths").entries()) {
            for (auto const& method : path.value.entries()) {
                auto const* const id = method.value.find("operationId");
                if (id == nullptr) continue;
                for (auto const side : {Side::request, Side::response}) {
                    auto const* const body = body_schema(root, text_of(*id), side);
                    if (body == nullptr) continue;
                    for (auto const& pointer : rule_pointers(root, *body)) {
                        rules.push_back({text_of(*id), side, pointer});
                    }
                }
            }
        }
    }
    return rules;
}

} // namespace

TEST_CASE("every rule of the contracts is violated by a case") {
    auto const tested = tested_rules();
    auto const rules = rules_of_contracts();
    CHECK(rules.size() > 400);
    for (auto const& rule : rules) {
        INFO(rule.operation << (rule.side == Side::request ? " request " : " response ")
                            << rule.pointer);
        CHECK(tested.count(rule) == 1);
    }
}

TEST_CASE("every case expects only rules of the contracts") {
    auto const rules = rules_of_contracts();
    std::set<Rule> const known(rules.begin(), rules.end());
    for (auto const& rule : tested_rules()) {
        INFO(rule.operation << (rule.side == Side::request ? " request " : " response ")
                            << rule.pointer);
        CHECK(known.count(rule) == 1);
    }
}

} // namespace test_coverage

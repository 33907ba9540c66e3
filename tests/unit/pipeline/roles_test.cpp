// Roles of callers that are known only when they come: combined, and with the caller's labels.
#include "gateway/pipeline/roles.h"

#include <catch2/catch.hpp>

#include <array>

namespace roles_test {

using namespace sallyport;
using namespace sallyport::pipeline;

namespace {

constexpr std::size_t api = 1;

/// A role at the second of two APIs.
Role role_of(std::vector<Rule> rules, std::vector<RoleValues> values = {}, unsigned line = 1) {
    auto permissions = std::make_shared<std::vector<Permissions>>(2);
    (*permissions)[api].rules = std::move(rules);
    (*permissions)[api].combine();
    // Each rule on a line of its own.
    std::vector<config::yaml::Mark> places;
    for (auto& one : (*permissions)[api].rules) {
        one.number = static_cast<std::uint32_t>(places.size());
        places.push_back({nullptr, line + one.number, 1});
    }
    return {std::move(permissions), std::move(values), std::move(places)};
}

Rule rule(Effect effect, std::initializer_list<std::uint32_t> operations,
          std::vector<ParameterTest> tests = {}) {
    Rule out;
    out.effect = effect;
    for (auto const operation : operations)
        out.operations.add(operation);
    out.tests = std::move(tests);
    return out;
}

RoleValues values(std::initializer_list<std::string> fixed, std::vector<std::string> labels = {}) {
    auto made = std::make_shared<AllowedValues>();
    for (auto const& value : fixed)
        made->emplace_back(value);
    return {made, std::move(labels)};
}

} // namespace

TEST_CASE("roles together allow what one of them allows, and none denies") {
    auto const one = role_of({rule(Effect::allow, {1, 2})});
    auto const other = role_of({rule(Effect::allow, {3}), rule(Effect::deny, {2})});
    std::array const both{&one, &other};
    auto const combined = combine(both, api);
    REQUIRE(combined.permissions->size() == 2);
    CHECK(combined.permissions->front().rules.empty());
    auto const& permissions = combined.permissions->back();
    CHECK(permissions.allowed.has(1));
    CHECK_FALSE(permissions.allowed.has(2));
    CHECK(permissions.allowed.has(3));
    CHECK(combine({}, api).permissions->back().allowed.is_empty());
}

TEST_CASE("each rule keeps the values that it is compared with, whichever roles are before it") {
    auto const one = role_of({rule(Effect::allow, {1}, {{"a", 0}, {"b", 1}})},
                             {values({"one"}), values({"two"})});
    auto const other = role_of({rule(Effect::deny, {1}, {{"a", 0}})}, {values({"three"})}, 10);
    std::array const both{&one, &other};
    auto const combined = combine(both, api);
    auto const& rules = combined.permissions->back().rules;
    REQUIRE(rules.size() == 2);
    CHECK(rules[0].tests[1].values == 1);
    CHECK(rules[1].tests[0].values == 2);
    CHECK((*combined.rule_places)[rules[0].number].line == 1);
    CHECK((*combined.rule_places)[rules[1].number].line == 10);
    auto const resolved = values_for(combined.values, {});
    REQUIRE(resolved);
    CHECK((*(*resolved)[2])[0].text() == "three");
}

TEST_CASE("labels of the caller are added to the values, and one that is missing refuses") {
    std::vector<RoleValues> const wanted{values({"fixed"}, {"org"}), values({"x"})};
    auto const of = [&](contract::Labels const& labels) -> std::string {
        auto const resolved = values_for(wanted, labels);
        if (!resolved) return "refused";
        std::string text;
        for (auto const& one : *resolved)
            for (auto const& value : *one)
                text += value.text() + ' ';
        return text;
    };
    CHECK(of({{"org", std::string{"o-1"}}}) == "fixed o-1 x ");
    CHECK(of({{"org", std::int64_t{5}}}) == "fixed 5 x ");
    CHECK(of({}) == "refused");
    CHECK(of({{"org", std::string{}}}) == "refused");
    CHECK(of({{"Org", std::string{"o-1"}}}) == "refused");
}

} // namespace roles_test

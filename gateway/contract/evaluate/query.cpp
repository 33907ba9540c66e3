// Checks the parameters of a query: each pair belongs to one declared parameter, or to none.
#include "gateway/contract/evaluate/parameter_refusal.h"
#include "gateway/contract/evaluate/parameter_text.h"
#include "gateway/contract/evaluate/query_names.h"
#include "gateway/contract/evaluate/query_owner.h"
#include "gateway/contract/evaluate/validator_state.h"

#include <algorithm>
#include <string>
#include <utility>

namespace sallyport::contract {

namespace {

// Counts pairs separated by `&`, or by `;` as some parsers do.
[[nodiscard]] bool has_too_many_pairs(std::string_view query) noexcept {
    if (query.size() < max_query_pairs) return false;
    std::size_t ends = 0;
    for (char const c : query)
        ends += c == '&' || c == ';' ? 1U : 0U;
    return ends >= max_query_pairs;
}

// A violation that belongs to no single parameter.
[[nodiscard]] Violation too_many_pairs() {
    Violation violation;
    violation.in = ValuePlace::query;
    violation.rule = "pairs";
    violation.expected = std::to_string(max_query_pairs);
    violation.phrase = "must contain at most " + violation.expected + " names with values";
    return violation;
}

} // namespace

void Validator::State::check_pair(Operation const& operation, std::string_view pair,
                                  CheckContext const& context) {
    auto const& declared = operation.query_parameters;
    if (pair.empty()) return;
    std::size_t const equals = std::min(pair.find('='), pair.size());
    std::string_view const raw = pair.substr(std::min(equals + 1, pair.size()));
    // A name may be encoded as well: an upstream that decodes it must not see another parameter.
    TextFault const fault = decode(pair.substr(0, equals), Coding::percent_and_plus, pair_name);
    auto const owner = find_owner(operation, pair_name);
    if (!owner) return check_stray(declared, context);
    // A violation that would only be counted is counted once.
    if (is_refused[owner->at] && is_full(parameter_report)) return;
    bool const is_read = fault == TextFault::none || owner->as == QueryOwner::As::misspelt;
    bool const holds = is_read ? check_owned(declared[owner->at], *owner, raw, context)
                               : refuse_text(declared[owner->at], fault);
    if (!holds) is_refused[owner->at] = true;
}

bool Validator::State::check_owned(Parameter const& parameter, QueryOwner const& owner,
                                   std::string_view raw, CheckContext const& context) {
    bool const is_member = owner.as == QueryOwner::As::member;
    if (owner.as == QueryOwner::As::deep)
        return take_deep_pair(parameter, owner, raw, context.lists);
    if (is_member && !parameter.deep.empty()) {
        // As if it were a name in brackets; one that has brackets itself is none.
        std::string const path = "[" + std::string{owner.member} + "]";
        return take_deep_pair(parameter, {owner.at, QueryOwner::As::deep, path}, raw, context.lists);
    }
    if (owner.as == QueryOwner::As::misspelt) {
        refuse(parameter_report,
               violation_of(parameter, "style",
                            "must be written as " + parameter.name + "[property]=value"));
        return false;
    }
    bool const may_repeat = is_in_pairs(parameter);
    if (is_given[owner.at] && !may_repeat) {
        refuse(parameter_report, violation_of(parameter, "duplicate", "must be given once"));
        return false;
    }
    is_given[owner.at] = true;
    if (!may_repeat) return check_whole(parameter, raw, context);
    Composite& composite = gathered[owner.at];
    if (!parameter.readings.empty()) composite.raw = raw;
    TextFault const wrong = is_member
                                ? append_member(composite, parameter, owner.member, raw, context)
                                : append_item(composite, parameter, raw, context);
    return wrong == TextFault::none || refuse_text(parameter, wrong);
}

// A pair that belongs to no parameter passes, unless an object whose properties are separate pairs
// forbids additional properties. One violation is recorded for all such pairs.
void Validator::State::check_stray(std::vector<Parameter> const& declared,
                                   CheckContext const& context) {
    for (Parameter const& parameter : declared) {
        if (!parameter.closed_by || !context.levels.checks(parameter.schema->index)) continue;
        Level const level = context.levels.of(*parameter.closed_by);
        if (level == Level::off) continue;
        Rule const& rule = parameter.schema->program->rules[*parameter.closed_by];
        bool const is_reported = level == Level::report;
        auto& list = is_reported ? parameter_report.reported : parameter_report.violations;
        auto found = std::find_if(list.begin(), list.end(), [&rule](Violation const& one) {
            return one.rule_pointer == rule.pointer && one.pointer == "/*";
        });
        if (found == list.end()) {
            if (!is_reported && is_full(parameter_report)) continue;
            auto violation = violation_of(parameter, rule.keyword, rule.phrase);
            violation.pointer = "/*";
            violation.expected = rule.expected;
            violation.rule_pointer = rule.pointer;
            violation.source = rule.source;
            violation.file = rule.mark.file_name();
            violation.line = rule.mark.line;
            violation.level = level;
            found = list.insert(list.end(), std::move(violation));
        }
        if (is_reported) continue;
        parameter_report.outcome = Outcome::violated;
        if (found->undeclared.size() < max_violations) {
            found->undeclared.emplace_back(cut_name(pair_name));
        } else {
            ++found->undeclared_left;
        }
    }
}

// Lists and objects, which may consist of several pairs.
void Validator::State::check_gathered(std::vector<Parameter> const& declared,
                                      CheckContext const& context) {
    for (std::size_t at = 0; at < declared.size(); ++at) {
        if (!is_in_pairs(declared[at]) || !is_given[at] || is_refused[at]) continue;
        check_gathered(declared[at], at, context);
    }
}

void Validator::State::check_gathered(Parameter const& parameter, std::size_t at,
                                      CheckContext const& context) {
    // Of several values no reading is a plain one.
    if (!parameter.readings.empty() && gathered[at].count == 1) {
        check_readings(parameter, gathered[at].raw, context);
    } else {
        check_composite(parameter, gathered[at], context);
    }
}

ParameterReport const& Validator::check_query(Operation const& operation, std::string_view query,
                                              Conditions const& conditions,
                                              LevelTable const& levels, Lists lists) {
    State& state = *state_;
    clear(state.parameter_report);
    auto const& declared = operation.query_parameters;
    if (declared.empty()) return state.parameter_report;
    if (has_too_many_pairs(query)) {
        refuse(state.parameter_report, too_many_pairs());
        return state.parameter_report;
    }
    if (auto const* const parameter = find_disguised(operation, query, state.decoded)) {
        // It is ambiguous which value the upstream uses: no further check.
        refuse(state.parameter_report,
               violation_of(*parameter, "name",
                            "must have its exact name, and only & may separate it from others"));
        return state.parameter_report;
    }
    State::CheckContext const context{conditions, levels, lists};
    state.is_given.assign(declared.size(), false);
    state.is_refused.assign(declared.size(), false);
    state.gathered.resize(declared.size());
    for (Composite& one : state.gathered)
        one.clear();
    while (!query.empty()) {
        std::size_t const end = std::min(query.find('&'), query.size());
        std::string_view const pair = query.substr(0, end);
        query.remove_prefix(std::min(end + 1, query.size()));
        state.check_pair(operation, pair, context);
    }
    state.check_gathered(declared, context);
    for (std::size_t at = 0; at < declared.size(); ++at) {
        if (!declared[at].required || state.is_given[at] || state.is_refused[at]) continue;
        refuse(state.parameter_report, violation_of(declared[at], "required", "is required"));
    }
    return state.parameter_report;
}

} // namespace sallyport::contract

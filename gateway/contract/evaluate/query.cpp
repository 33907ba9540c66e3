// Checks the parameters of a query: each pair belongs to one declared parameter, or to none.
#include "gateway/contract/evaluate/parameter_refusal.h"
#include "gateway/contract/evaluate/parameter_text.h"
#include "gateway/contract/evaluate/validator_state.h"

#include <algorithm>
#include <optional>

namespace sallyport::contract {

namespace {

// Of an object in the style deepObject: what stands in the brackets of `name[member]`.
[[nodiscard]] std::optional<std::string_view> deep_member(std::string_view name,
                                                          Parameter const& parameter) noexcept {
    std::size_t const begin = parameter.name.size() + 1;
    bool const fits = name.size() > begin + 1 && name.substr(0, begin - 1) == parameter.name
                      && name[begin - 1] == '[' && name.back() == ']';
    if (!fits) return std::nullopt;
    auto const member = name.substr(begin, name.size() - begin - 1);
    if (member.find_first_of("[]") != std::string_view::npos) return std::nullopt;
    return member;
}

struct Owner {
    std::size_t at = 0; // which parameter
    std::optional<std::string_view> member;
};
[[nodiscard]] std::optional<Owner> find_owner(std::vector<Parameter> const& declared,
                                              std::string_view name) noexcept {
    for (std::size_t at = 0; at < declared.size(); ++at) {
        Parameter const& one = declared[at];
        bool const is_object = one.shape == ParameterShape::object;
        if (is_object && one.style == ParameterStyle::deep_object) {
            if (auto const member = deep_member(name, one)) return Owner{at, member};
        } else if (is_object && one.explode == Explode::yes) {
            auto const is_member = [name](Parameter::Member const& known) {
                return known.name == name;
            };
            if (std::any_of(one.members.begin(), one.members.end(), is_member)) {
                return Owner{at, name};
            }
        } else if (one.name == name) {
            return Owner{at, std::nullopt};
        }
    }
    return std::nullopt;
}

} // namespace

bool Validator::State::check_pair(std::vector<Parameter> const& declared, std::string_view pair,
                                  Question const& question) {
    std::size_t const equals = std::min(pair.find('='), pair.size());
    std::string_view const raw = pair.substr(std::min(equals + 1, pair.size()));
    // A name may be escaped too: an upstream that decodes it must not see one that we did not.
    if (!decode(pair.substr(0, equals), Coding::percent_and_plus, decoded)) return true;
    auto const owner = find_owner(declared, decoded);
    if (!owner) return true;
    Parameter const& parameter = declared[owner->at];
    bool const may_repeat =
        owner->member
        || (parameter.shape == ParameterShape::list && parameter.explode == Explode::yes);
    if (is_given[owner->at] && !may_repeat) {
        refuse(parameter_report, parameter,
               violation_of(parameter, "duplicate", "must be given once"));
        return false;
    }
    is_given[owner->at] = true;
    if (is_whole(parameter)) return check_whole(parameter, raw, question);
    std::string& json = gathered[owner->at];
    bool is_read = false;
    if (owner->member) {
        is_read = append_member(json, parameter, *owner->member, raw);
    } else if (parameter.shape == ParameterShape::object) {
        is_read = append_members(json, parameter, raw);
    } else {
        is_read =
            may_repeat ? append_item(json, parameter, raw) : append_items(json, parameter, raw);
    }
    if (is_read) return true;
    refuse(parameter_report, parameter,
           violation_of(parameter, "encoding", "must be percent-encoded UTF-8 text"));
    return false;
}

// The lists and objects, which may have been given in parts.
bool Validator::State::check_gathered(std::vector<Parameter> const& declared,
                                      Question const& question) {
    for (std::size_t at = 0; at < declared.size(); ++at) {
        if (is_whole(declared[at]) || !is_given[at]) continue;
        composite = gathered[at];
        close_composite(composite, declared[at]);
        if (!check_composite(declared[at], question)) return false;
    }
    return true;
}

ParameterReport const& Validator::check_query(Operation const& operation, std::string_view query,
                                              Conditions const& conditions,
                                              LevelTable const& levels) {
    State& state = *state_;
    clear(state.parameter_report);
    auto const& declared = operation.query_parameters;
    if (declared.empty()) return state.parameter_report;
    State::Question const question{conditions, levels};
    state.is_given.assign(declared.size(), false);
    state.gathered.resize(declared.size());
    for (std::string& one : state.gathered)
        one.clear();
    while (!query.empty()) {
        std::size_t const end = std::min(query.find('&'), query.size());
        std::string_view const pair = query.substr(0, end);
        query.remove_prefix(std::min(end + 1, query.size()));
        if (!state.check_pair(declared, pair, question)) return state.parameter_report;
    }
    if (!state.check_gathered(declared, question)) return state.parameter_report;
    for (std::size_t at = 0; at < declared.size(); ++at) {
        if (!declared[at].required || state.is_given[at]) continue;
        refuse(state.parameter_report, declared[at],
               violation_of(declared[at], "required", "is required"));
        break;
    }
    return state.parameter_report;
}

} // namespace sallyport::contract

// What rules of credentials name has to exist, and each of them to apply to something.
#include "gateway/lifecycle/compile_permissions.h"

#include "config/text.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace sallyport::lifecycle::compile {

namespace {

using config::in_quotes;
using pipeline::Effect;
using Names = NamesOfApis::Names;
using Severity = config::yaml::Severity;

template <class Known>
std::string suggestion(std::string_view name, Known const& known) {
    std::vector<std::string_view> const names{known.begin(), known.end()};
    return config::suggestion(name, names);
}

template <class Map>
std::vector<std::string_view> keys_of(Map const& map) {
    std::vector<std::string_view> keys;
    for (auto const& [key, value] : map)
        keys.push_back(key);
    std::sort(keys.begin(), keys.end());
    return keys;
}

config::yaml::Problem has_no_contract(config::Origin const& origin, std::string const& api,
                                      std::string_view noun) {
    return config::problem_at(origin,
                              "the API " + in_quotes(api) + " has no contract, so it has no "
                                  + std::string{noun},
                              "write it under `apis:`");
}

void check_operation(config::AllowedOperation const& named, NamesOfApis const& all,
                     Problems& problems) {
    auto const* const names = all.find(named.api);
    // An API that does not exist was reported where the credentials were read.
    if (named.operation.empty() || names == nullptr || !names->is_known) return;
    if (!names->api->contract) {
        problems.push_back(has_no_contract(named.origin, named.api, "operations"));
        return;
    }
    if (names->operations.contains(named.operation)) return;
    std::vector<std::string_view> known; // in the order of the contract
    for (auto const& operation : names->api->contract->operations())
        known.emplace_back(operation.id);
    problems.push_back(config::problem_at(named.origin,
                                          "the contract of " + in_quotes(named.api)
                                              + " has no operation " + in_quotes(named.operation),
                                          config::suggestion(named.operation, known)));
}

void check_tag(config::AllowedTag const& named, NamesOfApis const& all, Problems& problems) {
    auto const* const names = all.find(named.api);
    if (names == nullptr || !names->is_known) return;
    if (!names->api->contract) {
        problems.push_back(has_no_contract(named.origin, named.api, "tags"));
    } else if (!names->tags.contains(named.tag)) {
        auto const known = keys_of(names->tags);
        problems.push_back(config::problem_at(
            named.origin,
            "no operation of " + in_quotes(named.api) + " has the tag " + in_quotes(named.tag),
            known.empty() ? "its contract has no tags: name operations"
                          : config::suggestion(named.tag, known)));
    }
}

// Nothing can be said where a contract is not known, or of parameters where there is none.
void check_conditions(config::AccessRule const& rule, NamesOfApis const& all, Problems& problems) {
    if (!all.are_known()) return;
    for (auto const& parameter : rule.parameters) {
        if (all.parameters().empty() || all.parameters().contains(parameter.name)) continue;
        problems.push_back(config::problem_at(
            parameter.origin, "no contract has a path parameter " + in_quotes(parameter.name),
            suggestion(parameter.name, all.parameters())));
    }
    for (auto const& method : rule.methods) {
        if (all.methods().contains(method)) continue;
        problems.push_back(config::problem_at(rule.methods_origin,
                                              "no operation of any API has the method "
                                                  + in_quotes(method),
                                              suggestion(method, all.methods())));
    }
}

// Why a rule does not apply to an operation that it names; none: it does.
std::optional<std::string> obstacle(config::AccessRule const& rule,
                                    contract::Operation const& operation) {
    if (!takes_method(rule, operation.method)) {
        return rule.read_only && !is_safe(operation.method)
                   ? "its method " + operation.method + " is not read-only"
                   : "its method " + operation.method + " is not among `methods`";
    }
    auto const& names = operation.parameter_names;
    for (auto const& parameter : rule.parameters) {
        if (std::find(names.begin(), names.end(), parameter.name) == names.end())
            return "its path has no parameter " + in_quotes(parameter.name);
    }
    return std::nullopt;
}

// A rule that allows less than it seems to is safe; one that denies less is not.
Severity severity_of(Effect effect) {
    return effect == Effect::allow ? Severity::warning : Severity::error;
}

void check_named_operation(HeldRule const& held, config::AllowedOperation const& named,
                           NamesOfApis const& all, Problems& problems) {
    auto const* const names = all.find(named.api);
    if (names == nullptr || !names->api->contract) return;
    auto const found = names->operations.find(named.operation);
    if (found == names->operations.end()) return;
    auto const& operation = names->api->contract->operations()[found->second];
    auto const why = obstacle(*held.rule, operation);
    if (!why) return;
    bool const allows = held.effect == Effect::allow;
    problems.push_back(config::problem_at(
        named.origin,
        in_quotes(named.api + '/' + named.operation)
            + (allows ? " is not allowed by this: " : " is not denied by this: ") + *why,
        allows ? "remove it, or allow it in a role of its own"
               : "write a rule of its own for it, or remove it",
        severity_of(held.effect)));
}

} // namespace

void check_rule(HeldRule const& held, NamesOfApis const& names,
                std::vector<pipeline::Rule> const& compiled, Problems& problems) {
    auto const& rule = *held.rule;
    auto const before = problems.size();
    for (auto const& operation : rule.operations)
        check_operation(operation, names, problems);
    for (auto const& tag : rule.tags)
        check_tag(tag, names, problems);
    check_conditions(rule, names, problems);
    if (problems.size() != before || !names.are_known()) return;

    for (auto const& operation : rule.operations)
        check_named_operation(held, operation, names, problems);
    if (problems.size() != before) return;
    bool applies = false;
    for (std::size_t api = 0; api < compiled.size(); ++api) {
        // Where there are operations, a denial is about them.
        bool const counts_methods =
            held.effect == Effect::allow || !names.all()[api].api->contract;
        applies = applies || !compiled[api].operations.is_empty()
                  || (counts_methods && !compiled[api].methods.is_empty());
    }
    if (applies) return;
    problems.push_back(config::problem_at(
        rule.origin,
        held.effect == Effect::allow ? "allows nothing: no operation has all that it asks for"
                                     : "denies nothing: no operation has all that it asks for",
        "write what operations have, see `sallyport contract list`", severity_of(held.effect)));
}

} // namespace sallyport::lifecycle::compile

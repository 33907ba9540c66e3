// Compiles what credentials may do: see compile_permissions.h.
#include "gateway/lifecycle/compile_permissions.h"

#include <algorithm>
#include <array>
#include <utility>

namespace sallyport::lifecycle {

namespace {

constexpr std::array<std::string_view, 4> safe_methods{"GET", "HEAD", "OPTIONS", "QUERY"};

} // namespace

namespace {

void add(std::vector<HeldRule>& rules, config::Allow const& allow,
         std::vector<config::AccessRule> const& deny, config::Role const* role) {
    using pipeline::Effect;
    if (allow.extent != config::Allowed::nothing)
        rules.push_back({Effect::allow, &allow, allow.extent == config::Allowed::all, role});
    for (auto const& rule : deny)
        rules.push_back({Effect::deny, &rule, false, role});
}

} // namespace

void find_rules_of(config::Credential const& credential, std::vector<HeldRule>& rules) {
    rules.clear();
    add(rules, credential.allow, credential.deny, nullptr);
    for (auto const& held : credential.roles)
        add(rules, held.role->allow, held.role->deny, held.role.get());
}

std::vector<HeldRule> rules_of(config::Credential const& credential) {
    std::vector<HeldRule> rules;
    find_rules_of(credential, rules);
    return rules;
}

std::vector<HeldRule> rules_of(config::Role const& role) {
    std::vector<HeldRule> rules;
    add(rules, role.allow, role.deny, &role);
    return rules;
}

bool is_safe(std::string_view method) {
    return std::find(safe_methods.begin(), safe_methods.end(), method) != safe_methods.end();
}

bool takes_method(config::AccessRule const& rule, std::string_view method) {
    if (rule.read_only && !is_safe(method)) return false;
    auto const& methods = rule.methods;
    auto const has = [&methods](std::string_view one) {
        return std::find(methods.begin(), methods.end(), one) != methods.end();
    };
    return methods.empty() || has(method) || (method == "HEAD" && has("GET"));
}

namespace compile {

namespace {

using config::AccessRule;
using pipeline::Effect;
using pipeline::MethodSet;
using pipeline::Rule;
using Names = NamesOfApis::Names;

// Whether a rule names a whole API, also what its contract does not have.
bool names_all_of(HeldRule const& held, std::string_view api) {
    auto const& rule = *held.rule;
    if (held.is_all || rule.names_nothing()) return true;
    return std::any_of(rule.apis.begin(), rule.apis.end(),
                       [api](auto const& one) { return one.api == api; })
           || std::any_of(rule.operations.begin(), rule.operations.end(), [api](auto const& one) {
                  return one.api == api && one.operation.empty();
              });
}

// The operations of an API that the lists of a rule name.
std::vector<std::uint32_t> named_operations(HeldRule const& held, Names const& names) {
    auto const& api = *names.api;
    std::vector<std::uint32_t> named;
    if (!api.contract) return named;
    if (names_all_of(held, api.name)) {
        for (auto const& operation : api.contract->operations())
            named.push_back(operation.index);
        return named;
    }
    for (auto const& one : held.rule->operations) {
        if (one.api != api.name) continue;
        auto const found = names.operations.find(one.operation);
        if (found != names.operations.end()) named.push_back(found->second);
    }
    for (auto const& one : held.rule->tags) {
        if (one.api != api.name) continue;
        auto const found = names.tags.find(one.tag);
        if (found != names.tags.end())
            named.insert(named.end(), found->second.begin(), found->second.end());
    }
    return named;
}

bool has_parameters(AccessRule const& rule, contract::Operation const& operation) {
    auto const& names = operation.parameter_names;
    return std::all_of(rule.parameters.begin(), rule.parameters.end(), [&names](auto const& one) {
        return std::find(names.begin(), names.end(), one.name) != names.end();
    });
}

// The methods of a rule, for requests without an operation.
MethodSet methods_of(AccessRule const& rule) {
    MethodSet set;
    if (rule.methods.empty() && !rule.read_only) {
        set.any = true;
        return set;
    }
    if (rule.methods.empty()) {
        set.names.assign(safe_methods.begin(), safe_methods.end());
        return set;
    }
    for (auto const& method : rule.methods) {
        if (takes_method(rule, method)) set.names.push_back(method);
    }
    bool const has_get = std::find(set.names.begin(), set.names.end(), "GET") != set.names.end();
    if (has_get) set.names.emplace_back("HEAD");
    return set;
}

// Texts one after the other, so that no two rules that differ have the same.
void append(std::string& key, std::string_view text) {
    key.append(std::to_string(text.size())).append(":").append(text);
}

// All that permissions depend on: not the values of parameters, which are the credential's.
void append(std::string& key, HeldRule const& held) {
    key += held.effect == Effect::allow ? 'a' : 'd';
    if (held.role != nullptr) {
        // The bytes of its address, which are as many for each.
        auto const* const rule = reinterpret_cast<char const*>(&held.rule);
        key.append(1, 'r').append(rule, sizeof held.rule);
        return;
    }
    auto const& rule = *held.rule;
    key += held.is_all ? 'a' : 'l';
    for (auto const& one : rule.operations) {
        append(key, one.api);
        append(key, one.operation);
    }
    key += 'p';
    for (auto const& one : rule.apis)
        append(key, one.api);
    key += 't';
    for (auto const& one : rule.tags) {
        append(key, one.api);
        append(key, one.tag);
    }
    key += 'm';
    for (auto const& one : rule.methods)
        append(key, one);
    key += rule.read_only ? 'r' : 'w';
    for (auto const& one : rule.parameters)
        append(key, one.name);
    key += ';';
}

std::vector<config::yaml::Mark> places_of(std::vector<HeldRule> const& rules) {
    std::vector<config::yaml::Mark> places;
    places.reserve(rules.size());
    for (auto const& held : rules)
        places.push_back(held.rule->origin.mark);
    return places;
}

// Null: the rules allow whatever they name, as those of most entries do.
std::shared_ptr<std::vector<config::yaml::Mark> const>
shared_places_of(std::vector<HeldRule> const& rules) {
    bool const refuses = std::any_of(rules.begin(), rules.end(), [](HeldRule const& held) {
        return held.effect == Effect::deny || !held.rule->parameters.empty();
    });
    if (!refuses) return nullptr;
    return std::make_shared<std::vector<config::yaml::Mark> const>(places_of(rules));
}

} // namespace

bool is_contract_known(Read const& read, pipeline::Api const& api) {
    if (read.unknown_contracts.contains(api.name)) return false;
    auto const& from = read.config.apis[api.index];
    return api.contract || (!from.contract && !read.has_error_at(from.origin.path));
}

NamesOfApis::NamesOfApis(Read const& read, Apis const& apis) {
    for (auto const& api : apis) {
        auto& names = all_.emplace_back();
        names.api = api.get();
        names.is_known = is_contract_known(read, *api);
        are_known_ = are_known_ && names.is_known;
        methods_.insert(api->methods.begin(), api->methods.end()); // of what has no contract
        if (!api->contract) continue;
        for (auto const& operation : api->contract->operations()) {
            names.operations.emplace(operation.id, operation.index);
            for (auto const& tag : operation.tags)
                names.tags[tag].push_back(operation.index);
            parameters_.insert(operation.parameter_names.begin(), operation.parameter_names.end());
            methods_.insert(operation.method);
        }
    }
    // RFC 9110, 9.3.2.
    if (methods_.contains("GET")) methods_.insert("HEAD");
}

NamesOfApis::Names const* NamesOfApis::find(std::string_view api) const {
    auto const found = std::find_if(all_.begin(), all_.end(),
                                    [api](Names const& one) { return one.api->name == api; });
    return found == all_.end() ? nullptr : &*found;
}

Rule compile_rule(HeldRule const& held, Names const& names, std::uint32_t first) {
    auto const& api = *names.api;
    auto const& from = *held.rule;
    Rule rule;
    rule.effect = held.effect;
    for (auto const& parameter : from.parameters)
        rule.tests.push_back({parameter.name, first++});
    bool concerns_some = false;
    for (auto const index : named_operations(held, names)) {
        auto const& operation = api.contract->operations()[index];
        if (!has_parameters(from, operation)) continue;
        concerns_some = true;
        if (takes_method(from, operation.method)) rule.operations.add(index);
    }
    // What the contract does not have may be one of its operations to the upstream: it is denied
    // like the operations that a rule is about, and allowed only with the API as a whole.
    bool const is_whole = names_all_of(held, api.name) && from.parameters.empty();
    bool const is_denied_without_operation = held.effect == Effect::deny && concerns_some;
    if (is_whole || is_denied_without_operation) rule.methods = methods_of(from);
    return rule;
}

std::shared_ptr<pipeline::AllowedValues const>
PermissionCompiler::values_of(HeldRule const& held, config::AllowedParameter const& parameter,
                              contract::Labels const& labels) {
    bool const is_shared = held.role != nullptr && parameter.labels.empty();
    if (is_shared) {
        auto const found = of_roles_.find(&parameter);
        if (found != of_roles_.end()) return found->second;
    }
    auto const values = std::make_shared<pipeline::AllowedValues>();
    for (auto const& value : parameter.values)
        values->emplace_back(value);
    for (auto const& name : parameter.labels) {
        // A label that is missing or empty was refused where the credential was read.
        for (auto const& label : labels) {
            auto text = pipeline::text_of(label.value);
            if (label.name == name && !text.empty()) values->emplace_back(std::move(text));
        }
    }
    if (is_shared) of_roles_.emplace(&parameter, values);
    return values;
}

PermissionCompiler::Shared PermissionCompiler::compile(std::vector<HeldRule> const& rules,
                                                       Problems& problems) {
    auto const before = problems.size();
    auto permissions = std::make_shared<Permissions>(names_.all().size());
    std::uint32_t number = 0;
    std::uint32_t values = 0;
    for (auto const& held : rules) {
        std::vector<Rule> compiled;
        for (auto const& names : names_.all())
            compiled.push_back(compile_rule(held, names, values));
        values += static_cast<std::uint32_t>(held.rule->parameters.size());
        if (held.role == nullptr || checked_.insert(held.rule).second)
            check_rule(held, names_, compiled, problems);
        for (std::size_t api = 0; api < compiled.size(); ++api) {
            auto& rule = compiled[api];
            rule.number = number;
            if (!rule.operations.is_empty() || !rule.methods.is_empty())
                (*permissions)[api].rules.push_back(std::move(rule));
        }
        ++number;
    }
    for (auto& one : *permissions)
        one.combine();
    auto const is_of_role = [](HeldRule const& held) { return held.role != nullptr; };
    bool const are_of_roles = std::all_of(rules.begin(), rules.end(), is_of_role);
    return {std::move(permissions), are_of_roles ? shared_places_of(rules) : nullptr,
            problems.size() != before};
}

void PermissionCompiler::compile(config::Credential const& from, pipeline::Identity& identity,
                                 Problems& problems) {
    find_rules_of(from, rules_);
    auto const& rules = rules_;
    key_.clear();
    for (auto const& held : rules)
        append(key_, held);
    auto& shared = by_rules_[key_];
    // Each credential with problems has them at its own place.
    if (shared.permissions == nullptr || shared.has_problems) shared = compile(rules, problems);
    identity.permissions = shared.permissions;
    identity.rule_places =
        shared.rule_places != nullptr ? shared.rule_places : shared_places_of(rules);
    for (auto const& held : rules)
        for (auto const& parameter : held.rule->parameters)
            identity.values.push_back(values_of(held, parameter, identity.labels));
}

pipeline::Role PermissionCompiler::compile(config::Role const& from, Problems& problems) {
    auto const rules = lifecycle::rules_of(from);
    pipeline::Role role;
    role.permissions = compile(rules, problems).permissions;
    role.rule_places = places_of(rules);
    for (auto const& held : rules)
        for (auto const& parameter : held.rule->parameters)
            role.values.push_back({values_of(held, parameter, {}), parameter.labels});
    return role;
}

} // namespace compile

} // namespace sallyport::lifecycle

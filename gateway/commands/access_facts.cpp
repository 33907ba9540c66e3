// What a credential may do: see access_facts.h.
#include "gateway/commands/access_facts.h"

#include "config/sections.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

namespace sallyport::commands {

namespace {

using lifecycle::LoadedPermissions;
using pipeline::Api;
using pipeline::Effect;

Condition condition_of(std::string const& parameter, pipeline::AllowedValues const& values,
                       std::vector<std::string> labels) {
    Condition condition{parameter, {}, std::move(labels)};
    for (auto const& value : values)
        condition.values.push_back(value.text());
    return condition;
}

Reason reason_of(pipeline::Rule const& rule, Caller const& caller) {
    Reason reason{caller.rules[rule.number], {}};
    for (auto const& test : rule.tests) {
        auto const& values = *caller.identity().values[test.values];
        reason.conditions.push_back(condition_of(test.parameter, values, {}));
    }
    return reason;
}

Reason reason_of(pipeline::Rule const& rule, pipeline::Role const& role,
                 std::vector<lifecycle::HeldRule> const& rules) {
    Reason reason{rules[rule.number], {}};
    for (auto const& test : rule.tests) {
        auto const& values = role.values[test.values];
        reason.conditions.push_back(condition_of(test.parameter, *values.fixed, values.labels));
    }
    return reason;
}

// By its permissions alone. `to_reason` makes the Reason of a rule.
template <typename ToReason>
OperationAccess access_by(pipeline::Permissions const& permissions, std::uint32_t operation,
                          ToReason const& to_reason) {
    OperationAccess out;
    bool is_allowed_by_some = false;
    for (auto const& rule : permissions.rules) {
        if (!rule.operations.has(operation)) continue;
        is_allowed_by_some = is_allowed_by_some || rule.effect == Effect::allow;
        out.reasons.push_back(to_reason(rule));
    }
    if (permissions.allowed.has(operation))
        out.access = Access::allowed;
    else if (permissions.tested.has(operation))
        out.access = Access::restricted;
    else
        out.access = is_allowed_by_some ? Access::denied : Access::none;
    return out;
}

bool has(std::vector<std::string> const& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

// Whether it has the identities of one of the sets.
bool can_prove(config::Credential const& credential, config::AuthenticatorSets const& sets) {
    config::AuthenticatorSet const all{config::kinds_of(credential)};
    return std::any_of(sets.begin(), sets.end(),
                       [&all](auto const& set) { return all.includes(set); });
}

// Null: there is none.
config::Role const* find_role(LoadedPermissions const& loaded, std::string_view name) {
    auto const found = std::find_if(loaded.roles.begin(), loaded.roles.end(),
                                    [name](auto const& role) { return role->name == name; });
    return found == loaded.roles.end() ? nullptr : found->get();
}

} // namespace

config::AuthenticatorSets const& authenticators_of(Api const& api,
                                                   contract::Operation const* operation) {
    auto const* const own = api.settings_of(operation);
    return own != nullptr && !own->authenticate.empty() ? own->authenticate : api.authenticate;
}

bool is_public(LoadedPermissions const& loaded, Api const& api,
               contract::Operation const* operation) {
    return config::accept_every_client(loaded.authenticators, authenticators_of(api, operation));
}

bool is_left_to_upstream(LoadedPermissions const& loaded, Api const& api,
                         contract::Operation const& operation) {
    return config::are_left_to_upstream(loaded.authenticators, authenticators_of(api, &operation));
}

std::vector<Caller> callers_of(LoadedPermissions const& loaded) {
    std::unordered_map<std::string_view, pipeline::Credential const*> compiled;
    for (auto const& credential : loaded.table->all())
        compiled.emplace(credential->identity.name, credential.get());
    std::vector<Caller> callers;
    for (auto const& credential : loaded.credentials) {
        auto const found = compiled.find(credential.name);
        if (found == compiled.end()) continue;
        callers.push_back({&credential, found->second, lifecycle::rules_of(credential)});
    }
    return callers;
}

bool needs_scopes(Api const& api, contract::Operation const& operation) {
    return api.scopes != nullptr && api.scopes->is_needed_for(operation);
}

std::string_view to_string(Access access) {
    constexpr std::array<std::string_view, 7> words{
        "none", "denied", "restricted", "allowed", "everyone", "other_credentials", "scope"};
    return words[static_cast<std::size_t>(access)];
}

OperationAccess access_to(LoadedPermissions const& loaded, Api const& api,
                          contract::Operation const& operation, Caller const& caller) {
    OperationAccess out;
    if (is_public(loaded, api, &operation)) {
        out.access = Access::everyone;
        return out;
    }
    auto const* const permissions = caller.identity().permissions_at(api.index);
    if (permissions == nullptr) return out;
    out = access_by(*permissions, operation.index,
                    [&caller](auto const& rule) { return reason_of(rule, caller); });
    if (out.access == Access::none || out.access == Access::denied) return out;
    if (!can_prove(*caller.from, authenticators_of(api, &operation)))
        out.access = Access::other_credentials;
    else if (needs_scopes(api, operation)
             && !caller.identity().is_within_scope(api.index, operation.index))
        out.access = Access::scope;
    return out;
}

bool TokenRole::only_denies() const {
    return found.access == Access::none || found.access == Access::denied;
}

std::vector<TokenRole> token_roles(LoadedPermissions const& loaded, Api const& api,
                                   contract::Operation const& operation) {
    std::vector<TokenRole> out;
    if (api.roles == nullptr) return out;
    std::vector<std::string> seen;
    auto const& taken = authenticators_of(api, &operation);
    for (auto const& [of, settings] : loaded.config.apis[api.index].settings) {
        if (!config::names_any(taken, of)) continue;
        for (auto const& named : config::referred_of(of, settings, loaded.authenticators).roles) {
            auto const role = api.roles->find(named.name);
            auto const* const from = find_role(loaded, named.name);
            if (role == api.roles->end() || from == nullptr || has(seen, named.name)) continue;
            seen.push_back(named.name);
            auto const rules = lifecycle::rules_of(*from);
            auto found =
                access_by((*role->second.permissions)[api.index], operation.index,
                          [&](auto const& rule) { return reason_of(rule, role->second, rules); });
            if (!found.reasons.empty()) out.push_back({named.name, std::move(found)});
        }
    }
    return out;
}

OtherAccess other_access(LoadedPermissions const& loaded, Api const& api, Caller const& caller) {
    OtherAccess out;
    bool const takes_others = api.forwards_unknown();
    if (!takes_others && api.paths.empty()) return out;
    out.is_public = is_public(loaded, api, nullptr);
    if (out.is_public) {
        out.any = takes_others;
        if (!out.any) out.methods = api.methods;
        return out;
    }
    auto const* const permissions = caller.identity().permissions_at(api.index);
    if (permissions == nullptr) return out;
    if (!can_prove(*caller.from, api.authenticate)) return out;
    auto const& allowed = permissions->methods_allowed;
    out.any = takes_others && allowed.any && !permissions->methods_denied.any;
    if (out.any) out.denied = permissions->methods_denied.names;
    for (auto const& method : takes_others ? allowed.names : api.methods) {
        bool const is_new = !has(out.methods, method);
        if (!out.any && is_new && permissions->allows_without_operation(method))
            out.methods.push_back(method);
    }
    for (auto const& rule : permissions->rules)
        if (!rule.methods.is_empty()) out.reasons.push_back(reason_of(rule, caller));
    return out;
}

} // namespace sallyport::commands

// `sallyport access`: see access.h.
#include "gateway/commands/access.h"

#include "config/tables.h"
#include "config/text.h"
#include "gateway/commands/access_facts.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <chrono>
#include <ostream>
#include <string_view>
#include <utility>
#include <vector>

namespace sallyport::commands {

namespace {

namespace json = boost::json;
using contract::Operation;
using lifecycle::LoadedPermissions;
using pipeline::Api;
using pipeline::Effect;

// Why the credential is refused for now, whatever it may do; empty: it is not.
std::string_view failure_of(Caller const& caller) {
    return to_string(caller.credential->failure_at(std::chrono::system_clock::now()));
}

bool may_call(Access access) {
    return access == Access::allowed || access == Access::restricted || access == Access::everyone;
}

std::string joined(std::vector<std::string> const& words, std::string_view separator) {
    std::string out;
    for (auto const& word : words)
        out.append(out.empty() ? std::string_view{} : separator).append(word);
    return out;
}

std::string padded(std::string_view text, std::size_t width) {
    std::string out{text};
    out.resize(std::max(width, text.size()), ' ');
    return out;
}

// `the scope read and write, or admin`: what one of its alternatives needs.
std::string needed_scopes(Operation const& operation) {
    std::vector<std::string> alternatives;
    for (auto const& one : operation.security.alternatives)
        if (!one.scopes.empty()) alternatives.push_back(joined(one.scopes, " and "));
    return "the scope " + joined(alternatives, " or ");
}

// A value that is known when its caller comes, as rules have it.
std::string as_written(std::string const& label) {
    return "${label:" + label + '}';
}

// --- text

// `organizationId is "a", "b" or ${label:org}`.
std::string words_of(Condition const& condition) {
    std::vector<std::string> values;
    for (auto const& value : condition.values)
        values.push_back(config::in_quotes(value));
    for (auto const& label : condition.labels)
        values.push_back(as_written(label));
    std::vector<std::string_view> const views{values.begin(), values.end()};
    return condition.parameter + " is " + config::list_of(views);
}

void put_reasons(std::ostream& out, std::string_view indent, std::vector<Reason> const& reasons) {
    for (auto const& reason : reasons) {
        auto const& mark = reason.held.rule->origin.mark;
        out << indent << (reason.held.effect == Effect::allow ? "allowed" : "denied") << " by "
            << mark.file_name() << ':' << mark.line << ':' << mark.column;
        if (reason.held.role != nullptr) out << " (role " << reason.held.role->name << ')';
        std::vector<std::string> conditions;
        for (auto const& condition : reason.conditions)
            conditions.push_back(words_of(condition));
        if (!conditions.empty()) out << " where " << joined(conditions, " and ");
        out << '\n';
    }
}

// Returns whether there are any with which tokens may call it.
bool put_token_roles(std::ostream& out, LoadedPermissions const& loaded, Api const& api,
                     Operation const& operation) {
    auto const roles = token_roles(loaded, api, operation);
    bool has_some = false;
    for (auto const& role : roles) {
        if (role.only_denies()) continue;
        has_some = true;
        out << "  tokens with the role " << role.name;
        if (needs_scopes(api, operation)) out << " and " << needed_scopes(operation);
        out << '\n';
        put_reasons(out, "    ", role.found.reasons);
    }
    if (!has_some) return false;
    // A token has several roles, of which each can deny what the others allow.
    for (auto const& role : roles) {
        if (!role.only_denies()) continue;
        out << "  but not with the role " << role.name << '\n';
        put_reasons(out, "    ", role.found.reasons);
    }
    return true;
}

void put_callers(std::ostream& out, LoadedPermissions const& loaded, Api const& api,
                 Operation const& operation, std::vector<Caller> const& callers) {
    out << api.name << '/' << operation.id << "  " << operation.method << ' ' << api.mount
        << operation.path
        << '\n';
    if (is_public(loaded, api, &operation)) {
        out << (is_left_to_upstream(loaded, api, operation)
                    ? "  every client: its upstream checks who calls\n"
                    : "  every client, without credentials\n");
        return;
    }
    bool has_some = false;
    for (auto const& caller : callers) {
        auto const found = access_to(loaded, api, operation, caller);
        if (!may_call(found.access)) continue;
        has_some = true;
        auto const failure = failure_of(caller);
        out << "  " << caller.from->name;
        if (!failure.empty()) out << " (" << failure << ')';
        out << '\n';
        put_reasons(out, "    ", found.reasons);
    }
    has_some = put_token_roles(out, loaded, api, operation) || has_some;
    if (!has_some) out << "  no credential may call it\n";
}

std::string words_of(OtherAccess const& other) {
    if (!other.any) return joined(other.methods, ", ");
    std::string out{"any method"};
    if (!other.denied.empty()) out += " but " + joined(other.denied, ", ");
    return out;
}

void put_api(std::ostream& out, LoadedPermissions const& loaded, Api const& api,
             Caller const& caller) {
    std::size_t width = 0;
    std::vector<std::pair<Operation const*, OperationAccess>> operations;
    if (api.contract) {
        for (auto const& operation : api.contract->operations()) {
            auto found = access_to(loaded, api, operation, caller);
            if (found.access == Access::none) continue;
            width = std::max(width, operation.id.size());
            operations.emplace_back(&operation, std::move(found));
        }
    }
    auto const other = other_access(loaded, api, caller);
    if (operations.empty() && other.is_empty()) return;
    out << "  " << api.name << '\n';
    for (auto const& [operation, found] : operations) {
        out << "    " << padded(operation->id, width) << "  " << padded(operation->method, 6) << ' '
            << api.mount << operation->path;
        if (found.access == Access::everyone) out << "  (every client)";
        if (found.access == Access::denied) out << "  (denied)";
        if (found.access == Access::other_credentials) out << "  (takes other credentials)";
        if (found.access == Access::scope) out << "  (needs " << needed_scopes(*operation) << ')';
        out << '\n';
        put_reasons(out, "      ", found.reasons);
    }
    if (other.is_empty()) return;
    out << "    " << (api.forwards_unknown() ? "what the contract does not have" : joined(api.paths, ", "))
        << ": " << words_of(other) << (other.is_public ? "  (every client)" : "") << '\n';
    put_reasons(out, "      ", other.reasons);
}

void put_caller(std::ostream& out, LoadedPermissions const& loaded, Caller const& caller) {
    auto const failure = failure_of(caller);
    std::string kinds;
    for (auto const& kind : config::kinds_of(*caller.from))
        kinds += (kinds.empty() ? "" : ", ") + kind;
    out << caller.from->name << " (" << kinds << (failure.empty() ? "" : ", ") << failure << ")\n";
    for (auto const& api : loaded.apis)
        put_api(out, loaded, *api, caller);
}

// --- JSON

json::string_view shown(std::string_view text) {
    return {text.data(), text.size()};
}

json::array array_of(std::vector<std::string> const& texts) {
    json::array out;
    for (auto const& text : texts)
        out.emplace_back(shown(text));
    return out;
}

json::array array_of(std::vector<Reason> const& reasons) {
    json::array out;
    for (auto const& reason : reasons) {
        auto const& mark = reason.held.rule->origin.mark;
        json::object parameters;
        for (auto const& condition : reason.conditions) {
            auto values = array_of(condition.values);
            for (auto const& label : condition.labels)
                values.emplace_back(as_written(label));
            parameters[shown(condition.parameter)] = std::move(values);
        }
        json::value role = nullptr;
        if (reason.held.role != nullptr) role = shown(reason.held.role->name);
        out.push_back(
            json::object{{"effect", reason.held.effect == Effect::allow ? "allow" : "deny"},
                         {"role", std::move(role)},
                         {"file", shown(mark.file_name())},
                         {"line", mark.line},
                         {"column", mark.column},
                         {"parameters", std::move(parameters)}});
    }
    return out;
}

json::value failure_value(Caller const& caller) {
    auto const failure = failure_of(caller);
    json::value value = nullptr;
    if (!failure.empty()) value = shown(failure);
    return value;
}

json::object object_of(Api const& api, Operation const& operation) {
    return {{"operation", shown(operation.id)},
            {"method", shown(operation.method)},
            {"path", shown(api.mount + operation.path)}};
}

// A list for each alternative that has scopes; null: none is needed.
json::value scopes_value(Api const& api, Operation const& operation) {
    if (!needs_scopes(api, operation)) return nullptr;
    json::array alternatives;
    for (auto const& one : operation.security.alternatives)
        if (!one.scopes.empty()) alternatives.push_back(array_of(one.scopes));
    return alternatives;
}

json::object callers_object(LoadedPermissions const& loaded, Api const& api,
                            Operation const& operation, std::vector<Caller> const& callers) {
    bool const is_for_all = is_public(loaded, api, &operation);
    json::array list;
    for (auto const& caller : callers) {
        auto const found = access_to(loaded, api, operation, caller);
        if (is_for_all || !may_call(found.access)) continue;
        list.push_back(json::object{{"name", shown(caller.from->name)},
                                    {"failure", failure_value(caller)},
                                    {"access", shown(to_string(found.access))},
                                    {"rules", array_of(found.reasons)}});
    }
    auto out = object_of(api, operation);
    out["api"] = shown(api.name);
    out["public"] = is_for_all;
    out["scopes"] = scopes_value(api, operation);
    out["credentials"] = std::move(list);
    if (api.roles != nullptr && !is_for_all) {
        json::array may;
        json::array denied;
        for (auto const& role : token_roles(loaded, api, operation)) {
            json::object one{{"name", shown(role.name)}};
            if (!role.only_denies()) one["access"] = shown(to_string(role.found.access));
            one["rules"] = array_of(role.found.reasons);
            (role.only_denies() ? denied : may).push_back(std::move(one));
        }
        out["token_roles"] = std::move(may);
        out["denied_token_roles"] = std::move(denied);
    }
    return out;
}

json::object api_object(LoadedPermissions const& loaded, Api const& api, Caller const& caller) {
    json::array operations;
    if (api.contract) {
        for (auto const& operation : api.contract->operations()) {
            auto const found = access_to(loaded, api, operation, caller);
            if (found.access == Access::none) continue;
            auto one = object_of(api, operation);
            one["access"] = shown(to_string(found.access));
            one["rules"] = array_of(found.reasons);
            operations.push_back(std::move(one));
        }
    }
    auto const other = other_access(loaded, api, caller);
    json::object without{{"public", other.is_public},
                         {"any_method", other.any},
                         {"methods", array_of(other.methods)},
                         {"denied_methods", array_of(other.denied)},
                         {"rules", array_of(other.reasons)}};
    return {{"api", shown(api.name)},
            {"operations", std::move(operations)},
            {"without_operation", std::move(without)}};
}

json::object caller_object(LoadedPermissions const& loaded, Caller const& caller) {
    json::array kinds;
    for (auto const& kind : config::kinds_of(*caller.from))
        kinds.emplace_back(shown(kind));
    json::array apis;
    for (auto const& api : loaded.apis)
        apis.push_back(api_object(loaded, *api, caller));
    return {{"name", shown(caller.from->name)},
            {"kind", shown(caller.from->identity().authenticator->name)},
            {"kinds", std::move(kinds)},
            {"failure", failure_value(caller)},
            {"apis", std::move(apis)}};
}

// --- what is asked for

int refuse(std::ostream& err, std::string const& what, std::string_view name,
           std::vector<std::string_view> const& known) {
    auto const hint = config::suggestion(name, known);
    err << what << (hint.empty() ? "" : "; ") << hint << '\n';
    return 1;
}

int print_callers(AccessOptions const& options, LoadedPermissions const& loaded, std::ostream& out,
                  std::ostream& err) {
    auto const slash = options.operation.find('/');
    auto const name = options.operation.substr(0, slash);
    auto const id =
        slash == std::string::npos ? std::string{} : options.operation.substr(slash + 1);
    std::vector<std::string_view> known;
    Api const* api = nullptr;
    for (auto const& one : loaded.apis) {
        known.emplace_back(one->name);
        if (one->name == name) api = one.get();
    }
    if (slash == std::string::npos) {
        err << config::in_quotes(options.operation) << " is not an operation; write "
            << "API/operationId\n";
        return 1;
    }
    if (api == nullptr)
        return refuse(err, "no API is called " + config::in_quotes(name), name, known);
    if (!api->contract) {
        err << "the API " << config::in_quotes(name)
            << " has no contract, so it has no operations; ask with --credential\n";
        return 1;
    }
    auto const* const operation = api->contract->find_operation(id);
    if (operation == nullptr) {
        known.clear();
        for (auto const& one : api->contract->operations())
            known.emplace_back(one.id);
        return refuse(err,
                      "the contract of " + config::in_quotes(name) + " has no operation "
                          + config::in_quotes(id),
                      id, known);
    }
    auto const callers = callers_of(loaded);
    if (options.format == Format::json) {
        out << json::serialize(callers_object(loaded, *api, *operation, callers)) << '\n';
    } else {
        put_callers(out, loaded, *api, *operation, callers);
    }
    return 0;
}

int print_operations(AccessOptions const& options, LoadedPermissions const& loaded,
                     std::ostream& out, std::ostream& err) {
    auto const callers = callers_of(loaded);
    auto const found = std::find_if(callers.begin(), callers.end(), [&](Caller const& caller) {
        return caller.from->name == options.credential;
    });
    if (found == callers.end()) {
        std::vector<std::string_view> known;
        for (auto const& caller : callers)
            known.emplace_back(caller.from->name);
        // Of thousands of names a list helps nobody.
        auto const meant = config::nearest(options.credential, known);
        err << "no credential is called " << config::in_quotes(options.credential);
        if (meant) err << "; did you mean " << config::in_quotes(*meant) << '?';
        err << '\n';
        return 1;
    }
    if (options.format == Format::json) {
        out << json::serialize(caller_object(loaded, *found)) << '\n';
    } else {
        put_caller(out, loaded, *found);
    }
    return 0;
}

} // namespace

int run_access(AccessOptions const& options, config::Tables const& tables, std::ostream& out,
               std::ostream& err) {
    auto const loaded = lifecycle::load_permissions(options.config, tables);
    print_problems(err, loaded.problems);
    if (config::yaml::has_errors(loaded.problems)) return 1;
    return options.operation.empty() ? print_operations(options, loaded, out, err)
                                     : print_callers(options, loaded, out, err);
}

} // namespace sallyport::commands

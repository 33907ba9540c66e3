// Authorizes: may this credential call this operation, of this organization?
#include "plugins/allow/allow.h"

#include "gateway/pipeline/decision.h"
#include "gateway/pipeline/request.h"
#include "gateway/text/percent.h"
#include "plugins/anonymous/anonymous.h"
#include "plugins/upstream/upstream.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace sallyport::plugins {

namespace {

using contract::Operation;
using contract::RouteMatch;
using pipeline::AuthFailure;
using pipeline::Decision;
using pipeline::Effect;
using pipeline::ParameterTest;
using pipeline::Permissions;
using pipeline::Reason;
using pipeline::Request;
using pipeline::Rule;
using pipeline::Services;
using pipeline::Verdict;

// Longer than any identifier; a longer one matches no value.
constexpr std::size_t longest_value = 512;

enum class Match : std::uint8_t { no, yes, unknown };

Match match(ParameterTest const& test, Effect effect, pipeline::Identity const& caller,
            Operation const& operation, RouteMatch const& route) {
    // By the names of the operation: those of a path may differ from method to method.
    auto const& names = operation.parameter_names;
    auto const named = std::find(names.begin(), names.end(), test.parameter);
    if (named == names.end()) return Match::unknown;
    auto const at = static_cast<std::size_t>(named - names.begin());
    std::optional<std::string_view> raw = route.parameters[at];
    using contract::ParameterStyle;
    for (auto const& parameter : operation.path_parameters) {
        if (parameter.name != test.parameter) continue;
        // One of several values may be a denied one.
        if (effect == Effect::deny && parameter.shape != contract::ParameterShape::value)
            return Match::unknown;
        bool const has_prefix =
            parameter.style == ParameterStyle::label || parameter.style == ParameterStyle::matrix;
        if (has_prefix) raw = contract::value_in_style(parameter, *raw);
        break;
    }
    if (!raw) return Match::unknown;
    std::array<char, longest_value> storage;
    auto const decoded = text::percent_decode(*raw, storage);
    if (!decoded || decoded->size() > storage.size()) return Match::unknown;
    auto const& values = *caller.values[test.values];
    bool const is_one = std::any_of(values.begin(), values.end(), [&](auto const& value) {
        return effect == Effect::allow ? value.matches(*decoded) : value.resembles(*decoded);
    });
    return is_one ? Match::yes : Match::no;
}

// What refuses a request.
struct Refusing {
    Rule const* rule = nullptr;
    ParameterTest const* test = nullptr; // of the parameter whose value is refused; null: of none
};

// By the rules with tests, for one reading of a path; nothing: it is allowed.
std::optional<Refusing> find_refusing(Permissions const& permissions,
                                      pipeline::Identity const& caller, Operation const& operation,
                                      RouteMatch const& route) {
    bool is_allowed = false;
    std::optional<Refusing> refusing;
    for (Rule const& rule : permissions.rules) {
        if (!rule.operations.has(operation.index)) continue;
        auto const does_not_hold = [&](ParameterTest const& test) {
            auto const result = match(test, rule.effect, caller, operation, route);
            // What cannot be told is neither allowed nor free of a denial.
            return rule.effect == Effect::allow ? result != Match::yes : result == Match::no;
        };
        auto const failed = std::find_if(rule.tests.begin(), rule.tests.end(), does_not_hold);
        bool const holds = failed == rule.tests.end();
        if (rule.effect == Effect::deny) {
            if (holds) return Refusing{&rule, &rule.tests.front()};
        } else if (holds) {
            is_allowed = true;
        } else if (!refusing) {
            refusing = Refusing{&rule, &*failed};
        }
    }
    return is_allowed ? std::nullopt : refusing;
}

// Which of the readings of a path the upstream takes is not known: each has to be allowed.
std::optional<Refusing> find_refusing(Permissions const& permissions, Decision const& decision) {
    auto const& caller = *decision.caller;
    auto const& operation = *decision.operation;
    auto refusing = find_refusing(permissions, caller, operation, decision.route);
    if (refusing || decision.route.item->shared_segments.empty()) return refusing;
    auto route = decision.route;
    while (!refusing && route.next_reading())
        refusing = find_refusing(permissions, caller, operation, route);
    return refusing;
}

// A rule that denies it whatever its path has; none: no rule allows it.
Refusing find_denying(Permissions const& permissions, Operation const& operation) {
    for (Rule const& rule : permissions.rules) {
        bool const denies = rule.effect == Effect::deny && rule.tests.empty();
        if (denies && rule.operations.has(operation.index)) return {&rule, nullptr};
    }
    return {};
}

Refusing find_denying(Permissions const& permissions, std::string_view method) {
    for (Rule const& rule : permissions.rules)
        if (rule.effect == Effect::deny && rule.methods.resembles(method)) return {&rule, nullptr};
    return {};
}

// Where the rule stands; where there is none, what has those of the caller.
config::yaml::Mark const& place_of(Refusing const& refusing, pipeline::Identity const& caller) {
    bool const is_known = refusing.rule != nullptr && caller.rule_places != nullptr;
    return is_known ? (*caller.rule_places)[refusing.rule->number] : caller.place;
}

Verdict deny(Decision& decision, Refusing const& refusing) {
    if (decision.caller != nullptr) {
        decision.auth_failure = AuthFailure::permission;
        decision.refused_by = place_of(refusing, *decision.caller);
    }
    std::string detail = "These credentials may not call this operation";
    if (refusing.test != nullptr) detail += " with this " + refusing.test->parameter;
    return Verdict::deny(Reason::forbidden, std::move(detail));
}

class Allow final : public pipeline::Plugin {
public:
    Verdict check(Request const& request, Decision& decision, Services&) override {
        auto const* const own = decision.settings();
        if (own != nullptr && own->is_public) return Verdict::pass();
        if (decision.caller == nullptr) return deny(decision, {});
        auto const* const permissions = decision.caller->permissions_at(decision.api->index);
        if (permissions == nullptr) return deny(decision, {});
        auto const* const operation = decision.operation;
        if (operation == nullptr) {
            auto const method = request.head.method_text;
            if (permissions->allows_without_operation(method)) return Verdict::pass();
            return deny(decision, find_denying(*permissions, method));
        }
        if (permissions->allowed.has(operation->index)) [[likely]]
            return Verdict::pass();
        if (!permissions->tested.has(operation->index))
            return deny(decision, find_denying(*permissions, *operation));
        auto const refusing = find_refusing(*permissions, decision);
        return refusing ? deny(decision, *refusing) : Verdict::pass();
    }
};

} // namespace

std::unique_ptr<pipeline::Plugin> make_allow(pipeline::Api const& api) {
    // Without callers there is nothing that one of them may or may not.
    bool const is_public = config::names_any(api.authenticate, anonymous_name)
                           || config::names_any(api.authenticate, upstream_name);
    return is_public ? nullptr : std::make_unique<Allow>();
}

} // namespace sallyport::plugins

// Authorizes: may this credential call this operation, of this organization?
#include "plugins/allow/allow.h"

#include "gateway/pipeline/decision.h"
#include "gateway/pipeline/request.h"
#include "gateway/text/percent.h"
#include "plugins/anonymous/anonymous.h"

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

// The parameter for which one reading of a path is refused; null: it is allowed.
ParameterTest const* refused_parameter(Permissions const& permissions,
                                       pipeline::Identity const& caller, Operation const& operation,
                                       RouteMatch const& route) {
    bool is_allowed = false;
    ParameterTest const* refused = nullptr;
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
            if (holds) return &rule.tests.front();
        } else if (holds) {
            is_allowed = true;
        } else if (refused == nullptr) {
            refused = &*failed;
        }
    }
    return is_allowed ? nullptr : refused;
}

// Which of the readings of a path the upstream takes is not known: each has to be allowed.
ParameterTest const* refused_parameter(Permissions const& permissions, Decision const& decision) {
    auto const& caller = *decision.caller;
    auto const& operation = *decision.operation;
    auto const* refused = refused_parameter(permissions, caller, operation, decision.route);
    if (refused != nullptr || decision.route.item->shared_segments.empty()) return refused;
    auto route = decision.route;
    while (refused == nullptr && route.next_reading())
        refused = refused_parameter(permissions, caller, operation, route);
    return refused;
}

Verdict deny(Decision& decision, std::string detail) {
    if (decision.caller != nullptr) decision.auth_failure = AuthFailure::permission;
    return Verdict::deny(Reason::forbidden, std::move(detail));
}

Verdict deny(Decision& decision) {
    return deny(decision, "These credentials may not call this operation");
}

class Allow final : public pipeline::Plugin {
public:
    Verdict check(Request const& request, Decision& decision, Services&) override {
        auto const* const own = decision.settings();
        if (own != nullptr && own->is_public) return Verdict::pass();
        if (decision.caller == nullptr) return deny(decision);
        auto const* const permissions = decision.caller->permissions_at(decision.api->index);
        if (permissions == nullptr) return deny(decision);
        auto const* const operation = decision.operation;
        if (operation == nullptr) {
            bool const is_allowed = permissions->allows_without_operation(request.head.method_text);
            return is_allowed ? Verdict::pass() : deny(decision);
        }
        if (permissions->allowed.has(operation->index)) [[likely]]
            return Verdict::pass();
        if (!permissions->tested.has(operation->index)) return deny(decision);
        auto const* const refused = refused_parameter(*permissions, decision);
        if (refused == nullptr) return Verdict::pass();
        return deny(decision, "These credentials may not call this operation with this "
                                  + refused->parameter);
    }
};

} // namespace

std::unique_ptr<pipeline::Plugin> make_allow(pipeline::Api const& api) {
    // Without callers there is nothing that one of them may or may not.
    bool const is_public = config::names_any(api.authenticate, anonymous_name);
    return is_public ? nullptr : std::make_unique<Allow>();
}

} // namespace sallyport::plugins

// Authorizes: may this credential call this operation, of this organization?
#include "plugins/allow/allow.h"

#include "gateway/pipeline/decision.h"
#include "gateway/pipeline/request.h"
#include "gateway/text/percent.h"
#include "plugins/anonymous/anonymous.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace sallyport::plugins {

namespace {

using pipeline::Decision;
using pipeline::Permissions;
using pipeline::Reason;
using pipeline::Request;
using pipeline::Restriction;
using pipeline::Services;
using pipeline::Verdict;

// Longer than any identifier; a longer one matches no value of a restriction.
constexpr std::size_t longest_value = 512;

bool may_call(Permissions const& permissions, Decision const& decision) {
    switch (permissions.scope) {
    case Permissions::Scope::nothing: return false;
    case Permissions::Scope::everything: return true;
    case Permissions::Scope::listed_operations: break;
    }
    return decision.operation != nullptr && permissions.operations[decision.operation->index];
}

// The value of a path parameter, still encoded; none: the operation has no such parameter, or it is
// not written in its style.
std::optional<std::string_view> value_of(contract::Operation const& operation,
                                         contract::RouteMatch const& route, std::string_view name) {
    // By the names of the operation: those of a path may differ from method to method.
    auto const& names = operation.parameter_names;
    auto const named = std::find(names.begin(), names.end(), name);
    if (named == names.end()) return std::nullopt;
    auto const raw = route.parameters[static_cast<std::size_t>(named - names.begin())];
    using contract::ParameterStyle;
    for (auto const& parameter : operation.path_parameters) {
        bool const has_prefix =
            parameter.style == ParameterStyle::label || parameter.style == ParameterStyle::matrix;
        if (has_prefix && parameter.name == name) return contract::value_in_style(parameter, raw);
    }
    return raw;
}

bool is_satisfied(Restriction const& restriction, contract::Operation const& operation,
                  contract::RouteMatch const& route) {
    // An operation without the parameter cannot be held to it: refused.
    auto const raw = value_of(operation, route, restriction.parameter);
    if (!raw) return false;
    std::array<char, longest_value> storage;
    auto const decoded = text::percent_decode(*raw, storage);
    if (!decoded || decoded->size() > storage.size()) return false;
    return std::any_of(
        restriction.values.begin(), restriction.values.end(),
        [&](pipeline::AllowedValue const& value) { return value.matches(*decoded); });
}

// Which of the readings of a path the upstream takes is not known: all of them are held to it.
bool is_satisfied(Restriction const& restriction, Decision const& decision) {
    if (decision.operation == nullptr
        || !is_satisfied(restriction, *decision.operation, decision.route))
        return false;
    if (decision.route.item->shared_segments.empty()) return true;
    auto route = decision.route;
    while (route.next_reading()) {
        if (!is_satisfied(restriction, *decision.operation, route)) return false;
    }
    return true;
}

class Allow final : public pipeline::Plugin {
public:
    Verdict check(Request const&, Decision& decision, Services&) override {
        auto const* const own = decision.settings();
        if (own != nullptr && own->is_public) return Verdict::pass();
        if (decision.caller == nullptr) {
            return Verdict::deny(Reason::forbidden,
                                 "These credentials may not call this operation");
        }
        Permissions const& permissions = decision.caller->permissions[decision.api->index];
        if (!may_call(permissions, decision)) {
            return Verdict::deny(Reason::forbidden,
                                 "These credentials may not call this operation");
        }
        for (Restriction const& restriction : permissions.restrictions) {
            if (!is_satisfied(restriction, decision)) {
                return Verdict::deny(Reason::forbidden,
                                     "These credentials may not call this operation with this "
                                         + restriction.parameter);
            }
        }
        return Verdict::pass();
    }
};

} // namespace

std::unique_ptr<pipeline::Plugin> make_allow(pipeline::Api const& api) {
    // Without callers there is nothing that one of them may or may not.
    auto const& names = api.authenticate;
    bool const is_public = std::find(names.begin(), names.end(), anonymous_name) != names.end();
    return is_public ? nullptr : std::make_unique<Allow>();
}

} // namespace sallyport::plugins

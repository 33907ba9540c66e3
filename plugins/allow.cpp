// Authorizes: may this credential call this operation, of this organization?
#include "plugins/allow.h"

#include "gateway/http/target.h"
#include "gateway/pipeline/exchange.h"
#include "plugins/authenticators.h"

#include <algorithm>
#include <array>

namespace sallyport::plugins {

namespace {

using pipeline::ApiAccess;
using pipeline::Exchange;
using pipeline::Reason;
using pipeline::Restriction;
using pipeline::Verdict;

/// Longer than any identifier; a longer one matches no value of a restriction.
constexpr std::size_t longest_value = 512;

bool may_call(ApiAccess const& access, Exchange const& exchange) {
    switch (access.scope) {
    case ApiAccess::Scope::nothing: return false;
    case ApiAccess::Scope::everything: return true;
    case ApiAccess::Scope::listed_operations: break;
    }
    return exchange.operation != nullptr && access.operations[exchange.operation->index];
}

bool is_satisfied(Restriction const& restriction, Exchange const& exchange) {
    // An operation without the parameter cannot be held to it: refused.
    auto const raw = exchange.route.parameter(restriction.parameter);
    if (exchange.operation == nullptr || !raw) return false;
    std::array<char, longest_value> storage;
    auto const decoded = http::percent_decode(*raw, storage);
    if (!decoded || decoded->size() > storage.size()) return false;
    return std::any_of(
        restriction.values.begin(), restriction.values.end(),
        [&](pipeline::AllowedValue const& value) { return value.matches(*decoded); });
}

class Allow final : public pipeline::Plugin {
public:
    Verdict check(Exchange& exchange) override {
        if (exchange.credential == nullptr) {
            return Verdict::deny(Reason::forbidden,
                                 "These credentials may not call this operation");
        }
        ApiAccess const& access = exchange.credential->access[exchange.api->index];
        if (!may_call(access, exchange)) {
            return Verdict::deny(Reason::forbidden,
                                 "These credentials may not call this operation");
        }
        for (Restriction const& restriction : access.restrictions) {
            if (!is_satisfied(restriction, exchange)) {
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
    return takes(api, "anonymous") ? nullptr : std::make_unique<Allow>();
}

} // namespace sallyport::plugins

// Authorizes: has this caller the scopes that the contract asks for (`security: use`)?
#include "plugins/scopes/scopes.h"

#include "gateway/pipeline/decision.h"
#include "gateway/pipeline/request.h"
#include "plugins/authenticators.h"

#include <string>
#include <utility>

namespace sallyport::plugins {

namespace {

using pipeline::Decision;
using pipeline::Denial;
using pipeline::Reason;
using pipeline::Request;
using pipeline::Services;
using pipeline::Verdict;

// RFC 6750, 3.1: who has another kind of credentials cannot get them with a scope.
void add_challenge(Decision const& decision, Denial& denial) {
    if (decision.authorization.scheme != "Bearer") return;
    std::string parameters = R"(, error="insufficient_scope")";
    auto const scope = pipeline::bearer_scope_of(decision.operation->security);
    if (!scope.empty()) parameters += ", scope=\"" + scope + '"';
    denial.fields.push_back(
        {"WWW-Authenticate", challenge("Bearer", decision.api->name, parameters)});
}

class Scopes final : public pipeline::Plugin {
public:
    Verdict check(Request const&, Decision& decision, Services&) override {
        auto const* const operation = decision.operation;
        if (operation == nullptr || !decision.api->scopes->is_needed_for(*operation))
            return Verdict::pass();
        auto const* const caller = decision.caller;
        if (caller != nullptr && caller->is_within_scope(decision.api->index, operation->index))
            return Verdict::pass();
        decision.auth_failure = pipeline::AuthFailure::scope;
        decision.refused_by = operation->security.mark;
        Denial denial;
        denial.reason = Reason::forbidden;
        denial.public_detail = "These credentials lack a scope that this operation needs";
        add_challenge(decision, denial);
        return Verdict::deny(std::move(denial));
    }
};

} // namespace

std::unique_ptr<pipeline::Plugin> make_scopes(pipeline::Api const& api) {
    return api.scopes == nullptr ? nullptr : std::make_unique<Scopes>();
}

} // namespace sallyport::plugins

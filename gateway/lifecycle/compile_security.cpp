// Compiles `security: use`: which callers the contract's own `security` lets use its operations,
// and with which scopes.
#include "config/text.h"
#include "gateway/lifecycle/compile.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sallyport::lifecycle::compile {

namespace {

using contract::Operation;
using contract::Security;
using pipeline::Api;

std::string list_of(std::vector<std::string> const& words) {
    std::vector<std::string_view> const views{words.begin(), words.end()};
    return config::list_of(views);
}

// Of several that a client has to prove one is enough: the others are more than is asked for.
bool takes(Security const& security, config::AuthenticatorSet const& set,
           config::Authenticators authenticators) {
    auto const& all = security.takes;
    return std::any_of(set.names().begin(), set.names().end(), [&](std::string const& name) {
        return std::find(all.begin(), all.end(), config::scheme_of(authenticators, name))
               != all.end();
    });
}

// The word for operations without credentials.
std::string name_of_public(config::Authenticators authenticators) {
    for (auto const* const one : authenticators)
        if (one->accepts == config::Accepts::every_client
            && one->checked_by == config::CheckedBy::gateway)
            return std::string{one->name};
    return {};
}

class Use {
public:
    Use(config::Api const& from, Read const& read, Api& api)
        : from_{from}, authenticators_{read.authenticators},
          public_name_{name_of_public(read.authenticators)}, api_{api} {}

    void apply(Problems& problems) {
        for (auto const& operation : api_.contract->operations()) {
            auto const* const own = api_.settings_of(&operation);
            bool const has_rule = own != nullptr && !own->authenticate.empty();
            if (operation.security.is_stated && !has_rule) apply(operation);
        }
        if (!need_scopes_.empty())
            api_.scopes = std::make_unique<pipeline::ScopeRules const>(std::move(need_scopes_));
        // One problem for all operations that a document refuses at one place.
        for (auto const& [place, refused] : refused_)
            problems.push_back(problem_of(refused));
    }

private:
    struct Refused {
        Security const* security = nullptr;
        std::string_view operation; // the first of them
        std::size_t others = 0;
    };

    void apply(Operation const& operation) {
        auto const& security = operation.security;
        if (!security.is_public && security.has_scopes()) need_scopes_.push_back(&operation);
        if (security.is_public) {
            bool const is_new =
                !public_name_.empty() && !config::names_any(from_.authenticate, public_name_);
            if (is_new) set(operation, {public_name_});
            return;
        }
        config::AuthenticatorSets narrowed;
        for (auto const& set : from_.authenticate)
            if (takes(security, set, authenticators_)) narrowed.push_back(set);
        if (narrowed.empty()) {
            auto const [found, is_new] =
                refused_.try_emplace(security.document_path, Refused{&security, operation.id, 0});
            if (!is_new) ++found->second.others;
        } else if (narrowed.size() < from_.authenticate.size()) {
            set(operation, std::move(narrowed));
        }
    }

    void set(Operation const& operation, config::AuthenticatorSets authenticate) {
        api_.operations.resize(api_.contract->operations().size());
        auto& settings = api_.operations[operation.index];
        settings.is_public = operation.security.is_public;
        settings.authenticate = std::move(authenticate);
        api_.authenticates_by_operation = true;
    }

    [[nodiscard]] config::yaml::Problem problem_of(Refused const& refused) const {
        auto const& security = *refused.security;
        std::string what = "no client could use " + std::string{refused.operation};
        if (refused.others != 0) what += " and " + std::to_string(refused.others) + " more";
        bool const is_unsupported = security.takes.empty();
        what +=
            ", which takes only " + list_of(is_unsupported ? security.unsupported : security.takes);
        what += is_unsupported ? ": no authenticator does"
                               : ": `authenticate` of the API " + config::in_quotes(from_.name)
                                     + " does not have it";
        return config::problem_at({security.mark, security.document_path}, std::move(what),
                                  is_unsupported
                                      ? "write a rule with `authenticate` for it, or security: "
                                        "ignore, in the configuration"
                                      : "add it there, or write a rule with `authenticate`");
    }

    config::Api const& from_;
    config::Authenticators authenticators_;
    std::string public_name_;
    Api& api_;
    std::map<std::string_view, Refused> refused_; // by their place in the document
    std::vector<Operation const*> need_scopes_;
};

} // namespace

void security(config::Api const& from, Read const& read, Api& api, Problems& problems) {
    bool const is_used = from.security == config::ContractSecurity::use;
    // Without authenticators that has been reported.
    if (!is_used || from.authenticate.empty()) return;
    Use{from, read, api}.apply(problems);
}

} // namespace sallyport::lifecycle::compile

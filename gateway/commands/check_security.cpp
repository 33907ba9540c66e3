// Part of `check`: what the `security` of contracts says otherwise than the configuration, or what
// of it has no effect: see check_warnings.h.
#include "gateway/commands/check_warnings.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace sallyport::commands {

namespace {

using config::yaml::Problems;
using config::yaml::Severity;
using contract::Operation;
using Names = std::vector<std::string>;

bool includes(Names const& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

std::string joined(Names const& names) {
    std::string list;
    for (auto const& name : names)
        list += (list.empty() ? "" : " or ") + name;
    return list;
}

class Warnings {
public:
    Warnings(config::Api const& from, pipeline::Api const& api,
             config::Authenticators authenticators)
        : from_{from}, api_{api}, authenticators_{authenticators} {}

    Problems take() {
        if (!from_.security) {
            warn_of_differences();
        } else if (*from_.security == config::ContractSecurity::use) {
            for (auto const& operation : api_.contract->operations())
                warn_of_what_is_left_out(operation);
        }
        return std::move(problems_);
    }

private:
    [[nodiscard]] config::AuthenticatorSets const&
    authenticate_of(Operation const& operation) const {
        auto const* const own = api_.settings_of(&operation);
        return own == nullptr || own->authenticate.empty() ? api_.authenticate : own->authenticate;
    }

    // What the contract says otherwise; empty: nothing.
    [[nodiscard]] std::string difference_of(Operation const& operation) const {
        auto const& security = operation.security;
        auto const& sets = authenticate_of(operation);
        bool const is_public = config::accept_every_client(authenticators_, sets);
        // The upstream checks what its contract asks for.
        if (config::are_left_to_upstream(authenticators_, sets)) return {};
        // Without authenticators they are in what was not looked at.
        if (sets.empty() || !security.is_stated || (security.is_public && is_public)) return {};
        if (security.is_public) return "is public there";
        if (is_public) return "takes credentials there";
        // What no authenticator knows cannot be compared.
        if (!security.unsupported.empty()) return {};
        // Of several at once one is enough: the others are more than the contract asks for.
        bool const takes_all = std::all_of(sets.begin(), sets.end(), [&](auto const& set) {
            return std::any_of(set.names().begin(), set.names().end(), [&](auto const& name) {
                return includes(security.takes, config::scheme_of(authenticators_, name));
            });
        });
        return takes_all ? "" : "takes only " + joined(security.takes) + " there";
    }

    void warn_of_differences() {
        constexpr std::size_t most_named = 3;
        std::string named;
        std::size_t count = 0;
        for (auto const& operation : api_.contract->operations()) {
            auto const difference = difference_of(operation);
            if (difference.empty() || ++count > most_named) continue;
            named += (named.empty() ? "" : ", ") + operation.id + ' ' + difference;
        }
        if (count == 0) return;
        if (count > most_named) named += ", and " + std::to_string(count - most_named) + " more";
        add(from_.contract->origin,
            "`security` of the contract says otherwise than `authenticate`: " + named,
            "write security: use to follow it, or security: ignore");
    }

    // Of operations that are public, or of a rule, nothing else counts.
    void warn_of_what_is_left_out(Operation const& operation) {
        auto const& security = operation.security;
        if (!security.is_stated || security.is_public
            || !seen_.insert(security.document_path).second)
            return;
        config::Origin const origin{security.mark, security.document_path};
        if (!security.takes.empty() && !security.unsupported.empty())
            add(origin,
                "callers cannot use " + joined(security.unsupported) + ": no authenticator does",
                "nothing is wrong if they use " + joined(security.takes));
    }

    void add(config::Origin const& origin, std::string what, std::string hint) {
        problems_.push_back(
            config::problem_at(origin, std::move(what), std::move(hint), Severity::warning));
    }

    config::Api const& from_;
    pipeline::Api const& api_;
    config::Authenticators authenticators_;
    std::set<std::string_view> seen_; // places in the document
    Problems problems_;
};

} // namespace

Problems warn_of_security(config::Config const& config,
                          std::vector<pipeline::Api const*> const& apis,
                          config::Authenticators authenticators) {
    Problems problems;
    for (auto const* const api : apis) {
        if (!api->contract) continue;
        auto more = Warnings{config.apis[api->index], *api, authenticators}.take();
        problems.insert(problems.end(), more.begin(), more.end());
    }
    return problems;
}

} // namespace sallyport::commands

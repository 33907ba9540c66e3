// Part of `check`: upstreams that get the callers' own secrets: see check_warnings.h.
#include "gateway/commands/check_warnings.h"

#include "config/text.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <variant>
#include <vector>

namespace sallyport::commands {

namespace {

// Whether one of them verifies secrets of the file of credentials, which the gateway has issued.
bool has_issued(config::AuthenticatorSets const& authenticate,
                config::Authenticators authenticators) {
    return config::any_named(authenticators, authenticate,
                             [](auto const& one) { return one.identity && one.identity->secrets; });
}

// Whether requests with such secrets go from this API to the upstream. An operation takes some of
// the authenticators of its API, or asks for more.
bool sends_issued(config::Api const& api, std::size_t upstream,
                  config::Authenticators authenticators) {
    bool const reaches_it =
        api.upstream == upstream
        || std::any_of(api.rules.begin(), api.rules.end(),
                       [upstream](auto const& rule) { return rule.upstream == upstream; });
    return reaches_it
           && (has_issued(api.authenticate, authenticators)
               || std::any_of(api.rules.begin(), api.rules.end(), [&](auto const& rule) {
                      return has_issued(rule.authenticate, authenticators);
                  }));
}

} // namespace

config::yaml::Problems warn_of_passed_credentials(config::Config const& config,
                                                  config::Authenticators authenticators) {
    config::yaml::Problems problems;
    for (std::size_t i = 0; i < config.upstreams.size(); ++i) {
        auto const* const passed =
            std::get_if<config::PassedCredential>(&config.upstreams[i].credential);
        if (passed == nullptr || passed->also_issued) continue;
        auto const sender =
            std::find_if(config.apis.begin(), config.apis.end(), [&](config::Api const& api) {
                return sends_issued(api, i, authenticators);
            });
        if (sender == config.apis.end()) continue;
        problems.push_back(config::problem_at(
            passed->origin,
            "the upstream gets the secrets that this gateway has issued to callers of the API "
                + config::in_quotes(sender->name),
            "write none, a credential of the gateway, or pass_issued if the upstream checks the "
            "same secrets",
            config::yaml::Severity::warning));
    }
    return problems;
}

} // namespace sallyport::commands

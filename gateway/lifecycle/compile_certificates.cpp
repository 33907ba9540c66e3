// Whether callers can show the certificates that APIs ask for.
#include "config/text.h"
#include "gateway/lifecycle/compile.h"

#include <algorithm>

namespace sallyport::lifecycle::compile {

namespace {

bool asks(config::Listener const& listener) {
    return listener.tls && listener.tls->client_certificates.verify != config::VerifyClients::none;
}

// The first authenticator of the list that wants a certificate; null: none.
config::Authenticator const* wanted_by(std::vector<std::string> const& names,
                                       config::Authenticators authenticators) {
    for (auto const& name : names) {
        auto const* const one = config::find_authenticator(authenticators, name);
        if (one != nullptr && one->shows == config::Shows::certificate) return one;
    }
    return nullptr;
}

} // namespace

void check_client_certificates(Read const& read, Problems& problems) {
    auto const& listeners = read.config.listeners;
    if (std::any_of(listeners.begin(), listeners.end(), asks)) return;
    auto const check = [&](std::vector<std::string> const& names, config::Origin const& origin) {
        auto const* const wanted = wanted_by(names, read.authenticators);
        if (wanted == nullptr) return;
        problems.push_back(config::problem_at(
            origin,
            "no listener asks clients for certificates: nobody could use "
                + std::string{wanted->name},
            "write client_certificates: { verify: required, ca: FILE } in `tls` of a listener"));
    };
    for (auto const& api : read.config.apis) {
        check(api.authenticate, api.origin);
        for (auto const& rule : api.rules)
            check(rule.authenticate, rule.origin);
    }
}

} // namespace sallyport::lifecycle::compile

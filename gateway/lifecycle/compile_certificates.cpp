// Whether callers can show the certificates that APIs ask for.
#include "config/text.h"
#include "gateway/lifecycle/compile.h"

#include <algorithm>

namespace sallyport::lifecycle::compile {

namespace {

bool asks(config::Listener const& listener) {
    return listener.tls && listener.tls->client_certificates.verify != config::VerifyClients::none;
}

// An authenticator of the sets that wants a certificate; null: none.
config::Authenticator const* wanted_by(config::AuthenticatorSets const& sets,
                                       config::Authenticators authenticators) {
    for (config::Authenticator const* const one : authenticators) {
        bool const wants = one->shows == config::Shows::certificate;
        if (wants && config::names_any(sets, one->name)) return one;
    }
    return nullptr;
}

} // namespace

void check_client_certificates(Read const& read, Problems& problems) {
    auto const& listeners = read.config.listeners;
    if (std::any_of(listeners.begin(), listeners.end(), asks)) return;
    auto const report = [&](config::Origin const& origin, std::string const& what) {
        problems.push_back(config::problem_at(
            origin, "no listener asks clients for certificates: no client could use " + what,
            "write client_certificates: { verify: required, ca: FILE } in `tls` of a listener"));
    };
    auto const check = [&](config::AuthenticatorSets const& sets, config::Origin const& origin) {
        auto const* const wanted = wanted_by(sets, read.authenticators);
        if (wanted == nullptr) return;
        report(origin, std::string{wanted->name});
    };
    for (auto const& api : read.config.apis) {
        for (auto const& [of, settings] : api.settings) {
            auto const key = config::referred_of(of, settings, read.authenticators).certificate;
            if (key) report(key->origin, key->name);
        }
        check(api.authenticate, api.origin);
        for (auto const& rule : api.rules)
            check(rule.authenticate, rule.origin);
    }
}

} // namespace sallyport::lifecycle::compile

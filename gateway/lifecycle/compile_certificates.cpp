// Whether callers can show the certificates that APIs ask for.
#include "config/text.h"
#include "gateway/lifecycle/compile.h"

#include <algorithm>
#include <string>
#include <vector>

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

namespace {

// The listeners that an entry names; null: it is for any.
std::vector<config::NamedAt> const* listeners_of(config::Identity const& identity) {
    return identity.own.as<std::vector<config::NamedAt>>();
}

// Whether two of them trust other authorities.
bool have_other_authorities(std::vector<config::Listener> const& listeners) {
    config::Listener const* first = nullptr;
    for (auto const& listener : listeners) {
        if (!asks(listener)) continue;
        auto const& ca = listener.tls->client_certificates.ca;
        if (first == nullptr) {
            first = &listener;
        } else if (auto const& other = first->tls->client_certificates.ca;
                   ca && other && ca->path != other->path) {
            return true;
        }
    }
    return false;
}

// A fingerprint is of one certificate, whichever authority has signed it.
bool is_found_by_name(config::Identity const& identity) {
    return !identity.keys.empty() && !identity.key_id.starts_with("sha256:");
}

} // namespace

void check_certificate_entries(config::Config const& config,
                               std::vector<config::Credential> const& credentials,
                               Problems& problems) {
    bool const differ = have_other_authorities(config.listeners);
    for (auto const& credential : credentials) {
        for (auto const& identity : credential.identities) {
            if (identity.authenticator == nullptr
                || identity.authenticator->shows != config::Shows::certificate)
                continue;
            auto const* const listeners = listeners_of(identity);
            if (listeners == nullptr) {
                if (!differ || !is_found_by_name(identity)) continue;
                problems.push_back(config::problem_at(
                    credential.origin,
                    "listeners have other authorities, each of which can sign a certificate of "
                        + config::in_quotes(credential.name),
                    "write listeners: [NAME] into its client_certificate, or fingerprints",
                    config::yaml::Severity::warning));
                continue;
            }
            for (auto const& named : *listeners) {
                auto const found =
                    std::find_if(config.listeners.begin(), config.listeners.end(),
                                 [&named](auto const& one) { return one.name == named.name; });
                if (found != config.listeners.end() && asks(*found)) continue;
                problems.push_back(config::problem_at(
                    named.origin,
                    found == config.listeners.end()
                        ? "no listener is called " + config::in_quotes(named.name)
                        : "the listener " + config::in_quotes(named.name)
                              + " asks for no client certificates",
                    "write the name of one with client_certificates"));
            }
        }
    }
}

} // namespace sallyport::lifecycle::compile

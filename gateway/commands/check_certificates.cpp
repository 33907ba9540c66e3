// Part of `check`: certificates that expire: see check_warnings.h.
#include "gateway/commands/check_warnings.h"

#include "config/text.h"
#include "config/units.h"
#include "gateway/net/certificate_dates.h"

#include <algorithm>
#include <vector>

namespace sallyport::commands {

namespace {

using config::yaml::Severity;
using net::CertificateDates;

// Certificates that are renewed automatically are valid for weeks, and are renewed when a third of
// that is left.
bool ends_soon(CertificateDates const& dates, Time now) {
    auto const lifetime = dates.not_after - dates.not_before;
    return dates.not_after - now < std::min<Time::duration>(soon, lifetime / 3);
}

class Warnings {
public:
    explicit Warnings(Time now) : now_{now} {}

    // The one that is shown first, then those between it and its authority.
    void look_at_chain(config::File const& file) {
        auto const dates = net::read_certificate_dates(file.path);
        for (std::size_t i = 0; i < dates.size(); ++i) {
            auto const& one = dates[i];
            std::string const which =
                i == 0 ? "the certificate" : "the intermediate " + config::in_quotes(one.subject);
            bool const is_reported = i == 0; // when it is loaded
            if (one.not_after < now_) {
                if (!is_reported) report(file, which + " expired at " + text(one.not_after));
            } else if (one.not_before > now_) {
                if (!is_reported)
                    report(file, which + " is not valid before " + text(one.not_before));
            } else if (ends_soon(one, now_)) {
                report(file, which + " expires soon, at " + text(one.not_after));
            }
        }
    }

    // A bundle may contain expired authorities besides their replacements: the last one to expire
    // counts.
    // `without`: what is lost once none of them is valid.
    void look_at_bundle(config::File const& file, std::string_view without) {
        auto const dates = net::read_certificate_dates(file.path);
        if (dates.empty()) return;
        auto const last =
            *std::max_element(dates.begin(), dates.end(), [](auto const& a, auto const& b) {
                return a.not_after < b.not_after;
            });
        auto const first =
            std::min_element(dates.begin(), dates.end(), [](auto const& a, auto const& b) {
                return a.not_before < b.not_before;
            });
        std::string const which = dates.size() == 1 ? "the authority" : "the last authority";
        if (last.not_after < now_) {
            report(file,
                   which + " expired at " + text(last.not_after) + ": " + std::string{without});
        } else if (first->not_before > now_) {
            report(file, which + " is not valid before " + text(first->not_before) + ": "
                             + std::string{without});
        } else if (ends_soon(last, now_)) {
            report(file, which + " expires soon, at " + text(last.not_after));
        }
    }

    // Those that have ended are reported when they are loaded. Some are for a day: what is left of
    // their time counts as with certificates.
    void look_at_lists(config::File const& file) {
        for (auto const& one : net::read_list_dates(file.path)) {
            if (one.not_after < now_ || !ends_soon(one, now_)) continue;
            report(file, "the list of the authority " + config::in_quotes(one.subject)
                             + " ends soon, at " + text(one.not_after)
                             + ": then all certificates that it has signed are refused");
        }
    }

    [[nodiscard]] config::yaml::Problems take() { return std::move(problems_); }

private:
    static std::string text(Time time) { return config::format_date_time(time); }

    void report(config::File const& file, std::string what) {
        problems_.push_back(config::problem_at(file.origin, file.path + ": " + std::move(what),
                                               "put a newer one in its place", Severity::warning));
    }

    Time now_;
    config::yaml::Problems problems_;
};

} // namespace

config::yaml::Problems warn_of_certificates(config::Config const& config, Time now) {
    Warnings warnings{now};
    for (auto const& listener : config.listeners) {
        if (!listener.tls) continue;
        for (auto const& certificate : listener.tls->certificates)
            warnings.look_at_chain(certificate.certificate);
        auto const& clients = listener.tls->client_certificates;
        if (clients.ca) warnings.look_at_bundle(*clients.ca, "no client is trusted");
        if (clients.crl) warnings.look_at_lists(*clients.crl);
    }
    for (auto const& upstream : config.upstreams) {
        if (upstream.tls.ca) warnings.look_at_bundle(*upstream.tls.ca, "no upstream is trusted");
        if (upstream.tls.certificate) warnings.look_at_chain(upstream.tls.certificate->certificate);
    }
    return warnings.take();
}

config::yaml::Problems warn_of_client_certificates(config::Config const& config,
                                                   config::Authenticators authenticators) {
    auto const takes_certificates = [&](config::Api const& api) {
        return config::any_named(authenticators, api.authenticate, [](auto const& one) {
            return one.shows == config::Shows::certificate;
        });
    };
    config::yaml::Problems problems;
    auto const api = std::find_if(config.apis.begin(), config.apis.end(), takes_certificates);
    if (api == config.apis.end()) return problems;
    for (auto const& listener : config.listeners) {
        bool const asks =
            listener.tls && listener.tls->client_certificates.verify != config::VerifyClients::none;
        if (asks || listener.redirect) continue;
        problems.push_back(config::problem_at(
            listener.origin,
            "asks clients for no certificates, and the API " + config::in_quotes(api->name)
                + " takes them: whoever comes here needs other credentials",
            "nothing is wrong if callers with certificates come through other listeners",
            Severity::warning));
    }
    return problems;
}

} // namespace sallyport::commands

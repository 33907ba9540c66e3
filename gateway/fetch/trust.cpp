// Whom the gateway trusts when it asks a server itself: see trust.h.
#include "gateway/fetch/trust.h"

#include <utility>

namespace sallyport::fetch {

std::shared_ptr<net::TlsClientContext const> trust_of(std::optional<config::File> const& ca,
                                                      config::Origin const& url,
                                                      config::yaml::Problems& problems) {
    net::ClientTlsSettings tls;
    if (ca) tls.ca = net::PemSource{ca->path, {}};
    auto made = net::TlsClientContext::make(tls);
    for (auto const& problem : made.problems) {
        auto const what =
            problem.file.empty() ? problem.text : problem.file.string() + ": " + problem.text;
        bool const is_error = problem.severity == net::TlsProblem::Severity::error;
        problems.push_back(config::problem_at(ca ? ca->origin : url, what, problem.hint,
                                              is_error ? config::yaml::Severity::error
                                                       : config::yaml::Severity::warning));
    }
    return std::move(made.context);
}

} // namespace sallyport::fetch

// The validity periods of the certificates of a PEM file: see certificate_dates.h.
#include "gateway/net/certificate_dates.h"

#include "gateway/net/tls_material.h"

namespace sallyport::net {

std::vector<CertificateDates> read_certificate_dates(std::filesystem::path const& file) {
    TlsProblems reported_by_loading;
    std::vector<CertificateDates> dates;
    for (auto const& certificate : load_certificates({file, std::nullopt}, reported_by_loading)) {
        dates.push_back({common_name_of(X509_get_subject_name(certificate.get())),
                         time_of(X509_get0_notBefore(certificate.get())),
                         time_of(X509_get0_notAfter(certificate.get()))});
    }
    return dates;
}

std::vector<CertificateDates> read_list_dates(std::filesystem::path const& file) {
    TlsProblems reported_by_loading;
    std::vector<CertificateDates> dates;
    for (auto const& list : load_revocation_lists({file, std::nullopt}, reported_by_loading)) {
        auto const* const end = X509_CRL_get0_nextUpdate(list.get());
        if (end == nullptr) continue;
        dates.push_back({common_name_of(X509_CRL_get_issuer(list.get())),
                         time_of(X509_CRL_get0_lastUpdate(list.get())), time_of(end)});
    }
    return dates;
}

} // namespace sallyport::net

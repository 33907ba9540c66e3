// The validity periods of the certificates of a PEM file: see certificate_dates.h.
#include "gateway/net/certificate_dates.h"

#include "gateway/net/tls_material.h"

#include <array>
#include <ctime>

namespace sallyport::net {

namespace {

// RFC 5280, 4.1.2.5: in UTC.
std::chrono::system_clock::time_point time_of(ASN1_TIME const* time) {
    std::tm parts{};
    if (ASN1_TIME_to_tm(time, &parts) != 1) return {};
    return std::chrono::system_clock::from_time_t(::timegm(&parts));
}

std::string common_name_of(X509* certificate) {
    std::array<char, 256> name{};
    int const size =
        X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, name.data(),
                                  static_cast<int>(name.size()));
    return size > 0 ? std::string{name.data(), static_cast<std::size_t>(size)} : std::string{};
}

} // namespace

std::vector<CertificateDates> read_certificate_dates(std::filesystem::path const& file) {
    TlsProblems reported_by_loading;
    std::vector<CertificateDates> dates;
    for (auto const& certificate : load_certificates({file, std::nullopt}, reported_by_loading)) {
        dates.push_back({common_name_of(certificate.get()),
                         time_of(X509_get0_notBefore(certificate.get())),
                         time_of(X509_get0_notAfter(certificate.get()))});
    }
    return dates;
}

} // namespace sallyport::net

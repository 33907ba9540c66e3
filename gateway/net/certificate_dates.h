// The validity periods of the certificates of a PEM file, for warnings before a certificate
// expires.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace sallyport::net {

struct CertificateDates {
    std::string subject; // the common name; may be empty
    std::chrono::system_clock::time_point not_before;
    std::chrono::system_clock::time_point not_after;
};

/// In the order of the file; empty if it cannot be read completely, which loading it reports.
[[nodiscard]] std::vector<CertificateDates>
read_certificate_dates(std::filesystem::path const& file);

/// The same of lists of revoked certificates, with the names of their issuers; without those that
/// do not end (RFC 5280, 5.1.2.5).
[[nodiscard]] std::vector<CertificateDates> read_list_dates(std::filesystem::path const& file);

} // namespace sallyport::net

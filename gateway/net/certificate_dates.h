// From when to when the certificates of a PEM file are valid: for those who look before something
// ends.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace sallyport::net {

struct CertificateDates {
    std::string subject; // its common name; may be empty
    std::chrono::system_clock::time_point not_before;
    std::chrono::system_clock::time_point not_after;
};

/// In the order of the file; none where it cannot be read whole, which loading it tells.
[[nodiscard]] std::vector<CertificateDates>
read_certificate_dates(std::filesystem::path const& file);

} // namespace sallyport::net

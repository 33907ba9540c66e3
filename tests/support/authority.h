// Authorities of tests with what they issue: certificates of every kind, and lists of revoked ones.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sallyport::test {

/// What is asked of an authority. Times in seconds from now.
struct CertificateRequest {
    /// In the order of the certificate: {"O", "Example"}, {"CN", "billing"}.
    std::vector<std::pair<std::string, std::string>> subject = {{"CN", "client"}};
    std::string alternative_names = {}; // as in openssl.cnf: "DNS:a.example,URI:spiffe://b/c"
    std::string extended_usage = "clientAuth"; // empty: any
    std::string basic_constraints = "critical,CA:FALSE";
    std::string key_usage = {}; // empty: any
    long starts = -3600;
    long ends = 86400;
    /// Bytes of an extension that nobody knows, to make it large.
    std::size_t padding = 0;
    /// Type of the values of the subject: MBSTRING_UTF8, or one of V_ASN1_*STRING.
    int subject_type = 0x1000;
};

struct IssuedCertificate {
    std::string certificate; // PEM
    std::string private_key; // PEM
    long serial = 0;

    /// All in one file, with certificates that are sent too.
    [[nodiscard]] std::string with(std::string const& between = {}) const {
        return certificate + between + private_key;
    }
};

class IssuingAuthority {
public:
    /// Signed by `above`; a root without.
    explicit IssuingAuthority(std::string const& name, IssuingAuthority const* above = nullptr,
                              long starts = -7200, long ends = 30L * 86400);
    ~IssuingAuthority();
    IssuingAuthority(IssuingAuthority const&) = delete;
    IssuingAuthority& operator=(IssuingAuthority const&) = delete;

    [[nodiscard]] std::string const& certificate() const; // PEM
    [[nodiscard]] long serial() const;
    [[nodiscard]] IssuedCertificate issue(CertificateRequest const& request = {}) const;
    /// A certificate that is signed with its own key.
    [[nodiscard]] static IssuedCertificate issue_alone(CertificateRequest const& request = {});
    /// The list of its revoked certificates, in PEM.
    [[nodiscard]] std::string list(std::vector<long> const& serials = {}, long ends = 86400,
                                   long starts = -3600) const;

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

/// sha256: and the digest of the DER of a certificate in PEM.
std::string fingerprint_of(std::string const& pem);

} // namespace sallyport::test

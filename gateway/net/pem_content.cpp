// Describes the content of a file that should be PEM: see pem_content.h.
#include "gateway/net/pem_content.h"

#include <algorithm>

namespace sallyport::net {

namespace {

constexpr std::string_view begin_mark = "-----BEGIN ";
constexpr std::string_view mark_end = "-----";

// Whether a block begins whose label ends in `label`.
bool has_label(std::string_view text, std::string_view label) noexcept {
    for (auto at = text.find(begin_mark); at != std::string_view::npos;
         at = text.find(begin_mark, at + 1)) {
        auto const from = at + begin_mark.size();
        auto const whole = text.substr(from, text.find(mark_end, from) - from);
        if (whole.ends_with(label)) return true;
    }
    return false;
}

// X.690, 8.1: a sequence whose length takes more than one byte, as in each of these.
bool is_der(std::string_view text) noexcept {
    return text.size() > 2 && text[0] == '\x30' && (static_cast<unsigned char>(text[1]) & 0x80U);
}

bool is_blank(std::string_view text) noexcept {
    return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

} // namespace

bool has_pem(std::string_view text, PemKind kind) noexcept {
    if (kind == PemKind::private_key) return has_label(text, "PRIVATE KEY");
    if (kind == PemKind::revocation_list) return has_label(text, "X509 CRL");
    return has_label(text, "CERTIFICATE");
}

bool has_nul(std::string_view text) noexcept {
    return text.find('\0') != std::string_view::npos;
}

PemFault describe_nul(std::string_view text) {
    auto const before = text.substr(0, text.find('\0'));
    auto const line = std::count(before.begin(), before.end(), '\n') + 1;
    return {"holds a NUL byte (U+0000) in line " + std::to_string(line) + ": not PEM",
            "write it again as plain text, in ASCII"};
}

namespace {

PemFault describe_missing_list(std::string_view text) {
    constexpr std::string_view noun = "list of revoked certificates";
    if (is_der(text))
        return {"holds no " + std::string{noun} + " in PEM: it is binary (DER)",
                "convert it, with openssl crl -inform der -in FILE -out NEW"};
    bool const is_text = !has_nul(text);
    if (!is_text) return describe_nul(text);
    std::string const hint = "write a file with -----BEGIN X509 CRL-----";
    return {is_blank(text) ? "is empty" : "holds no " + std::string{noun} + " in PEM", hint};
}

} // namespace

PemFault describe_missing(std::string_view text, PemKind wanted) {
    if (wanted == PemKind::revocation_list) return describe_missing_list(text);
    bool const wants_key = wanted == PemKind::private_key;
    std::string const noun = wants_key ? "private key" : "certificate";
    if (is_blank(text)) {
        return {"is empty", "write the " + noun + " there in PEM (-----BEGIN "
                                + (wants_key ? "PRIVATE KEY" : "CERTIFICATE") + "-----)"};
    }
    if (is_der(text)) {
        return {"holds no " + noun + " in PEM: it is binary (DER or PKCS #12)",
                wants_key ? "convert it, with openssl pkey -inform der -in FILE -out NEW, or "
                            "openssl pkcs12 -in FILE -nocerts -noenc -out NEW"
                          : "convert it, with openssl x509 -inform der -in FILE -out NEW, or "
                            "openssl pkcs12 -in FILE -nokeys -out NEW"};
    }
    if (has_nul(text)) return describe_nul(text);
    if (!wants_key && has_label(text, "CERTIFICATE REQUEST")) {
        return {"holds a request for a certificate, not a certificate",
                "write the file of the certificate that the authority issued for it"};
    }
    auto const other = wants_key ? PemKind::certificate : PemKind::private_key;
    if (has_pem(text, other)) {
        return wants_key ? PemFault{"holds a certificate, not a private key",
                                    "write the file of the certificate's private key"}
                         : PemFault{"holds a private key, not a certificate",
                                    "write the file of the certificate"};
    }
    if (has_label(text, "PUBLIC KEY")) {
        return {"holds a public key, not a " + noun, "write the file of the " + noun};
    }
    return {"holds no " + noun + " in PEM",
            "write a file with -----BEGIN " + std::string{wants_key ? "PRIVATE KEY" : "CERTIFICATE"}
                + "-----"};
}

} // namespace sallyport::net

// Issues certificates and lists of revoked ones with OpenSSL.
#include "tests/support/authority.h"

#include "tests/support/encodings.h"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <stdexcept>

namespace sallyport::test {

namespace {

struct Free {
    void operator()(BIO* bio) const { BIO_free_all(bio); }
    void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
    void operator()(X509* certificate) const { X509_free(certificate); }
    void operator()(X509_CRL* list) const { X509_CRL_free(list); }
    void operator()(X509_EXTENSION* extension) const { X509_EXTENSION_free(extension); }
    void operator()(ASN1_OBJECT* object) const { ASN1_OBJECT_free(object); }
    void operator()(ASN1_STRING* value) const { ASN1_STRING_free(value); } // times and numbers too
};
template <class T>
using Owned = std::unique_ptr<T, Free>;

void need(bool succeeded, char const* what) {
    if (!succeeded) throw std::runtime_error(std::string{"cannot issue: "} + what);
}

std::string text_of(BIO* bio) {
    char* data = nullptr;
    auto const size = BIO_get_mem_data(bio, &data);
    return {data, static_cast<std::size_t>(size)};
}

std::string pem_of(X509* certificate) {
    Owned<BIO> const bio{BIO_new(BIO_s_mem())};
    need(PEM_write_bio_X509(bio.get(), certificate) == 1, "PEM");
    return text_of(bio.get());
}

std::string pem_of(EVP_PKEY* key) {
    Owned<BIO> const bio{BIO_new(BIO_s_mem())};
    need(PEM_write_bio_PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr) == 1,
         "PEM");
    return text_of(bio.get());
}

long next_serial() {
    static long serial = 1000;
    return ++serial;
}

void add_extension(X509* certificate, X509* issuer, int identifier, std::string const& value) {
    if (value.empty()) return;
    X509V3_CTX context{};
    X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
    Owned<X509_EXTENSION> const extension{
        X509V3_EXT_conf_nid(nullptr, &context, identifier, value.c_str())};
    need(extension != nullptr && X509_add_ext(certificate, extension.get(), -1) == 1, "extension");
}

// RFC 5612 has numbers for examples.
void add_padding(X509* certificate, std::size_t size) {
    if (size == 0) return;
    Owned<ASN1_OBJECT> const object{OBJ_txt2obj("1.3.6.1.4.1.32473.1", 1)};
    Owned<ASN1_OCTET_STRING> const bytes{ASN1_OCTET_STRING_new()};
    std::string const text(size, 'x');
    ASN1_OCTET_STRING_set(bytes.get(), reinterpret_cast<unsigned char const*>(text.data()),
                          static_cast<int>(text.size()));
    Owned<X509_EXTENSION> const extension{
        X509_EXTENSION_create_by_OBJ(nullptr, object.get(), 0, bytes.get())};
    need(X509_add_ext(certificate, extension.get(), -1) == 1, "padding");
}

Owned<X509> make(CertificateRequest const& request, EVP_PKEY* key, X509* issuer,
                 EVP_PKEY* issuer_key) {
    Owned<X509> certificate{X509_new()};
    auto* const made = certificate.get();
    X509_set_version(made, X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(made), next_serial());
    X509_gmtime_adj(X509_getm_notBefore(made), request.starts);
    X509_gmtime_adj(X509_getm_notAfter(made), request.ends);
    X509_set_pubkey(made, key);
    auto* const name = X509_get_subject_name(made);
    for (auto const& [type, value] : request.subject)
        need(X509_NAME_add_entry_by_txt(name, type.c_str(), request.subject_type,
                                        reinterpret_cast<unsigned char const*>(value.data()),
                                        static_cast<int>(value.size()), -1, 0)
                 == 1,
             "subject");
    if (issuer == nullptr) issuer = made;
    X509_set_issuer_name(made, X509_get_subject_name(issuer));
    add_extension(made, issuer, NID_basic_constraints, request.basic_constraints);
    add_extension(made, issuer, NID_key_usage, request.key_usage);
    add_extension(made, issuer, NID_ext_key_usage, request.extended_usage);
    add_extension(made, issuer, NID_subject_alt_name, request.alternative_names);
    add_padding(made, request.padding);
    need(X509_sign(made, issuer_key, EVP_sha256()) > 0, "signature");
    return certificate;
}

IssuedCertificate issued(X509* certificate, EVP_PKEY* key) {
    return {pem_of(certificate), pem_of(key),
            ASN1_INTEGER_get(X509_get0_serialNumber(certificate))};
}

Owned<EVP_PKEY> new_key() {
    return Owned<EVP_PKEY>{EVP_EC_gen("P-256")};
}

} // namespace

struct IssuingAuthority::Parts {
    Owned<EVP_PKEY> key;
    Owned<X509> certificate;
    std::string pem;
};

IssuingAuthority::IssuingAuthority(std::string const& name, IssuingAuthority const* above,
                                   long starts, long ends)
    : parts_{std::make_unique<Parts>()} {
    CertificateRequest request;
    request.subject = {{"CN", name}};
    request.extended_usage = {};
    request.basic_constraints = "critical,CA:TRUE";
    request.key_usage = "critical,keyCertSign,cRLSign";
    request.starts = starts;
    request.ends = ends;
    parts_->key = new_key();
    parts_->certificate = make(request, parts_->key.get(),
                               above == nullptr ? nullptr : above->parts_->certificate.get(),
                               above == nullptr ? parts_->key.get() : above->parts_->key.get());
    parts_->pem = pem_of(parts_->certificate.get());
}

IssuingAuthority::~IssuingAuthority() = default;

std::string const& IssuingAuthority::certificate() const {
    return parts_->pem;
}

long IssuingAuthority::serial() const {
    return ASN1_INTEGER_get(X509_get0_serialNumber(parts_->certificate.get()));
}

IssuedCertificate IssuingAuthority::issue(CertificateRequest const& request) const {
    auto const key = new_key();
    auto const certificate = make(request, key.get(), parts_->certificate.get(), parts_->key.get());
    return issued(certificate.get(), key.get());
}

IssuedCertificate IssuingAuthority::issue_alone(CertificateRequest const& request) {
    auto const key = new_key();
    auto const certificate = make(request, key.get(), nullptr, key.get());
    return issued(certificate.get(), key.get());
}

std::string IssuingAuthority::list(std::vector<long> const& serials, long ends, long starts) const {
    Owned<X509_CRL> const list{X509_CRL_new()};
    X509_CRL_set_version(list.get(), X509_CRL_VERSION_2);
    X509_CRL_set_issuer_name(list.get(), X509_get_subject_name(parts_->certificate.get()));
    Owned<ASN1_TIME> const from{X509_gmtime_adj(nullptr, starts)};
    Owned<ASN1_TIME> const until{X509_gmtime_adj(nullptr, ends)};
    X509_CRL_set1_lastUpdate(list.get(), from.get());
    X509_CRL_set1_nextUpdate(list.get(), until.get());
    for (auto const serial : serials) {
        auto* const revoked = X509_REVOKED_new();
        Owned<ASN1_INTEGER> const number{ASN1_INTEGER_new()};
        ASN1_INTEGER_set(number.get(), serial);
        X509_REVOKED_set_serialNumber(revoked, number.get());
        X509_REVOKED_set_revocationDate(revoked, from.get());
        X509_CRL_add0_revoked(list.get(), revoked);
    }
    X509_CRL_sort(list.get());
    need(X509_CRL_sign(list.get(), parts_->key.get(), EVP_sha256()) > 0, "list");
    Owned<BIO> const bio{BIO_new(BIO_s_mem())};
    need(PEM_write_bio_X509_CRL(bio.get(), list.get()) == 1, "PEM");
    return text_of(bio.get());
}

std::string fingerprint_of(std::string const& pem) {
    Owned<BIO> const bio{BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()))};
    Owned<X509> const certificate{PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)};
    unsigned char* der = nullptr;
    auto const size = i2d_X509(certificate.get(), &der);
    std::string const bytes{reinterpret_cast<char const*>(der), static_cast<std::size_t>(size)};
    OPENSSL_free(der);
    return "sha256:" + sha256_hex(bytes);
}

} // namespace sallyport::test

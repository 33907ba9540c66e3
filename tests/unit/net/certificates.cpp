// Makes keys and certificates for tests.
#include "tests/unit/net/certificates.h"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509v3.h>

#include <memory>
#include <stdexcept>

namespace sallyport::net::test {

namespace {

struct Free {
    void operator()(BIO* bio) const { BIO_free_all(bio); }
    void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
    void operator()(X509* certificate) const { X509_free(certificate); }
    void operator()(X509_EXTENSION* extension) const { X509_EXTENSION_free(extension); }
};
template <class T>
using Owned = std::unique_ptr<T, Free>;

void require(bool good, char const* what) {
    if (!good) throw std::runtime_error(what);
}

std::string text_of(BIO* bio) {
    char* data = nullptr;
    auto const size = BIO_get_mem_data(bio, &data);
    return {data, static_cast<std::size_t>(size)};
}

Owned<BIO> view_of(std::string const& text) {
    return Owned<BIO>(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

Owned<EVP_PKEY> make_key(KeyKind kind) {
    if (kind == KeyKind::ecdsa) return Owned<EVP_PKEY>(EVP_EC_gen("P-256"));
    return Owned<EVP_PKEY>(EVP_RSA_gen(kind == KeyKind::rsa ? 2048U : 1024U));
}

std::string pem_of(EVP_PKEY* key) {
    Owned<BIO> bio(BIO_new(BIO_s_mem()));
    require(PEM_write_bio_PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr) == 1,
            "key");
    return text_of(bio.get());
}

std::string pem_of(X509* certificate) {
    Owned<BIO> bio(BIO_new(BIO_s_mem()));
    require(PEM_write_bio_X509(bio.get(), certificate) == 1, "certificate");
    return text_of(bio.get());
}

void add_extension(X509* certificate, X509* issuer, int id, std::string const& value) {
    X509V3_CTX context;
    X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
    Owned<X509_EXTENSION> extension(X509V3_EXT_conf_nid(nullptr, &context, id, value.c_str()));
    require(extension != nullptr, "extension");
    X509_add_ext(certificate, extension.get(), -1);
}

Owned<X509> make_certificate(std::string const& common_name, EVP_PKEY* key, long from,
                             long length) {
    static long serial = 1;
    Owned<X509> certificate(X509_new());
    X509_set_version(certificate.get(), X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), serial++);
    X509_gmtime_adj(X509_getm_notBefore(certificate.get()), from);
    X509_gmtime_adj(X509_getm_notAfter(certificate.get()), from + length);
    X509_set_pubkey(certificate.get(), key);
    X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate.get()), "CN", MBSTRING_ASC,
                               reinterpret_cast<unsigned char const*>(common_name.c_str()), -1, -1,
                               0);
    return certificate;
}

std::string alternatives(Recipe const& recipe) {
    std::string text;
    for (auto const& name : recipe.dns_names)
        text += (text.empty() ? "DNS:" : ",DNS:") + name;
    for (auto const& address : recipe.addresses)
        text += (text.empty() ? "IP:" : ",IP:") + address;
    return text;
}

} // namespace

Authority::Authority() {
    // A name of its own: an authority of the same name would be found, with a wrong signature.
    static int made = 0;
    auto const name = "Test Authority " + std::to_string(++made);
    auto const key = make_key(KeyKind::ecdsa);
    auto const certificate = make_certificate(name, key.get(), -7200, 30 * 86400);
    X509_set_issuer_name(certificate.get(), X509_get_subject_name(certificate.get()));
    add_extension(certificate.get(), certificate.get(), NID_basic_constraints, "critical,CA:TRUE");
    require(X509_sign(certificate.get(), key.get(), EVP_sha256()) != 0, "sign");
    self_ = {pem_of(certificate.get()), pem_of(key.get())};
}

Identity Authority::issue(Recipe const& recipe) const {
    Owned<X509> const issuer(
        PEM_read_bio_X509(view_of(self_.certificate).get(), nullptr, nullptr, nullptr));
    Owned<EVP_PKEY> const issuer_key(
        PEM_read_bio_PrivateKey(view_of(self_.private_key).get(), nullptr, nullptr, nullptr));
    auto const key = make_key(recipe.key);
    auto const certificate =
        make_certificate("server", key.get(), recipe.valid_from, recipe.valid_for);
    X509_set_issuer_name(certificate.get(), X509_get_subject_name(issuer.get()));
    if (auto const names = alternatives(recipe); !names.empty())
        add_extension(certificate.get(), issuer.get(), NID_subject_alt_name, names);
    require(X509_sign(certificate.get(), issuer_key.get(), EVP_sha256()) != 0, "sign");
    return {pem_of(certificate.get()), pem_of(key.get())};
}

std::string der_of(Identity const& identity) {
    Owned<X509> const certificate(
        PEM_read_bio_X509(view_of(identity.certificate).get(), nullptr, nullptr, nullptr));
    Owned<BIO> bio(BIO_new(BIO_s_mem()));
    require(i2d_X509_bio(bio.get(), certificate.get()) == 1, "DER");
    return text_of(bio.get());
}

std::string encrypt_key(Identity const& identity) {
    Owned<EVP_PKEY> const key(
        PEM_read_bio_PrivateKey(view_of(identity.private_key).get(), nullptr, nullptr, nullptr));
    Owned<BIO> bio(BIO_new(BIO_s_mem()));
    unsigned char pass_phrase[] = "correct horse";
    require(PEM_write_bio_PrivateKey(bio.get(), key.get(), EVP_aes_256_cbc(), pass_phrase,
                                     sizeof pass_phrase - 1, nullptr, nullptr)
                == 1,
            "encrypted key");
    return text_of(bio.get());
}

CertificateSource source_of(Identity const& identity, std::string const& name) {
    return {{name + ".pem", identity.certificate}, {name + ".key", identity.private_key}};
}

} // namespace sallyport::net::test

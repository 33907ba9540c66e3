// Reads and checks certificates, keys and trusted certificates in PEM.
#include "gateway/net/tls_material.h"

#include "gateway/net/pem_content.h"
#include "gateway/text/ascii.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

namespace sallyport::net {

namespace {

constexpr std::size_t most_bytes = 4 << 20; // the system's trust store has some 200 KiB

void report(TlsProblems& problems, PemSource const& source, PemFault fault) {
    report(problems, source, std::move(fault.what), std::move(fault.hint));
}

std::optional<std::string> read_source(PemSource const& source, TlsProblems& problems) {
    if (source.text) return source.text;
    std::error_code is_directory_error;
    if (std::filesystem::is_directory(source.path, is_directory_error)) {
        report(problems, source, "is a directory, not a file", "write the path of a file");
        return std::nullopt;
    }
    errno = 0;
    std::ifstream file{source.path, std::ios::binary};
    if (!file) {
        report(problems, source, std::string("cannot be read: ") + std::strerror(errno));
        return std::nullopt;
    }
    std::string text;
    std::array<char, 16 << 10> block;
    while (file.read(block.data(), block.size()), file.gcount() > 0) {
        text.append(block.data(), static_cast<std::size_t>(file.gcount()));
        if (text.size() > most_bytes) {
            report(problems, source, "is larger than 4 MiB: not a PEM file");
            return std::nullopt;
        }
    }
    if (file.bad()) {
        report(problems, source, "cannot be read to its end");
        return std::nullopt;
    }
    return text;
}

BioPointer view_of(std::string const& text) {
    return BioPointer(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

// OpenSSL calls this for a pass phrase only if the key is encrypted. Without it OpenSSL would read
// one from the terminal.
int note_encryption(char*, int, int, void* encrypted) {
    *static_cast<bool*>(encrypted) = true;
    return -1;
}

KeyPointer read_key(PemSource const& source, std::string const& text, TlsProblems& problems) {
    if (has_nul(text) || !has_pem(text, PemKind::private_key)) {
        report(problems, source, describe_missing(text, PemKind::private_key));
        return nullptr;
    }
    bool encrypted = false;
    KeyPointer key(
        PEM_read_bio_PrivateKey(view_of(text).get(), nullptr, note_encryption, &encrypted));
    auto const reason = take_openssl_reason();
    if (key) return key;
    if (encrypted) {
        report(problems, source, "the private key is encrypted",
               "store it without a pass phrase, with openssl pkey -in FILE -out NEW, readable by "
               "Sallyport's user alone");
    } else {
        report(problems, source, "holds a private key that cannot be read: " + reason,
               "write it again: a line of it is missing or was changed");
    }
    return nullptr;
}

std::string lower(std::string_view text) {
    std::string result{text};
    std::transform(result.begin(), result.end(), result.begin(), text::to_lower);
    return result;
}

struct NamesDelete {
    void operator()(GENERAL_NAMES* names) const noexcept { GENERAL_NAMES_free(names); }
};

// The subject's common name does not count: RFC 9525, 4.1 and appendix.
std::vector<std::string> names_of(X509* certificate) {
    std::vector<std::string> names;
    std::unique_ptr<GENERAL_NAMES, NamesDelete> const alternatives(static_cast<GENERAL_NAMES*>(
        X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
    for (int i = 0; alternatives && i < sk_GENERAL_NAME_num(alternatives.get()); ++i) {
        GENERAL_NAME const* const name = sk_GENERAL_NAME_value(alternatives.get(), i);
        if (name->type != GEN_DNS) continue;
        names.push_back(
            lower({reinterpret_cast<char const*>(ASN1_STRING_get0_data(name->d.dNSName)),
                   static_cast<std::size_t>(ASN1_STRING_length(name->d.dNSName))}));
    }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    ERR_clear_error();
    return names;
}

void judge_validity(X509* certificate, PemSource const& source, TlsProblems& problems) {
    if (X509_cmp_current_time(X509_get0_notAfter(certificate)) < 0)
        report(problems, source, "the certificate has expired", {}, TlsProblem::Severity::warning);
    if (X509_cmp_current_time(X509_get0_notBefore(certificate)) > 0)
        report(problems, source, "the certificate is not valid yet", {},
               TlsProblem::Severity::warning);
}

constexpr std::string_view right_order =
    "write the server's certificate first, then each time the one that signed the one before";

// RFC 5246, 7.4.2. RFC 8446, 4.4.2 lets clients reorder a chain, and not all of them do.
void judge_order(CertificateMaterial const& material, PemSource const& source,
                 TlsProblems& problems) {
    X509* before = material.leaf.get();
    for (std::size_t i = 0; i < material.chain.size(); ++i) {
        X509* const link = material.chain[i].get();
        if (X509_check_issued(link, before) != X509_V_OK) {
            report(problems, source,
                   "certificate " + std::to_string(i + 2)
                       + " of the file did not sign the one before it: some clients refuse such a "
                         "chain",
                   std::string{right_order}, TlsProblem::Severity::warning);
            break; // every later certificate is then out of order too
        }
        before = link;
    }
    ERR_clear_error();
}

// Reports that the key does not belong to the first certificate.
void report_other_key(CertificateMaterial const& material, CertificateSource const& source,
                      TlsProblems& problems) {
    auto const file = source.certificate.path.string();
    for (std::size_t i = 0; i < material.chain.size(); ++i) {
        if (X509_check_private_key(material.chain[i].get(), material.key.get()) != 1) continue;
        report(problems, source.certificate,
               "the private key belongs to certificate " + std::to_string(i + 2)
                   + " of the file, not to the first",
               std::string{right_order});
        ERR_clear_error();
        return;
    }
    ERR_clear_error();
    report(problems, source.private_key,
           "the private key does not belong to the certificate in " + file,
           "write the key for which the certificate was issued, or have another issued for this "
           "key");
}

// Whether each file holds the other kind, and only that: one mistake, not two.
bool are_exchanged(std::string const& certificate, std::string const& key) {
    return has_pem(certificate, PemKind::private_key) && has_pem(key, PemKind::certificate)
           && !has_pem(certificate, PemKind::certificate) && !has_pem(key, PemKind::private_key);
}

// Whether reading ended with the file, which is reported as a missing start line; any other error
// is a broken block, and stays for its report.
bool is_end_of_pem() {
    if (ERR_GET_REASON(ERR_peek_last_error()) != PEM_R_NO_START_LINE) return false;
    ERR_clear_error();
    return true;
}

std::vector<CertificatePointer> read_certificates(PemSource const& source, std::string const& text,
                                                  TlsProblems& problems) {
    std::vector<CertificatePointer> certificates;
    if (has_nul(text) || !has_pem(text, PemKind::certificate)) {
        report(problems, source, describe_missing(text, PemKind::certificate));
        return certificates;
    }
    auto const bio = view_of(text);
    while (X509* certificate = PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr))
        certificates.emplace_back(certificate);
    if (is_end_of_pem() && !certificates.empty()) return certificates;
    report(problems, source, "holds a certificate that cannot be read: " + take_openssl_reason(),
           "write it again: a line of it is missing or was changed");
    certificates.clear();
    return certificates;
}

// The groups of key exchanges, the preferred one first. OpenSSL has the hybrid of X25519 with ML-KEM-768, which a quantum computer would
// not break either (draft-ietf-tls-ecdhe-mlkem), since version 3.5.
[[nodiscard]] bool set_groups(SSL_CTX& context) {
    if (SSL_CTX_set1_groups_list(&context, "X25519MLKEM768:X25519:P-256:P-384") == 1) return true;
    ERR_clear_error();
    return SSL_CTX_set1_groups_list(&context, "X25519:P-256:P-384") == 1;
}

} // namespace

void report(TlsProblems& problems, PemSource const& source, std::string text, std::string hint,
            TlsProblem::Severity severity) {
    problems.push_back({severity, source.path, std::move(text), std::move(hint), source.number});
}

std::chrono::system_clock::time_point time_of(ASN1_TIME const* time) {
    std::tm parts{};
    if (ASN1_TIME_to_tm(time, &parts) != 1) return {};
    using Moment = std::chrono::system_clock::time_point;
    // RFC 5280, 4.1.2.5: the year 9999 means that there is no end, and is beyond this clock's.
    constexpr auto last =
        std::chrono::duration_cast<std::chrono::seconds>(Moment::max().time_since_epoch());
    std::chrono::seconds const since{::timegm(&parts)};
    return since >= last ? Moment::max() : Moment{since};
}

std::string common_name_of(X509_NAME const* name) {
    std::array<char, 256> text{};
    int const size =
        X509_NAME_get_text_by_NID(name, NID_commonName, text.data(), static_cast<int>(text.size()));
    return size > 0 ? std::string{text.data(), static_cast<std::size_t>(size)} : std::string{};
}

std::vector<ListPointer> load_revocation_lists(PemSource const& source, TlsProblems& problems) {
    std::vector<ListPointer> lists;
    auto const text = read_source(source, problems);
    if (!text) return lists;
    if (has_nul(*text) || !has_pem(*text, PemKind::revocation_list)) {
        report(problems, source, describe_missing(*text, PemKind::revocation_list));
        return lists;
    }
    auto const bio = view_of(*text);
    while (X509_CRL* list = PEM_read_bio_X509_CRL(bio.get(), nullptr, nullptr, nullptr))
        lists.emplace_back(list);
    if (is_end_of_pem() && !lists.empty()) return lists;
    report(problems, source,
           "holds a list of revoked certificates that cannot be read: " + take_openssl_reason(),
           "write it again: a line of it is missing or was changed");
    lists.clear();
    return lists;
}

std::string take_openssl_reason() {
    unsigned long const code = ERR_peek_last_error();
    char const* const reason = code != 0 ? ERR_reason_error_string(code) : nullptr;
    ERR_clear_error();
    return reason != nullptr ? reason : "no reason given";
}

std::vector<CertificatePointer> load_certificates(PemSource const& source, TlsProblems& problems) {
    auto const text = read_source(source, problems);
    if (!text) return {};
    return read_certificates(source, *text, problems);
}

std::optional<CertificateMaterial> load_certificate(CertificateSource const& source,
                                                    TlsProblems& problems) {
    std::optional<std::string> text;
    std::optional<std::string> key_text;
    if (source.certificate.is_named()) text = read_source(source.certificate, problems);
    if (source.private_key.is_named()) key_text = read_source(source.private_key, problems);
    if (text && key_text && are_exchanged(*text, *key_text)) {
        report(problems, source.certificate,
               "holds a private key, and " + source.private_key.path.string() + " the certificate",
               "exchange the two");
        return std::nullopt;
    }
    std::vector<CertificatePointer> chain;
    if (text) chain = read_certificates(source.certificate, *text, problems);
    CertificateMaterial material;
    if (key_text) {
        material.key = read_key(source.private_key, *key_text, problems);
        OPENSSL_cleanse(key_text->data(), key_text->size());
    }
    if (chain.empty() || !material.key) return std::nullopt;
    material.leaf = std::move(chain.front());
    material.chain.assign(std::move_iterator(chain.begin() + 1), std::move_iterator(chain.end()));
    if (X509_check_private_key(material.leaf.get(), material.key.get()) != 1) {
        report_other_key(material, source, problems);
        return std::nullopt;
    }
    judge_order(material, source.certificate, problems);
    judge_validity(material.leaf.get(), source.certificate, problems);
    material.names = names_of(material.leaf.get());
    // Clients reject the chain as soon as one certificate of it has expired.
    material.not_after = time_of(X509_get0_notAfter(material.leaf.get()));
    for (auto const& link : material.chain)
        material.not_after = std::min(material.not_after, time_of(X509_get0_notAfter(link.get())));
    material.key_type = EVP_PKEY_get_base_id(material.key.get());
    return material;
}

SslContextPointer make_context(SSL_METHOD const* method, TlsVersion minimum_version,
                               TlsProblems& problems) {
    SslContextPointer context(SSL_CTX_new(method));
    int const minimum = minimum_version == TlsVersion::tls_1_3 ? TLS1_3_VERSION : TLS1_2_VERSION;
    bool const is_made =
        context
        && SSL_CTX_set_min_proto_version(context.get(), minimum) == 1
        // TLS 1.2 with forward secrecy and authenticated encryption only: RFC 9325, 4.2.
        && SSL_CTX_set_cipher_list(context.get(), "ECDHE+AESGCM:ECDHE+CHACHA20") == 1
        && SSL_CTX_set_ciphersuites(context.get(), "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:"
                                                   "TLS_CHACHA20_POLY1305_SHA256")
               == 1
        && set_groups(*context);
    if (!is_made) {
        report(problems, PemSource{},
               "OpenSSL does not make a TLS context: " + take_openssl_reason());
        return nullptr;
    }
    SSL_CTX_set_options(context.get(), SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION
                                           | SSL_OP_CIPHER_SERVER_PREFERENCE
                                           | SSL_OP_PRIORITIZE_CHACHA);
    // An end without close_notify stays an error, because the data may be truncated.
    SSL_CTX_clear_options(context.get(), SSL_OP_IGNORE_UNEXPECTED_EOF);
    SSL_CTX_set_mode(context.get(), SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE
                                        | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER
                                        | SSL_MODE_NO_AUTO_CHAIN);
    SSL_CTX_set_read_ahead(context.get(), 1);
    SSL_CTX_set_max_early_data(context.get(), 0); // RFC 8446, 8: early data can be replayed
    return context;
}

std::string encode_protocols(std::vector<std::string> const& protocols) {
    std::string encoded;
    for (auto const& protocol : protocols) {
        encoded += static_cast<char>(protocol.size());
        encoded += protocol;
    }
    return encoded;
}

} // namespace sallyport::net

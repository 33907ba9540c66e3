// Makes keys and certificates with OpenSSL and keeps the TLS contexts of test clients and
// upstreams.
#include "tests/support/certificates.h"

#include "tests/support/temporary_folder.h"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <tuple>

namespace sallyport::test {
namespace {

using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using X509Pointer = std::unique_ptr<X509, decltype(&X509_free)>;
using Bio = std::unique_ptr<BIO, decltype(&BIO_free_all)>;

constexpr long one_day = 24L * 60 * 60;

struct Subject {
    std::string common_name;
    std::string alternative_names; // as in openssl.cnf; empty: an authority
    long starts = -2 * one_day;
    long ends = 30 * one_day;
    std::string purpose = "serverAuth";
};

struct Issued {
    Key key;
    X509Pointer certificate;
};

void need(bool succeeded, char const* what) {
    if (!succeeded) throw std::runtime_error(std::string{"cannot make certificates: "} + what);
}

void add_extension(X509* certificate, X509* issuer, int identifier, std::string const& value) {
    X509V3_CTX context{};
    X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
    auto* extension = X509V3_EXT_conf_nid(nullptr, &context, identifier, value.c_str());
    need(extension != nullptr && X509_add_ext(certificate, extension, -1) == 1, "extension");
    X509_EXTENSION_free(extension);
}

Key ec_key() {
    return {EVP_EC_gen("P-256"), &EVP_PKEY_free};
}
Key rsa_key() {
    return {EVP_RSA_gen(2048), &EVP_PKEY_free};
}

Issued issue(Subject const& subject, Key key, Issued const* authority) {
    static long serial = 1;
    X509Pointer made{X509_new(), &X509_free};
    auto* certificate = made.get();
    X509_set_version(certificate, X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), ++serial);
    X509_gmtime_adj(X509_getm_notBefore(certificate), subject.starts);
    X509_gmtime_adj(X509_getm_notAfter(certificate), subject.ends);
    X509_set_pubkey(certificate, key.get());
    auto* name = X509_get_subject_name(certificate);
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8,
                               reinterpret_cast<unsigned char const*>(subject.common_name.c_str()),
                               -1, -1, 0);
    auto* issuer = authority != nullptr ? authority->certificate.get() : certificate;
    X509_set_issuer_name(certificate, X509_get_subject_name(issuer));
    if (subject.alternative_names.empty()) {
        add_extension(certificate, issuer, NID_basic_constraints, "critical,CA:TRUE");
        add_extension(certificate, issuer, NID_key_usage, "critical,keyCertSign,cRLSign");
    } else {
        add_extension(certificate, issuer, NID_basic_constraints, "critical,CA:FALSE");
        add_extension(certificate, issuer, NID_subject_alt_name, subject.alternative_names);
        add_extension(certificate, issuer, NID_ext_key_usage, subject.purpose);
    }
    auto* signer = authority != nullptr ? authority->key.get() : key.get();
    need(X509_sign(certificate, signer, EVP_sha256()) > 0, "signature");
    return {std::move(key), std::move(made)};
}

std::string pem_of(X509* certificate) {
    Bio bio{BIO_new(BIO_s_mem()), &BIO_free_all};
    PEM_write_bio_X509(bio.get(), certificate);
    char* data = nullptr;
    auto const size = BIO_get_mem_data(bio.get(), &data);
    return {data, static_cast<std::size_t>(size)};
}

std::string pem_of(EVP_PKEY* key) {
    Bio bio{BIO_new(BIO_s_mem()), &BIO_free_all};
    PEM_write_bio_PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr);
    char* data = nullptr;
    auto const size = BIO_get_mem_data(bio.get(), &data);
    return {data, static_cast<std::size_t>(size)};
}

Certificate write(TemporaryFolder const& folder, std::string const& name, Issued const& issued) {
    return {folder.write(name + ".pem", pem_of(issued.certificate.get())),
            folder.write(name + ".key", pem_of(issued.key.get()))};
}

Certificates make(TemporaryFolder const& folder) {
    auto const authority = issue({"Sallyport test authority", ""}, ec_key(), nullptr);
    auto const other = issue({"Sallyport other test authority", ""}, ec_key(), nullptr);
    auto const make_one = [&](std::string const& name, Subject const& subject, Key key,
                              Issued const& signer) {
        return write(folder, name, issue(subject, std::move(key), &signer));
    };
    Certificates made;
    made.authority = write(folder, "authority", authority).certificate;
    made.other_authority = write(folder, "other-authority", other).certificate;
    made.server =
        make_one("server", {"localhost", "DNS:localhost,IP:127.0.0.1"}, ec_key(), authority);
    made.second = make_one("second", {"second", "DNS:second.example.test"}, ec_key(), authority);
    made.wildcard = make_one("wildcard", {"wild", "DNS:*.wild.example.test"}, ec_key(), authority);
    made.rsa = make_one("rsa", {"rsa", "DNS:rsa.example.test"}, rsa_key(), authority);
    made.expired = make_one("expired", {"localhost", "DNS:localhost", -9 * one_day, -one_day},
                            ec_key(), authority);
    made.expiring =
        make_one("expiring", {"localhost", "DNS:localhost", -80 * one_day, 10 * one_day}, ec_key(),
                 authority);
    made.expired_authority =
        write(folder, "expired-authority",
              issue({"Expired authority", "", -9 * one_day, -one_day}, ec_key(), nullptr))
            .certificate;
    made.upstream =
        make_one("upstream", {"upstream", "DNS:upstream.example.test"}, ec_key(), authority);
    auto const make_client = [&](std::string const& name) {
        Subject subject{name, "DNS:" + name + ".example.test"};
        subject.purpose = "clientAuth";
        return make_one(name, subject, ec_key(), authority);
    };
    made.gateway = make_client("gateway");
    made.second_gateway = make_client("gateway2");
    made.untrusted =
        make_one("untrusted", {"upstream", "DNS:upstream.example.test"}, ec_key(), other);
    return made;
}

using Context = std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)>;

Context make_client_context(ClientTls const& options) {
    Context context{SSL_CTX_new(TLS_client_method()), &SSL_CTX_free};
    SSL_CTX_set_max_proto_version(context.get(), options.highest_version == "1.1" ? TLS1_1_VERSION
                                                 : options.highest_version == "1.2"
                                                     ? TLS1_2_VERSION
                                                     : TLS1_3_VERSION);
    if (options.highest_version == "1.1") { // a client as old as that also signs with SHA-1
        SSL_CTX_set_min_proto_version(context.get(), TLS1_VERSION);
        SSL_CTX_set_security_level(context.get(), 0);
    }
    if (!options.ciphers.empty())
        need(SSL_CTX_set_cipher_list(context.get(), options.ciphers.c_str()) == 1, "ciphers");
    if (options.verify == Verify::yes) {
        SSL_CTX_load_verify_file(context.get(), certificates().authority.c_str());
        SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
    }
    if (!options.own.empty())
        need(
            SSL_CTX_use_certificate_chain_file(context.get(), options.own.c_str()) == 1
                && SSL_CTX_use_PrivateKey_file(context.get(), options.own.c_str(), SSL_FILETYPE_PEM)
                       == 1,
            "the client's certificate");
    std::string wire;
    for (std::string_view rest = options.protocols; !rest.empty();) {
        auto const name = rest.substr(0, rest.find(','));
        wire += static_cast<char>(name.size());
        wire += name;
        rest.remove_prefix(std::min(rest.size(), name.size() + 1));
    }
    if (!wire.empty())
        SSL_CTX_set_alpn_protos(context.get(), reinterpret_cast<unsigned char const*>(wire.data()),
                                static_cast<unsigned>(wire.size()));
    return context;
}

Context make_server_context(Certificate const& certificate) {
    Context context{SSL_CTX_new(TLS_server_method()), &SSL_CTX_free};
    need(SSL_CTX_use_certificate_chain_file(context.get(), certificate.certificate.c_str()) == 1
             && SSL_CTX_use_PrivateKey_file(context.get(), certificate.private_key.c_str(),
                                            SSL_FILETYPE_PEM)
                    == 1,
         "server context");
    return context;
}

// Upstream threads request contexts too.
std::mutex contexts_lock;

} // namespace

Certificates const& certificates() {
    static TemporaryFolder const folder;
    static Certificates const made = make(folder);
    return made;
}

SSL_CTX* client_context(ClientTls const& options) {
    static std::map<std::tuple<Verify, std::string, std::string, std::string, std::string>, Context>
        contexts;
    certificates();
    std::lock_guard const guard{contexts_lock};
    auto const key = std::tuple{options.verify, options.highest_version, options.ciphers,
                                options.protocols, options.own};
    auto found = contexts.find(key);
    if (found == contexts.end()) found = contexts.emplace(key, make_client_context(options)).first;
    return found->second.get();
}

SSL_CTX* server_context(Certificate const& certificate) {
    static std::map<std::string, Context> contexts;
    std::lock_guard const guard{contexts_lock};
    auto const key = certificate.certificate.string();
    auto found = contexts.find(key);
    if (found == contexts.end())
        found = contexts.emplace(key, make_server_context(certificate)).first;
    return found->second.get();
}

SSL_CTX* demanding_context(Certificate const& certificate, std::filesystem::path const& authority) {
    static std::map<std::pair<std::string, std::string>, Context> contexts;
    std::lock_guard const guard{contexts_lock};
    auto const key = std::pair{certificate.certificate.string(), authority.string()};
    auto found = contexts.find(key);
    if (found == contexts.end()) {
        found = contexts.emplace(key, make_server_context(certificate)).first;
        auto* const context = found->second.get();
        need(SSL_CTX_load_verify_file(context, authority.c_str()) == 1, "client authority");
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
        // Sessions are not resumed: each connection shows its certificate.
        SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
        SSL_CTX_set_num_tickets(context, 0);
        SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
    }
    return found->second.get();
}

std::string name_in_certificate(ssl_st* tls) {
    X509Pointer const certificate{SSL_get1_peer_certificate(tls), &X509_free};
    if (!certificate) return {};
    auto* names = static_cast<GENERAL_NAMES*>(
        X509_get_ext_d2i(certificate.get(), NID_subject_alt_name, nullptr, nullptr));
    std::string first;
    for (int index = 0; index < sk_GENERAL_NAME_num(names) && first.empty(); ++index) {
        auto const* name = sk_GENERAL_NAME_value(names, index);
        if (name->type == GEN_DNS)
            first.assign(reinterpret_cast<char const*>(ASN1_STRING_get0_data(name->d.dNSName)),
                         static_cast<std::size_t>(ASN1_STRING_length(name->d.dNSName)));
    }
    GENERAL_NAMES_free(names);
    return first;
}

} // namespace sallyport::test

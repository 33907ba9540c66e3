// Reads the names of clients' certificates with OpenSSL's readers, and refuses what could be read
// in two ways.
#include "gateway/net/peer_certificate.h"

#include "gateway/net/tls_material.h"
#include "gateway/text/ascii.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <algorithm>

namespace sallyport::net {

namespace {

using Names = std::unique_ptr<GENERAL_NAMES, decltype(&GENERAL_NAMES_free)>;

constexpr std::size_t longest_subject = 2048;
constexpr std::size_t longest_name = 2048; // of a SPIFFE ID (SPIFFE-ID, 2.3)

void make_lower(std::string& text, std::size_t from) {
    std::transform(text.begin() + static_cast<std::ptrdiff_t>(from), text.end(),
                   text.begin() + static_cast<std::ptrdiff_t>(from), text::to_lower);
}

// RFC 5280, 4.1.2.4 and 4.2.1.6: the types that a subject is written with, but none whose bytes
// are not those of ASCII or UTF-8.
bool has_plain_types(X509_NAME const* name) {
    for (int i = 0; i < X509_NAME_entry_count(name); ++i) {
        auto const* const value = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, i));
        auto const type = ASN1_STRING_type(value);
        if (type != V_ASN1_UTF8STRING && type != V_ASN1_PRINTABLESTRING && type != V_ASN1_IA5STRING)
            return false;
        auto const* const data = ASN1_STRING_get0_data(value);
        auto const size = ASN1_STRING_length(value);
        if (std::find(data, data + size, 0) != data + size) return false;
    }
    return true;
}

class Description {
public:
    explicit Description(X509* certificate, PeerCertificate& out)
        : certificate_{certificate}, out_{out} {}

    // Why something could not be read; a literal.
    [[nodiscard]] std::string_view read() {
        unsigned size = 0;
        if (X509_digest(certificate_, EVP_sha256(), out_.fingerprint.data(), &size) != 1)
            return "its digest cannot be computed";
        for (auto const part : {read_subject(), read_alternatives(), judge_spiffe()})
            if (!part.empty()) return part;
        return {};
    }

private:
    std::string_view read_subject() {
        auto const* const name = X509_get_subject_name(certificate_);
        if (X509_NAME_entry_count(name) == 0) return {};
        if (!has_plain_types(name)) return "its subject has a NUL byte, or a text of an old type";
        BioPointer const bio{BIO_new(BIO_s_mem())};
        if (bio == nullptr
            || X509_NAME_print_ex(bio.get(), name, 0, XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB) < 0)
            return "its subject cannot be read";
        char* text = nullptr;
        auto const size = static_cast<std::size_t>(BIO_get_mem_data(bio.get(), &text));
        if (size > longest_subject) return "its subject is longer than 2048 bytes";
        out_.subject.assign(text, size);
        return {};
    }

    std::string_view read_alternatives() {
        // -1: there is none. -2: there are several, which RFC 5280, 4.2 forbids.
        int found = 0;
        Names const names{static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(
                              certificate_, NID_subject_alt_name, &found, nullptr)),
                          &GENERAL_NAMES_free};
        if (names == nullptr)
            return found == -1 ? std::string_view{} : "its alternative names cannot be read";
        if (sk_GENERAL_NAME_num(names.get()) > most_alternative_names)
            return "it has more than 32 alternative names";
        for (int i = 0; i < sk_GENERAL_NAME_num(names.get()); ++i) {
            if (auto const problem = read_alternative(sk_GENERAL_NAME_value(names.get(), i));
                !problem.empty())
                return problem;
        }
        return {};
    }

    // Other types, such as addresses, identify nobody here.
    std::string_view read_alternative(GENERAL_NAME const* name) {
        int type = 0;
        auto const* const value =
            static_cast<ASN1_STRING const*>(GENERAL_NAME_get0_value(name, &type));
        if (type != GEN_DNS && type != GEN_URI && type != GEN_EMAIL) return {};
        std::string text{reinterpret_cast<char const*>(ASN1_STRING_get0_data(value)),
                         static_cast<std::size_t>(ASN1_STRING_length(value))};
        // RFC 5280, 4.2.1.6: an IA5String; a URI, a name of a host or an address of a mailbox has
        // neither controls nor spaces.
        bool const is_plain =
            !text.empty() && text.size() <= longest_name
            && std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < '\x7f'; });
        if (!is_plain) return "one of its alternative names is empty, too long, or no plain text";
        if (type == GEN_DNS) {
            make_lower(text, 0);
            out_.dns_names.push_back(std::move(text));
        } else if (type == GEN_URI) {
            out_.uris.push_back(std::move(text));
        } else {
            auto const at = text.rfind('@');
            make_lower(text, at == std::string::npos ? 0 : at);
            out_.emails.push_back(std::move(text));
        }
        return {};
    }

    // X509-SVID, 2, 4 and 5.2: exactly one URI, in a certificate that signs nothing.
    [[nodiscard]] std::string_view judge_spiffe() const {
        bool const has_one =
            std::any_of(out_.uris.begin(), out_.uris.end(), [](std::string const& uri) {
                constexpr std::string_view scheme = "spiffe:";
                auto start = uri.substr(0, scheme.size());
                make_lower(start, 0);
                return start == scheme;
            });
        if (!has_one) return {};
        if (out_.uris.size() > 1) return "it has a SPIFFE ID and another URI";
        auto const usage = X509_get_key_usage(certificate_);
        bool const may_sign =
            usage != UINT32_MAX && (usage & (KU_KEY_CERT_SIGN | KU_CRL_SIGN)) != 0;
        if (may_sign || X509_check_ca(certificate_) != 0)
            return "it has a SPIFFE ID, and is that of an authority";
        return {};
    }

    X509* certificate_;
    PeerCertificate& out_;
};

} // namespace

PeerCertificate describe_certificate(x509_st* certificate) {
    PeerCertificate out;
    out.problem = Description{certificate, out}.read();
    ERR_clear_error();
    if (!out.problem.empty()) {
        out.subject.clear();
        out.dns_names.clear();
        out.uris.clear();
        out.emails.clear();
    }
    return out;
}

std::unique_ptr<PeerCertificate> read_peer_certificate(ssl_st* ssl) {
    std::shared_ptr<X509> certificate{SSL_get1_peer_certificate(ssl), X509_free};
    if (certificate == nullptr) return nullptr;
    auto out = std::make_unique<PeerCertificate>(describe_certificate(certificate.get()));
    out->certificate = std::move(certificate);
    if (auto* const between = SSL_get_peer_cert_chain(ssl); between != nullptr)
        out->between = {X509_chain_up_ref(between),
                        [](STACK_OF(X509) * stack) { sk_X509_pop_free(stack, X509_free); }};
    return out;
}

} // namespace sallyport::net

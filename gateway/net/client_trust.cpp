// Verifies the certificates of clients, in handshakes and afterwards.
#include "gateway/net/client_trust.h"

#include "gateway/net/errors.h"
#include "gateway/net/tls_material.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <utility>

namespace sallyport::net {

void StoreDelete::operator()(x509_store_st* store) const noexcept {
    X509_STORE_free(store);
}

namespace {

using SystemTime = std::chrono::system_clock::time_point;

// RFC 8446, 4.2.4: what each handshake sends of the authorities. Their list has 64 KiB at most.
constexpr std::size_t most_of_names = std::size_t{16} << 10;

struct FreeContext {
    void operator()(X509_STORE_CTX* context) const noexcept { X509_STORE_CTX_free(context); }
};

// What OpenSSL leaves in the thread's queue must not be taken for errors of the connection.
class KeptErrors {
public:
    KeptErrors() { ERR_set_mark(); }
    ~KeptErrors() { ERR_pop_to_mark(); }
    KeptErrors(KeptErrors const&) = delete;
    KeptErrors& operator=(KeptErrors const&) = delete;
};

Error error_of(int reason) {
    return {reason, certificate_category()};
}

bool is_before(ClientTrust::End const& one, ClientTrust::End const& other) {
    return one.time < other.time;
}

std::string in_quotes(X509_NAME const* name) {
    return '"' + common_name_of(name) + '"';
}

} // namespace

struct ClientTrustBuilder {
    ClientCertificateSettings const& settings;
    ClientTrust& made;
    TlsProblems& problems;

    std::vector<CertificatePointer> authorities{};

    void report_authority(std::size_t index, std::string const& text, std::string hint) {
        report(problems, settings.ca,
               "certificate " + std::to_string(index + 1) + " of the file, "
                   + in_quotes(X509_get_subject_name(authorities[index].get())) + ", " + text,
               std::move(hint));
    }

    // Chains end at a root, so that an authority in the middle can be revoked.
    [[nodiscard]] bool has_issuer(X509* authority) const {
        return std::any_of(authorities.begin(), authorities.end(), [&](auto const& other) {
            return X509_check_issued(other.get(), authority) == X509_V_OK;
        });
    }

    void judge_authorities() {
        std::size_t size_of_names = 0;
        for (std::size_t i = 0; i < authorities.size(); ++i) {
            X509* const authority = authorities[i].get();
            if (X509_check_ca(authority) != 1) { // RFC 5280, 4.2.1.9 and 4.2.1.3
                report_authority(i, "is not that of an authority",
                                 "write the certificates of those that sign the clients' "
                                 "certificates");
            } else if (!has_issuer(authority)) {
                report_authority(i, "is signed by another that is not in the file",
                                 "add the authorities above it, up to the root");
            }
            size_of_names +=
                static_cast<std::size_t>(i2d_X509_NAME(X509_get_subject_name(authority), nullptr));
        }
        if (size_of_names > most_of_names)
            report(problems, settings.ca,
                   "the names of its authorities have " + std::to_string(size_of_names)
                       + " bytes, which each handshake would send: at most 16384 are",
                   "write only the authorities that sign certificates of clients");
        ERR_clear_error();
    }

    [[nodiscard]] static bool is_of(X509_CRL* list, X509* authority) {
        return X509_NAME_cmp(X509_CRL_get_issuer(list), X509_get_subject_name(authority)) == 0;
    }

    // Those that are sent by clients only sign lists too, which cannot be verified here.
    void judge_signature(X509_CRL* list) {
        bool is_known = false;
        for (auto const& authority : authorities) {
            if (!is_of(list, authority.get())) continue;
            is_known = true;
            if (X509_CRL_verify(list, X509_get0_pubkey(authority.get())) == 1) return;
        }
        ERR_clear_error();
        if (is_known)
            report(problems, *settings.crl,
                   "the list of the authority " + in_quotes(X509_CRL_get_issuer(list))
                       + " is not signed by it",
                   "write the list that this authority has published");
    }

    void judge_time(X509_CRL* list) {
        auto const warn = [&](std::string const& text) {
            report(problems, *settings.crl,
                   "the list of the authority " + in_quotes(X509_CRL_get_issuer(list)) + text,
                   "put a newer one in its place", TlsProblem::Severity::warning);
        };
        auto const* const end = X509_CRL_get0_nextUpdate(list);
        if (end != nullptr && X509_cmp_current_time(end) < 0)
            warn(" has ended: all certificates that it has signed are refused");
        if (X509_cmp_current_time(X509_CRL_get0_lastUpdate(list)) > 0)
            warn(" does not count yet: all certificates that it has signed are refused");
        if (end != nullptr)
            made.ends_of_lists_.push_back(
                {common_name_of(X509_CRL_get_issuer(list)), time_of(end)});
    }

    // RFC 5280, 5.2.4: a list of changes alone says nothing of what was revoked before.
    [[nodiscard]] static bool is_of_changes(X509_CRL* list) {
        return X509_CRL_get_ext_by_NID(list, NID_delta_crl, -1) >= 0;
    }

    void add_lists() {
        auto const lists = load_revocation_lists(*settings.crl, problems);
        if (lists.empty()) return;
        for (auto const& list : lists) {
            judge_signature(list.get());
            judge_time(list.get());
            X509_STORE_add_crl(made.store_.get(), list.get());
        }
        for (auto const& authority : authorities) {
            bool const has_list = std::any_of(lists.begin(), lists.end(), [&](auto const& list) {
                return is_of(list.get(), authority.get()) && !is_of_changes(list.get());
            });
            if (has_list) continue;
            report(problems, *settings.crl,
                   "holds no list of the authority "
                       + in_quotes(X509_get_subject_name(authority.get()))
                       + ": all certificates that it has signed are refused",
                   "add its list", TlsProblem::Severity::warning);
        }
        std::stable_sort(made.ends_of_lists_.begin(), made.ends_of_lists_.end(), is_before);
        X509_STORE_set_flags(made.store_.get(), X509_V_FLAG_CRL_CHECK | X509_V_FLAG_CRL_CHECK_ALL);
    }

    void build(int security_level) {
        made.is_required_ = settings.verify == ClientCertificates::required;
        authorities = load_certificates(settings.ca, problems);
        judge_authorities();
        made.store_.reset(X509_STORE_new());
        X509_STORE_set_depth(made.store_.get(), ClientTrust::most_between);
        X509_VERIFY_PARAM_set_auth_level(X509_STORE_get0_param(made.store_.get()), security_level);
        std::shared_ptr<STACK_OF(X509)> const names{
            sk_X509_new_null(), [](STACK_OF(X509) * stack) { sk_X509_pop_free(stack, X509_free); }};
        for (auto const& authority : authorities) {
            X509_STORE_add_cert(made.store_.get(), authority.get());
            made.ends_of_authorities_.push_back(
                {common_name_of(X509_get_subject_name(authority.get())),
                 time_of(X509_get0_notAfter(authority.get()))});
            X509_up_ref(authority.get());
            sk_X509_push(names.get(), authority.get());
        }
        made.authorities_ = names;
        if (settings.crl) add_lists();
        ERR_clear_error();
    }
};

std::shared_ptr<ClientTrust const> ClientTrust::make(ClientCertificateSettings const& settings,
                                                     int security_level, TlsProblems& problems) {
    std::shared_ptr<ClientTrust> made{new ClientTrust};
    TlsProblems found;
    ClientTrustBuilder{settings, *made, found}.build(security_level);
    bool const is_good = std::none_of(found.begin(), found.end(), [](TlsProblem const& problem) {
        return problem.severity == TlsProblem::Severity::error;
    });
    problems.insert(problems.end(), found.begin(), found.end());
    return is_good ? made : nullptr;
}

bool ClientTrust::install(ssl_ctx_st* context) const {
    int const required = is_required_ ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0;
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER | required, nullptr);
    SSL_CTX_set1_cert_store(context, store_.get());
    SSL_CTX_set_max_cert_list(context, most_sent);
    for (int i = 0; i < sk_X509_num(authorities_.get()); ++i) {
        if (SSL_CTX_add_client_CA(context, sk_X509_value(authorities_.get(), i)) != 1) return false;
    }
    return true;
}

bool ClientTrust::may_resume(ssl_session_st* session) const {
    X509* const certificate = SSL_SESSION_get0_peer(session);
    return certificate == nullptr ? !is_required_ : !verify(certificate, nullptr).error;
}

ClientTrust::Verified ClientTrust::verify(x509_st* certificate, stack_st_X509* between) const {
    KeptErrors const kept;
    std::unique_ptr<X509_STORE_CTX, FreeContext> const context{X509_STORE_CTX_new()};
    bool const is_made =
        context != nullptr
        && X509_STORE_CTX_init(context.get(), store_.get(), certificate, between) == 1
        && X509_STORE_CTX_set_default(context.get(), "ssl_client") == 1;
    if (!is_made) return {error_of(X509_V_ERR_OUT_OF_MEM), {}};
    if (X509_verify_cert(context.get()) != 1) {
        auto const reason = X509_STORE_CTX_get_error(context.get());
        return {error_of(reason == X509_V_OK ? X509_V_ERR_UNSPECIFIED : reason), {}};
    }
    auto until = SystemTime::max();
    auto* const chain = X509_STORE_CTX_get0_chain(context.get());
    for (int i = 0; i < sk_X509_num(chain); ++i)
        until = std::min(until, time_of(X509_get0_notAfter(sk_X509_value(chain, i))));
    auto const next = std::upper_bound(ends_of_lists_.begin(), ends_of_lists_.end(),
                                       End{{}, std::chrono::system_clock::now()}, is_before);
    if (next != ends_of_lists_.end()) until = std::min(until, next->time);
    return {{}, until};
}

} // namespace sallyport::net

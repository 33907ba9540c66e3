// The TLS contexts of a listener: certificates chosen by server name, ALPN, tickets.
#include "gateway/net/client_trust.h"
#include "gateway/net/tls_material.h"
#include "gateway/text/ascii.h"

#include <algorithm>
#include <array>
#include <optional>

namespace sallyport::net {

void SslDelete::operator()(ssl_st* ssl) const noexcept {
    SSL_free(ssl);
}
void SslDelete::operator()(ssl_ctx_st* context) const noexcept {
    SSL_CTX_free(context);
}
void SslDelete::operator()(ssl_session_st* session) const noexcept {
    SSL_SESSION_free(session);
}

namespace {

constexpr std::size_t longest_name = 255; // RFC 1035, 2.3.4

// RFC 6066, 3. A name without a certificate gets the default one, not an alert: the client
// decides.
int choose_context(SSL* ssl, int*, void* self) {
    char const* const name = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name);
    if (name == nullptr) return SSL_TLSEXT_ERR_NOACK;
    std::array<char, longest_name> lower;
    std::size_t size = 0;
    for (char const* from = name; *from != '\0'; ++from) {
        if (size == lower.size()) return SSL_TLSEXT_ERR_NOACK;
        lower[size++] = *from >= 'A' && *from <= 'Z' ? static_cast<char>(*from + 32) : *from;
    }
    auto* const context = static_cast<TlsServerContext const*>(self)->find({lower.data(), size});
    if (context != SSL_get_SSL_CTX(ssl)) SSL_set_SSL_CTX(ssl, context);
    return SSL_TLSEXT_ERR_OK;
}

// The name that a ClientHello asks for, as it came (RFC 6066, 3: a list of one host name). Nothing:
// it has none. While the hello is read OpenSSL says what it has read of it only in TLS 1.3.
std::optional<std::string_view> name_in_hello(SSL* ssl) {
    constexpr std::size_t before_name = 5; // the size of the list, a type, the size of the name
    unsigned char const* bytes = nullptr;
    std::size_t size = 0;
    if (SSL_client_hello_get0_ext(ssl, TLSEXT_TYPE_server_name, &bytes, &size) != 1)
        return std::nullopt;
    if (size < before_name) return std::string_view{};
    return std::string_view{reinterpret_cast<char const*>(bytes), size}.substr(before_name);
}

// RFC 6066, 3: a session is resumed under the name that it was made for, or without one if it was
// made without. RFC 8446, 4.6.1 lets a client of TLS 1.3 resume it under any name of the
// certificate; what a name means here, such as its certificate, is decided by a handshake.
bool is_for_name_in_hello(SSL* ssl, SSL_SESSION const* session) {
    char const* const made_for = SSL_SESSION_get0_hostname(session);
    auto const asked_for = name_in_hello(ssl);
    if (made_for == nullptr || !asked_for) return made_for == nullptr && !asked_for;
    std::string_view const name{made_for};
    return std::equal(name.begin(), name.end(), asked_for->begin(), asked_for->end(),
                      [](char a, char b) { return text::to_lower(a) == text::to_lower(b); });
}

// What is not resumed is ignored, so that a handshake decides.
SSL_TICKET_RETURN judge_ticket(SSL* ssl, SSL_SESSION* session, unsigned char const*, std::size_t,
                               SSL_TICKET_STATUS status, void* self) {
    bool const is_read = status == SSL_TICKET_SUCCESS || status == SSL_TICKET_SUCCESS_RENEW;
    if (!is_read) return SSL_TICKET_RETURN_IGNORE_RENEW;
    auto const& clients = static_cast<TlsServerContext const*>(self)->clients();
    bool const is_usable =
        is_for_name_in_hello(ssl, session) && (!clients || clients->may_resume(session));
    if (!is_usable) return SSL_TICKET_RETURN_IGNORE_RENEW;
    return status == SSL_TICKET_SUCCESS ? SSL_TICKET_RETURN_USE : SSL_TICKET_RETURN_USE_RENEW;
}

// RFC 7301, 3.2: a client that offers only unsupported protocols gets an alert.
// RFC 7301, 6: HTTP/1.0 has a name of its own, and a server of HTTP/1.1 can serve it.
constexpr std::string_view newer_name = "\x08http/1.1";
constexpr std::string_view older_name = "\x08http/1.0";

int choose_protocol(SSL*, unsigned char const** chosen, unsigned char* size,
                    unsigned char const* offered, unsigned offered_size, void* ours) {
    auto const& protocols = *static_cast<std::string const*>(ours);
    unsigned char* selected = nullptr;
    auto const select = [&](std::string_view names) {
        return SSL_select_next_proto(&selected, size,
                                     reinterpret_cast<unsigned char const*>(names.data()),
                                     static_cast<unsigned>(names.size()), offered, offered_size);
    };
    int result = select(protocols);
    if (result != OPENSSL_NPN_NEGOTIATED && protocols.find(newer_name) != std::string::npos)
        result = select(older_name);
    *chosen = selected;
    return result == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

std::string subject_of(CertificateMaterial const& material) {
    if (!material.names.empty()) return material.names.front();
    return common_name_of(X509_get_subject_name(material.leaf.get()));
}

} // namespace

struct ServerContextBuilder {
    ServerTlsSettings const& settings;
    TlsServerContext& made;
    TlsProblems& problems;
    bool is_trust_made = false; // or could not be

    bool configure(SSL_CTX* context) {
        SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
        SSL_CTX_set_num_tickets(context, 1);
        // RFC 8446, 4.6.1: as long as its key exists.
        SSL_CTX_set_timeout(context, TicketKeys::ticket_lifetime.count());
        // 32 bytes at most, hence a digest of the text. A session of one listener is invalid at
        // another.
        std::string text = settings.session_id_context;
        // Nor one of clients that were not asked for a certificate where they are now.
        if (auto const& clients = settings.client_certificates)
            text += clients->verify == ClientCertificates::required ? "\nrequired" : "\noptional";
        std::array<unsigned char, 32> digest{};
        unsigned size = 0;
        bool const is_set =
            EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha256(), nullptr) == 1
            && SSL_CTX_set_session_id_context(context, digest.data(), size) == 1;
        if (!is_set) {
            problems.push_back({TlsProblem::Severity::error,
                                {},
                                "OpenSSL refuses the session context: " + take_openssl_reason()});
            return false;
        }
        SSL_CTX_set_tlsext_servername_callback(context, choose_context);
        SSL_CTX_set_tlsext_servername_arg(context, &made);
        if (!made.protocols_.empty())
            SSL_CTX_set_alpn_select_cb(context, choose_protocol, &made.protocols_);
        made.keys_->install(context);
        SSL_CTX_set_session_ticket_cb(context, nullptr, judge_ticket, &made);
        return !settings.client_certificates || ask_clients(context);
    }

    // One trust for all contexts: which of them a connection has depends on the name it asks for.
    bool ask_clients(SSL_CTX* context) {
        if (!is_trust_made) {
            is_trust_made = true;
            made.clients_ = ClientTrust::make(*settings.client_certificates,
                                              SSL_CTX_get_security_level(context), problems);
        }
        if (!made.clients_) return false; // reported
        if (made.clients_->install(context)) return true;
        problems.push_back({TlsProblem::Severity::error,
                            {},
                            "OpenSSL does not ask for certificates: " + take_openssl_reason()});
        return false;
    }

    void publish(std::vector<std::string> const& names, SSL_CTX* context) {
        for (auto const& name : names) {
            if (name.starts_with("*.")) {
                made.wildcards_.emplace(name.substr(2), context);
            } else {
                made.exact_.emplace(name, context);
            }
        }
    }

    // One context for certificates of different key types with the same names.
    void add(std::vector<CertificateMaterial>& materials, std::vector<std::size_t> const& sources,
             std::size_t first, std::vector<bool>& is_taken) {
        auto context = make_context(TLS_server_method(), settings.minimum_version, problems);
        if (!context || !configure(context.get())) return;
        std::vector<int> key_types;
        for (std::size_t i = first; i < materials.size(); ++i) {
            auto const& material = materials[i];
            bool const is_beside =
                !is_taken[i] && material.names == materials[first].names
                && std::find(key_types.begin(), key_types.end(), material.key_type)
                       == key_types.end();
            if (!is_beside) continue;
            is_taken[i] = true;
            key_types.push_back(material.key_type);
            auto const& source = settings.certificates[sources[i]].certificate;
            if (!use_certificate(context.get(), material, source, problems)) return;
            made.certificates_.push_back(
                {source.path.string(), subject_of(material), material.names, material.not_after});
        }
        publish(materials[first].names, context.get());
        made.contexts_.push_back(std::move(context));
    }

    void build() {
        made.protocols_ = encode_protocols(settings.protocols);
        std::vector<CertificateMaterial> materials;
        std::vector<std::size_t> sources;
        for (std::size_t i = 0; i < settings.certificates.size(); ++i) {
            if (auto material = load_certificate(settings.certificates[i], problems)) {
                materials.push_back(std::move(*material));
                sources.push_back(i);
            }
        }
        if (settings.certificates.empty())
            problems.push_back(
                {TlsProblem::Severity::error, {}, "a TLS listener needs a certificate"});
        std::vector<bool> is_taken(materials.size(), false);
        for (std::size_t i = 0; i < materials.size(); ++i)
            if (!is_taken[i]) add(materials, sources, i, is_taken);
    }
};

TlsServerContext::Made TlsServerContext::make(ServerTlsSettings const& settings,
                                              std::shared_ptr<TicketKeys> keys) {
    Made result;
    std::shared_ptr<TlsServerContext> made{new TlsServerContext};
    made->keys_ = std::move(keys);
    ServerContextBuilder{settings, *made, result.problems}.build();
    bool const is_good =
        std::all_of(settings.certificates.begin(), settings.certificates.end(),
                    [](CertificateSource const& source) {
                        return source.certificate.is_named() && source.private_key.is_named();
                    })
        && std::none_of(result.problems.begin(), result.problems.end(),
                        [](TlsProblem const& problem) {
                            return problem.severity == TlsProblem::Severity::error;
                        });
    if (is_good) result.context = std::move(made);
    return result;
}

ssl_ctx_st* TlsServerContext::find(std::string_view server_name) const noexcept {
    if (auto const found = exact_.find(server_name); found != exact_.end()) return found->second;
    // RFC 9525, 6.3: the wildcard is the whole left-most label and matches exactly one label.
    auto const dot = server_name.find('.');
    if (dot != std::string_view::npos && dot > 0) {
        auto const found = wildcards_.find(server_name.substr(dot + 1));
        if (found != wildcards_.end()) return found->second;
    }
    return default_context();
}

} // namespace sallyport::net

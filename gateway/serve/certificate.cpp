// The certificate of a client: read after the handshake, and verified again at later requests.
#include "gateway/serve/certificate.h"

#include "gateway/pipeline/steps.h"
#include "gateway/serve/connection.h"

#include <array>
#include <chrono>

namespace sallyport::serve {

namespace {

using pipeline::AuthFailure;
using pipeline::ClientCertificate;
using pipeline::Denial;
using pipeline::Exchange;

// RFC 9110, 7.4 and 15.5.20: a connection is for the name that the client asked for. Without one it
// has the default certificate, and nothing to compare with.
bool is_misdirected(ClientCertificate const& certificate, pipeline::Request const& request) {
    if (certificate.server_name.empty()) return false;
    std::array<char, http::max_host_size> storage;
    // That of the connection's other end, even if that is a proxy which names another host.
    return http::normalized_host(request.head.host, storage) != certificate.server_name;
}

// The first request looks too: the handshake does not say until when the certificate is valid.
net::Error verify(ClientCertificate& certificate) {
    bool const is_known = certificate.verified_by == certificate.trust
                          && std::chrono::system_clock::now() < certificate.valid_until;
    if (is_known) return {};
    auto const& facts = *certificate.facts;
    auto const verified = certificate.trust->verify(facts.certificate.get(), facts.between.get());
    if (!verified.error) {
        certificate.verified_by = certificate.trust;
        certificate.valid_until = verified.until;
    }
    return verified.error;
}

std::unique_ptr<Denial> end(Connection& connection, Exchange& exchange, AuthFailure failure) {
    exchange.decision.auth_failure = failure;
    exchange.decision.refused_by = connection.client().certificate->asked_by;
    connection.stop_after_exchange();
    auto denial = std::make_unique<Denial>(pipeline::unauthenticated());
    // RFC 9110, 15.5.2: 401 has a challenge; those of the API ask for more than is missing here.
    denial->fields.push_back({"WWW-Authenticate", "ClientCertificate"});
    return denial;
}

} // namespace

void keep_certificate(ClientCertificate& certificate, net::TlsStream const& tls) {
    certificate.facts = tls.peer_certificate();
    certificate.server_name = tls.tls()->server_name;
}

JudgedCertificate judge_certificate(ClientCertificate& certificate) {
    if (certificate.facts == nullptr) {
        bool const is_required = certificate.trust && certificate.trust->is_required();
        // It connected before a reload.
        return {is_required ? AuthFailure::no_credentials : AuthFailure::none, {}};
    }
    auto const error = verify(certificate);
    return {error ? AuthFailure::certificate : AuthFailure::none, error};
}

std::unique_ptr<Denial> check_certificate(Connection& connection, Exchange& exchange) {
    auto& certificate = *connection.client().certificate;
    if (is_misdirected(certificate, exchange.request))
        return std::make_unique<Denial>(Denial{pipeline::Reason::misdirected, {}, {}, {}, {}});
    auto const judged = judge_certificate(certificate);
    if (judged.failure == AuthFailure::none) return nullptr;
    if (judged.error) exchange.outcome.note = "the client's certificate";
    exchange.outcome.error = judged.error;
    return end(connection, exchange, judged.failure);
}

} // namespace sallyport::serve

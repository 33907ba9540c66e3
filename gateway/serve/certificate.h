// The certificate of a client: read after the handshake, and verified again at later requests.
#pragma once

#include "gateway/net/tls_stream.h"
#include "gateway/pipeline/client_certificate.h"
#include "gateway/pipeline/denial.h"
#include "gateway/pipeline/exchange.h"

#include <memory>

namespace sallyport::serve {

class Connection;

/// After the handshake, of a listener that asks for certificates.
void keep_certificate(pipeline::ClientCertificate& certificate, net::TlsStream const& tls);

/// Whether the certificate of a connection counts now; it is verified again if that may have
/// changed.
struct JudgedCertificate {
    pipeline::AuthFailure failure = pipeline::AuthFailure::none;
    net::Error error; // of the verification
};
[[nodiscard]] JudgedCertificate judge_certificate(pipeline::ClientCertificate& certificate);

/// Before a request to such a listener, when its host is known: whether that is the one of the
/// handshake, and whether the certificate is required and missing, has ended, or is not trusted any
/// more since a reload. Then the connection ends with this exchange. Null: neither.
[[nodiscard]] std::unique_ptr<pipeline::Denial> check_certificate(Connection& connection,
                                                                  pipeline::Exchange& exchange);

} // namespace sallyport::serve

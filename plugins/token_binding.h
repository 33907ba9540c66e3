// Tokens that only the client with a certificate may use (RFC 8705, 3): `cnf` of their claims.
#pragma once

#include "gateway/pipeline/identity.h"
#include "gateway/pipeline/request.h"

#include <simdjson.h>

#include <cstdint>
#include <memory>
#include <string_view>

namespace sallyport::plugins {

/// `if_present`: a token that has `cnf` is bound by it; `required`: every token has it.
enum class CertificateBound : std::uint8_t { if_present, required };

struct Binding {
    std::string_view why; // it is refused: a literal for operators; empty: it is not
    std::shared_ptr<pipeline::Digest const> certificate; // null: it is not bound
};

/// By its claims, or by what an issuer says of it (RFC 8705, 3.2). A token that is bound to
/// something else than a certificate (`jkt` of RFC 9449, `jwk`, `kid`) is refused: who does not
/// understand a binding would take a stolen token.
[[nodiscard]] Binding read_binding(simdjson::dom::object claims, CertificateBound bound);

/// Whether the connection of the request is one with which the caller may be used.
[[nodiscard]] bool may_use(pipeline::Request const& request, pipeline::Identity const& caller);

/// For operators, of a caller that may not.
inline constexpr std::string_view other_certificate =
    "the token is bound to a certificate that the client has not shown";

} // namespace sallyport::plugins

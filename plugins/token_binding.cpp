// Tokens that only the client with a certificate may use: see token_binding.h.
#include "plugins/token_binding.h"

#include "gateway/jose/base64url.h"
#include "gateway/pipeline/client_certificate.h"

#include <algorithm>

namespace sallyport::plugins {

namespace {

namespace dom = simdjson::dom;

constexpr std::string_view thumbprint = "x5t#S256"; // RFC 8705, 3.1

// Null: it is not that of SHA-256.
std::shared_ptr<pipeline::Digest const> digest_of(dom::element value) {
    std::string_view text;
    if (value.get_string().get(text) != simdjson::SUCCESS) return nullptr;
    auto const bytes = jose::decode_base64url(text);
    if (!bytes || bytes->size() != pipeline::Digest{}.size()) return nullptr;
    pipeline::Digest digest;
    std::copy(bytes->begin(), bytes->end(), digest.begin());
    return std::make_shared<pipeline::Digest const>(digest);
}

} // namespace

Binding read_binding(dom::object claims, CertificateBound bound) {
    dom::element value;
    if (claims.at_key("cnf").get(value) != simdjson::SUCCESS) {
        if (bound == CertificateBound::if_present) return {};
        return {"the token has no `cnf`, and `certificate_bound` requires it", nullptr};
    }
    dom::object confirmation;
    bool const is_object = value.get_object().get(confirmation) == simdjson::SUCCESS;
    if (!is_object || confirmation.begin() == confirmation.end())
        return {"`cnf` of the token names no key", nullptr};
    std::shared_ptr<pipeline::Digest const> certificate;
    for (auto const member : confirmation) {
        // RFC 7800, 3.1 leaves it to an application what has to be understood: everything.
        if (member.key != thumbprint)
            return {"the token is bound to something else than a certificate", nullptr};
        certificate = digest_of(member.value);
        if (certificate == nullptr)
            return {"`x5t#S256` of the token is no SHA-256 in base64url", nullptr};
    }
    return {{}, std::move(certificate)};
}

bool may_use(pipeline::Request const& request, pipeline::Identity const& caller) {
    if (caller.bound_to == nullptr) return true;
    auto const* const certificate = request.client.certificate.get();
    return certificate != nullptr && certificate->facts != nullptr
           && certificate->facts->fingerprint == *caller.bound_to;
}

} // namespace sallyport::plugins

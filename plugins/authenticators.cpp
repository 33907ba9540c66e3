// What the authenticators share: callers that are known already, and what a checked field comes to.
#include "plugins/authenticators.h"

#include "gateway/pipeline/steps.h"

#include <chrono>

namespace sallyport::plugins {

namespace {

using pipeline::Exchange;
using pipeline::Verdict;

/// What follows the scheme and one space, where the field is spelled so, as nearly all are; empty:
/// it is spelled otherwise, and read anew each time.
std::string_view proof_in(std::string_view field, std::string_view scheme) {
    bool const is_canonical =
        field.size() > scheme.size() && field.starts_with(scheme) && field[scheme.size()] == ' ';
    return is_canonical ? field.substr(scheme.size() + 1) : std::string_view{};
}

bool has_expired(pipeline::Credential const& credential) {
    return credential.expires && !credential.is_valid_at(std::chrono::system_clock::now());
}

} // namespace

bool is_known_caller(Exchange& exchange, AuthenticatorName const& name) {
    auto const& fields = exchange.head.fields;
    auto const field = fields.find(http::FieldId::authorization);
    // RFC 9110, 11.6.2 and 5.3: several are nobody's, whatever the first one says.
    if (!field || fields.is_repeated(http::FieldId::authorization)) return false;
    auto const proof = proof_in(*field, name.scheme);
    if (proof.empty()) return false;
    auto const* const credential = exchange.services.known_callers.find(*exchange.api->credentials,
                                                                        name.authenticator, *field);
    if (credential == nullptr || has_expired(*credential)) return false;
    exchange.credential = credential;
    exchange.authorization = {name.scheme, proof};
    return true;
}

Verdict conclude(Exchange& exchange, AuthenticatorName const& name, pipeline::Proof const& proof,
                 std::string_view proof_text) {
    exchange.credential = proof.valid;
    exchange.outcome.expired = proof.expired;
    if (proof.valid == nullptr) return Verdict::deny(pipeline::unauthenticated());
    exchange.authorization = {name.scheme, proof_text};
    auto const field = *exchange.head.fields.find(http::FieldId::authorization);
    if (proof_in(field, name.scheme) == proof_text)
        exchange.services.known_callers.remember(*exchange.api->credentials, name.authenticator,
                                                 field, *proof.valid);
    return Verdict::pass();
}

} // namespace sallyport::plugins

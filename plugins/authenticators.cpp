// What the authenticators of the Authorization field share.
#include "plugins/authenticators.h"

#include <chrono>

namespace sallyport::plugins {

namespace {

using pipeline::Decision;
using pipeline::Request;
using pipeline::Services;
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

bool is_known_caller(Request const& request, Decision& decision, Services& services,
                     Scheme const& scheme) {
    auto const& fields = request.head.fields;
    auto const field = fields.find(http::FieldId::authorization);
    // RFC 9110, 11.6.2 and 5.3: several are nobody's, whatever the first one says.
    if (!field || fields.is_repeated(http::FieldId::authorization)) return false;
    auto const proof = proof_in(*field, scheme.name);
    if (proof.empty()) return false;
    auto const* const credential =
        services.known_callers.find(*decision.api->credentials, scheme.authenticator, *field);
    if (credential == nullptr || has_expired(*credential)) return false;
    decision.caller = &credential->identity;
    decision.authorization = {scheme.name, proof};
    return true;
}

Verdict conclude(Request const& request, Decision& decision, Services& services,
                 Scheme const& scheme, pipeline::Proof const& proof, std::string_view proof_text) {
    if (proof.expired != nullptr) decision.expired = &proof.expired->identity;
    if (proof.valid == nullptr) return Verdict::deny(pipeline::unauthenticated());
    decision.caller = &proof.valid->identity;
    decision.authorization = {scheme.name, proof_text};
    auto const field = *request.head.fields.find(http::FieldId::authorization);
    if (proof_in(field, scheme.name) == proof_text)
        services.known_callers.remember(*decision.api->credentials, scheme.authenticator, field,
                                        *proof.valid);
    return Verdict::pass();
}

std::string challenge(std::string_view scheme, std::string_view realm,
                      std::string_view parameters) {
    std::string value{scheme};
    value += " realm=\"";
    for (char const c : realm) {
        if (c == '"' || c == '\\') value += '\\';
        value += c;
    }
    value += '"';
    value += parameters;
    return value;
}

} // namespace sallyport::plugins

// Authenticates callers with Bearer tokens (RFC 6750).
#include "plugins/bearer/bearer.h"

#include "plugins/authenticators.h"
#include "plugins/introspection/introspection.h"

namespace sallyport::plugins {

namespace {

std::optional<Presented> find(http::ParsedAuthorization const& field,
                              pipeline::CredentialTable const& credentials,
                              pipeline::Sha256& sha256, std::chrono::system_clock::time_point now) {
    auto const* const bearer = std::get_if<http::BearerToken>(&field);
    if (bearer == nullptr) return std::nullopt;
    // A token is found by its own digest.
    pipeline::Digest const digest = sha256(bearer->token);
    return Presented{credentials.find(bearer_name, pipeline::as_text(digest), digest, now),
                     bearer->token, digest};
}

} // namespace

std::unique_ptr<pipeline::Plugin> make_bearer(pipeline::Api const&) {
    // A token that the file of credentials does not have may be one of the issuer's.
    return make_field_authenticator({.authenticator = bearer_name,
                                     .name = "Bearer",
                                     .find = find,
                                     .unknown_to = introspection_name});
}

std::string bearer_challenge(std::string_view realm) {
    return challenge("Bearer", realm, {});
}

} // namespace sallyport::plugins

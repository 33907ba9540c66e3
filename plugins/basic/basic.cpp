// Authenticates callers with Basic credentials (RFC 7617).
#include "plugins/basic/basic.h"

#include "plugins/authenticators.h"

namespace sallyport::plugins {

namespace {

std::optional<Presented> find(http::ParsedAuthorization const& field,
                              pipeline::CredentialTable const& credentials,
                              pipeline::Sha256& sha256, std::chrono::system_clock::time_point now) {
    auto const* const basic = std::get_if<http::BasicCredentials>(&field);
    if (basic == nullptr) return std::nullopt;
    auto const digest = sha256(basic->secret);
    return Presented{credentials.find(basic_name, basic->key_id, digest, now), basic->token68,
                     digest};
}

std::optional<Password> find_password(http::ParsedAuthorization const& field) {
    auto const* const basic = std::get_if<http::BasicCredentials>(&field);
    if (basic == nullptr) return std::nullopt;
    return Password{basic->key_id, basic->secret};
}

} // namespace

std::unique_ptr<pipeline::Plugin> make_basic(pipeline::Api const&) {
    return make_field_authenticator({basic_name, "Basic", find, find_password});
}

std::string basic_challenge(std::string_view realm) {
    return challenge("Basic", realm, ", charset=\"UTF-8\"");
}

} // namespace sallyport::plugins

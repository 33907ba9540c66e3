// Every plugin there is, in the order in which they are called.
#include "plugins/registry.h"

#include "plugins/allow/allow.h"
#include "plugins/anonymous/anonymous.h"
#include "plugins/api_key/api_key.h"
#include "plugins/api_key/settings.h"
#include "plugins/basic/basic.h"
#include "plugins/basic/settings.h"
#include "plugins/bearer/bearer.h"
#include "plugins/bearer/settings.h"
#include "plugins/client_certificate/client_certificate.h"
#include "plugins/client_certificate/settings.h"
#include "plugins/introspection/introspection.h"
#include "plugins/introspection/settings.h"
#include "plugins/jwt/jwt.h"
#include "plugins/jwt/settings.h"
#include "plugins/scopes/scopes.h"
#include "plugins/upstream/upstream.h"
#include "plugins/validate/validate.h"

#include <array>

namespace sallyport::plugins {

using pipeline::Phase;
using pipeline::PluginRow;

std::span<PluginRow const> registry() {
    static constexpr std::array<PluginRow, 11> rows{{
        // Each looks for its own scheme only. The API says which is asked first; the order of those
        // that share a scheme is the one here.
        {basic_name, Phase::authenticate, make_basic, basic_challenge, basic_settings},
        // Before `bearer`: it leaves to that what does not look like a JSON Web Token.
        {jwt_name, Phase::authenticate, make_jwt, jwt_challenge, jwt_settings},
        {bearer_name, Phase::authenticate, make_bearer, bearer_challenge, bearer_settings},
        // Behind `bearer`, which leaves to it what the file of credentials does not have.
        {introspection_name, Phase::authenticate, make_introspection, introspection_challenge,
         introspection_settings},
        {api_key_name, Phase::authenticate, make_api_key, api_key_challenge, api_key_settings},
        {client_certificate_name, Phase::authenticate, make_client_certificate,
         client_certificate_challenge, client_certificate_settings},
        // The last, and each alone where it is used: they pass every request.
        {anonymous_name, Phase::authenticate, make_anonymous, nullptr, anonymous_settings},
        {upstream_name, Phase::authenticate, make_upstream, nullptr, upstream_settings},
        // After authentication: what may this caller do?
        {"allow", Phase::authorize, make_allow},
        // After `allow`: who may not call an operation at all learns nothing about its scopes.
        {"scopes", Phase::authorize, make_scopes},
        // The most expensive check comes last, and only for callers with permission.
        {"validate", Phase::validate, make_validate},
    }};
    return rows;
}

std::vector<config::Authenticator const*> authenticators() {
    std::vector<config::Authenticator const*> out;
    for (PluginRow const& row : registry()) {
        if (row.settings != nullptr) out.push_back(&row.settings());
    }
    return out;
}

} // namespace sallyport::plugins

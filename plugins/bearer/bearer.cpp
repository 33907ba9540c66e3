// Authenticates callers with Bearer tokens (RFC 6750).
#include "plugins/bearer/bearer.h"

#include "plugins/authenticators.h"

namespace sallyport::plugins {

namespace {

using pipeline::Decision;
using pipeline::Request;
using pipeline::Services;
using pipeline::Verdict;

constexpr Scheme scheme{bearer_name, "Bearer"};

class Bearer final : public pipeline::Plugin {
public:
    Verdict check(Request const& request, Decision& decision, Services& services) override {
        if (is_known_caller(request, decision, services, scheme)) return Verdict::pass();
        DecodedAuthorization const authorization{request, services};
        if (authorization.is_malformed()) return Verdict::deny(pipeline::unauthenticated());
        auto const* const bearer = authorization.as<http::BearerToken>();
        if (bearer == nullptr) return Verdict::abstain();
        auto const proof = decision.api->credentials->find_bearer(bearer->token, services.sha256,
                                                                  std::chrono::system_clock::now());
        return conclude(request, decision, services, scheme, proof, bearer->token);
    }
};

} // namespace

std::unique_ptr<pipeline::Plugin> make_bearer(pipeline::Api const&) {
    return std::make_unique<Bearer>();
}

std::string bearer_challenge(std::string_view realm) {
    return challenge("Bearer", realm, {});
}

} // namespace sallyport::plugins

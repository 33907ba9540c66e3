// Authenticates callers with Basic credentials (RFC 7617).
#include "plugins/basic/basic.h"

#include "plugins/authenticators.h"

namespace sallyport::plugins {

namespace {

using pipeline::Decision;
using pipeline::Request;
using pipeline::Services;
using pipeline::Verdict;

constexpr Scheme scheme{basic_name, "Basic"};

class Basic final : public pipeline::Plugin {
public:
    Verdict check(Request const& request, Decision& decision, Services& services) override {
        if (is_known_caller(request, decision, services, scheme)) return Verdict::pass();
        DecodedAuthorization const authorization{request, services};
        // One field that breaks the grammar is nobody's: no other authenticator shall make sense of
        // it.
        if (authorization.is_malformed()) return Verdict::deny(pipeline::unauthenticated());
        auto const* const basic = authorization.as<http::BasicCredentials>();
        if (basic == nullptr) return Verdict::abstain();
        auto const proof = decision.api->credentials->find_basic(
            basic->key_id, basic->secret, services.sha256, std::chrono::system_clock::now());
        return conclude(request, decision, services, scheme, proof, basic->token68);
    }
};

} // namespace

std::unique_ptr<pipeline::Plugin> make_basic(pipeline::Api const&) {
    return std::make_unique<Basic>();
}

std::string basic_challenge(std::string_view realm) {
    return challenge("Basic", realm, ", charset=\"UTF-8\"");
}

} // namespace sallyport::plugins

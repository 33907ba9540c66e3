// Authenticates callers with Bearer tokens (RFC 6750).
#include "plugins/bearer.h"

#include "gateway/pipeline/steps.h"
#include "plugins/authenticators.h"

namespace sallyport::plugins {

namespace {

using pipeline::Exchange;
using pipeline::Verdict;

class Bearer final : public pipeline::Plugin {
public:
    Verdict check(Exchange& exchange) override {
        DecodedAuthorization const authorization{exchange};
        if (authorization.is_malformed()) return Verdict::deny(pipeline::unauthenticated());
        auto const* const bearer = authorization.as<http::BearerToken>();
        if (bearer == nullptr) return Verdict::abstain();
        auto const proof = exchange.api->credentials->find_bearer(
            bearer->token, exchange.services.secret_digests, std::chrono::system_clock::now());
        exchange.credential = proof.valid;
        exchange.outcome.expired = proof.expired;
        if (proof.valid == nullptr) return Verdict::deny(pipeline::unauthenticated());
        exchange.authorization = {"Bearer", bearer->token};
        return Verdict::pass();
    }
};

} // namespace

std::unique_ptr<pipeline::Plugin> make_bearer(pipeline::Api const& api) {
    return takes(api, "bearer") ? std::make_unique<Bearer>() : nullptr;
}

} // namespace sallyport::plugins

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
        if (is_known_caller(exchange, bearer_name)) return Verdict::pass();
        DecodedAuthorization const authorization{exchange};
        if (authorization.is_malformed()) return Verdict::deny(pipeline::unauthenticated());
        auto const* const bearer = authorization.as<http::BearerToken>();
        if (bearer == nullptr) return Verdict::abstain();
        auto const proof = exchange.api->credentials->find_bearer(
            bearer->token, exchange.services.sha256, std::chrono::system_clock::now());
        return conclude(exchange, bearer_name, proof, bearer->token);
    }
};

} // namespace

std::unique_ptr<pipeline::Plugin> make_bearer(pipeline::Api const& api) {
    return takes(api, "bearer") ? std::make_unique<Bearer>() : nullptr;
}

} // namespace sallyport::plugins

// Authenticates callers with Basic credentials (RFC 7617).
#include "plugins/basic.h"

#include "gateway/pipeline/steps.h"
#include "plugins/authenticators.h"

namespace sallyport::plugins {

namespace {

using pipeline::Exchange;
using pipeline::Verdict;

class Basic final : public pipeline::Plugin {
public:
    Verdict check(Exchange& exchange) override {
        DecodedAuthorization const authorization{exchange};
        // One field that breaks the grammar is nobody's: no other authenticator shall make sense of
        // it.
        if (authorization.is_malformed()) return Verdict::deny(pipeline::unauthenticated());
        auto const* const basic = authorization.as<http::BasicCredentials>();
        if (basic == nullptr) return Verdict::abstain();
        auto const proof = exchange.api->credentials->find_basic(basic->key_id, basic->secret,
                                                                 exchange.services.secret_digests,
                                                                 std::chrono::system_clock::now());
        exchange.credential = proof.valid;
        exchange.outcome.expired = proof.expired;
        if (proof.valid == nullptr) return Verdict::deny(pipeline::unauthenticated());
        exchange.authorization = {"Basic", basic->token68};
        return Verdict::pass();
    }
};

} // namespace

std::unique_ptr<pipeline::Plugin> make_basic(pipeline::Api const& api) {
    return takes(api, "basic") ? std::make_unique<Basic>() : nullptr;
}

} // namespace sallyport::plugins

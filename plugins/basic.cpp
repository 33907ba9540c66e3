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
        if (is_known_caller(exchange, basic_name)) return Verdict::pass();
        DecodedAuthorization const authorization{exchange};
        // One field that breaks the grammar is nobody's: no other authenticator shall make sense of
        // it.
        if (authorization.is_malformed()) return Verdict::deny(pipeline::unauthenticated());
        auto const* const basic = authorization.as<http::BasicCredentials>();
        if (basic == nullptr) return Verdict::abstain();
        auto const proof = exchange.api->credentials->find_basic(basic->key_id, basic->secret,
                                                                 exchange.services.sha256,
                                                                 std::chrono::system_clock::now());
        return conclude(exchange, basic_name, proof, basic->token68);
    }
};

} // namespace

std::unique_ptr<pipeline::Plugin> make_basic(pipeline::Api const& api) {
    return takes(api, "basic") ? std::make_unique<Basic>() : nullptr;
}

} // namespace sallyport::plugins

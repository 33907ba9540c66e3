// Authenticates callers with JSON Web Tokens in Bearer credentials.
#include "plugins/jwt/jwt.h"

#include "gateway/http/authorization.h"
#include "gateway/http/characters.h"
#include "gateway/jose/claims.h"
#include "gateway/jose/jws.h"
#include "gateway/pipeline/decision.h"
#include "gateway/pipeline/request.h"
#include "gateway/pipeline/services.h"
#include "gateway/pipeline/steps.h"
#include "plugins/authenticators.h"
#include "plugins/jwt/settings.h"
#include "plugins/token_binding.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>

namespace sallyport::plugins {

namespace {

using jose::Fault;
using pipeline::AuthFailure;
using pipeline::Decision;
using pipeline::Request;
using pipeline::Services;
using pipeline::Verdict;
using WallClock = std::chrono::system_clock;

constexpr std::string_view scheme = "Bearer";

// An exchange waits so long for keys that are fetched for it; and so many of one API and worker at
// most: whoever sends unknown `kid`s holds no more.
constexpr std::chrono::seconds longest_wait{3};
constexpr std::size_t most_learning = 64;

class Jwt final : public pipeline::Plugin {
public:
    Jwt(JwtVerifier const& verifier, pipeline::Api const& api)
        : verifier_{verifier}, keys_{verifier.keys}, callers_{verifier.mapping, api, jwt_name,
                                                              verifier.expected.issuers.front()} {}

    Verdict check(Request const& request, Decision& decision, Services& services) override {
        auto const field = request.authorization();
        if (!field) return Verdict::abstain();
        if (request.has_several_authorizations())
            return callers_.refuse(decision, AuthFailure::malformed);
        auto const now = WallClock::now();
        if (auto caller = find_known(*field, services, now))
            return callers_.accept(request, std::move(caller), proof_in(*field, scheme), decision);
        auto const given = field->substr(0, field->find(' '));
        if (!http::equals_ignoring_case(given, scheme)) return Verdict::abstain();
        auto const parsed = http::parse_authorization(*field, {});
        auto const* const bearer = std::get_if<http::BearerToken>(&parsed);
        if (bearer == nullptr) return callers_.refuse(decision, AuthFailure::malformed);
        if (!jose::looks_like_jws(bearer->token)) return Verdict::abstain();
        return verify(request, {bearer->token, *field, now, std::nullopt}, decision, services);
    }

    // A key that is not known yet may be a new one of the issuer.
    net::Task<Verdict> learn(Request const& request, Decision& decision,
                             Services& services) override {
        Learning const learning{learning_};
        auto refreshing = keys_.fetched()->refresh(services.loop, longest_wait);
        auto const learned = co_await std::move(refreshing);
        auto const field = *request.authorization();
        auto const parsed = http::parse_authorization(field, {});
        auto const& token = std::get<http::BearerToken>(parsed).token;
        co_return verify(request, {token, field, WallClock::now(), learned}, decision, services);
    }

private:
    struct Given {
        std::string_view token;
        std::string_view field;
        WallClock::time_point now;
        std::optional<fetch::OnRequest> learned; // none: the keys were not asked for yet
    };
    // Counts what waits for keys.
    class Learning {
    public:
        explicit Learning(std::size_t& count) : count_{count} { ++count_; }
        ~Learning() { --count_; }
        Learning(Learning const&) = delete;
        Learning& operator=(Learning const&) = delete;

    private:
        std::size_t& count_;
    };

    [[nodiscard]] pipeline::VerifiedBy verified_by(IssuerKeys const& keys) const {
        return {verifier_.number, keys.number};
    }

    // The caller, if the very same field was verified before, and its token has not expired.
    [[nodiscard]] std::shared_ptr<pipeline::Identity const>
    find_known(std::string_view field, Services const& services, WallClock::time_point now) {
        auto const token = proof_in(field, scheme);
        auto const* const keys = keys_.get();
        bool const may_be_known =
            !token.empty() && services.known_tokens != nullptr && keys != nullptr;
        if (!may_be_known) return nullptr;
        return services.known_tokens->find(verified_by(*keys), field, now);
    }

    // Whether the keys decide: of an algorithm that the key with this `kid` is not for they do.
    [[nodiscard]] bool can_decide(IssuerKeys const& keys, Given const& given,
                                  jose::Header const& header) const {
        return keys_.fetched() == nullptr || given.learned == fetch::OnRequest::loaded
               || (header.kid && keys.set->has(*header.kid))
               || keys.set->find(header.algorithm, header.kid).count != 0;
    }

    // Nothing: the keys decide. Else they have to be fetched before their time, or cannot be.
    std::optional<Verdict> ask_for_keys(Given const& given, IssuerKeys const* keys,
                                        jose::Header const& header, Decision& decision) const {
        if (keys != nullptr && can_decide(*keys, given, header)) return std::nullopt;
        bool const may_learn = !given.learned && keys_.fetched() != nullptr
                               && !decision.is_judged_again && learning_ < most_learning;
        if (may_learn) return Verdict::missing();
        if (keys == nullptr)
            return callers_.cannot_tell(decision, "there are no keys of the issuer");
        // With keys of a moment ago it counts as a guess: else nothing would end a flood of them.
        if (given.learned == fetch::OnRequest::recent)
            return callers_.refuse(decision, AuthFailure::unknown,
                                   "no key of the issuer has its `kid`");
        // It may be one of a new key: no guess, but with these keys nothing else can be said.
        return callers_.refuse(decision, AuthFailure::unavailable,
                               "no key has its `kid`, and the keys could not be refreshed");
    }

    Verdict verify(Request const& request, Given const& given, Decision& decision,
                   Services& services) {
        auto const parsed = reader_.parse(given.token);
        if (parsed.refusal.fault != Fault::none)
            return callers_.refuse(decision, failure_of(parsed.refusal.fault));
        auto const* const keys = keys_.get();
        if (auto verdict = ask_for_keys(given, keys, parsed.header, decision))
            return std::move(*verdict);
        // Before any claim is read: what an issuer has not said is not looked at.
        if (auto const refusal = jose::verify(parsed, *keys->set); refusal.fault != Fault::none)
            return callers_.refuse(decision, failure_of(refusal.fault));
        if (services.denied_secrets
            && services.denied_secrets->contains(services.sha256(given.token)))
            return callers_.refuse(decision, AuthFailure::denied, "the token is denied");
        auto const claims = reader_.read_payload(parsed.payload);
        if (!claims)
            return callers_.refuse(decision, AuthFailure::malformed,
                                   "the token's payload is no JSON object, or has a name twice");
        auto const checked = jose::check(parsed.header, *claims, verifier_.expected, given.now);
        if (checked.refusal.fault != Fault::none)
            return deny(decision, {failure_of(checked.refusal.fault), checked.refusal.why,
                                   verifier_.mapping.places.of(checked.refusal.unmet)});
        auto const made = callers_.make(*claims, checked.until);
        if (auto const* const refused = std::get_if<TokenRefusal>(&made))
            return deny(decision, *refused);
        auto const& caller = std::get<std::shared_ptr<pipeline::Identity const>>(made);
        if (proof_in(given.field, scheme) == given.token) {
            if (services.known_tokens == nullptr)
                services.known_tokens = std::make_unique<pipeline::KnownTokens>();
            services.known_tokens->remember(verified_by(*keys), given.field, caller, checked.until,
                                            given.now);
        }
        return callers_.accept(request, caller, given.token, decision);
    }

    JwtVerifier const& verifier_; // the snapshot's
    KeyReader keys_;
    std::size_t learning_ = 0; // exchanges that wait for keys
    TokenCallers callers_;
    jose::JwsReader reader_;
};

} // namespace

std::unique_ptr<pipeline::Plugin> make_jwt(pipeline::Api const& api) {
    return std::make_unique<Jwt>(*api.settings_of<JwtVerifier>(jwt_name), api);
}

std::string jwt_challenge(std::string_view realm) {
    return challenge(scheme, realm, {});
}

} // namespace sallyport::plugins

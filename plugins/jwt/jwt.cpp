// Authenticates callers with JSON Web Tokens in Bearer credentials.
#include "plugins/jwt/jwt.h"

#include "gateway/http/authorization.h"
#include "gateway/http/characters.h"
#include "gateway/jose/claims.h"
#include "gateway/jose/jws.h"
#include "gateway/net/holders.h"
#include "gateway/pipeline/decision.h"
#include "gateway/pipeline/password_checks.h"
#include "gateway/pipeline/request.h"
#include "gateway/pipeline/services.h"
#include "gateway/pipeline/steps.h"
#include "plugins/authenticators.h"
#include "plugins/jwt/settings.h"
#include "plugins/token_binding.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace sallyport::plugins {

namespace {

using jose::Fault;
using pipeline::AuthFailure;
using pipeline::Decision;
using pipeline::PasswordResult;
using pipeline::Request;
using pipeline::Services;
using pipeline::Verdict;
using WallClock = std::chrono::system_clock;

constexpr std::string_view scheme = "Bearer";
constexpr std::string_view another_algorithm = "the token is signed with another algorithm";

// An exchange waits so long for keys that are fetched for it; and so many of one API and worker at
// most, which the addresses of the clients share.
constexpr std::chrono::seconds longest_wait{3};
constexpr net::Shares learning_shares{64, 16};

// What verifies a signature on another thread, after the request may have ended.
struct SignedToken {
    config::Secret token;
    std::size_t signed_size; // of its first bytes
    jose::Header header;
    std::string signature;
    std::shared_ptr<jose::KeySet const> keys;

    bool verifies() const {
        jose::Parsed parsed;
        parsed.header = header;
        parsed.signed_part = token.reveal().substr(0, signed_size);
        parsed.signature = signature;
        return jose::verify(parsed, *keys).fault == Fault::none;
    }
};

class Jwt final : public pipeline::Plugin {
public:
    Jwt(JwtVerifier const& verifier, pipeline::Api const& api)
        : verifier_{verifier}, keys_{verifier.keys}, callers_{verifier.mapping, api, jwt_name,
                                                              verifier.expected.issuers} {}

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
        return verify(request, {bearer->token, *field, now, MayWait::yes, {}, {}}, decision,
                      services);
    }

    // A key that is not known yet may be a new one of the issuer; and a costly one is used on other
    // threads.
    net::Task<Verdict> learn(Request const& request, Decision& decision,
                             Services& services) override {
        auto const field = *request.authorization();
        auto const parsed = http::parse_authorization(field, {});
        auto const& token = std::get<http::BearerToken>(parsed).token;
        Given given{token, field, WallClock::now(), MayWait::no, {}, {}};
        if (lacks_keys(given)) {
            Learning const learning{learning_, request.caller()};
            auto refreshing = keys_.fetched()->refresh(services.loop, longest_wait);
            given.learned = co_await std::move(refreshing);
            given.now = WallClock::now();
        }
        if (auto question = costly_question(given, services)) {
            auto const verifier = keys_.get()->number;
            auto checking = services.passwords->check(services.loop, request.caller(),
                                                      std::move(*question));
            auto const result = co_await std::move(checking);
            bool const is_decided =
                result == PasswordResult::right || result == PasswordResult::wrong;
            if (!is_decided) {
                decision.auth_failure = AuthFailure::unavailable;
                co_return refuse_for_now(services, result);
            }
            // Keys that have come meanwhile decide by themselves.
            auto const* const keys = keys_.get();
            if (keys != nullptr && keys->number == verifier)
                given.has_right_signature = result == PasswordResult::right;
            given.now = WallClock::now();
        }
        co_return verify(request, given, decision, services);
    }

private:
    enum class MayWait : bool { no, yes }; // for keys, or for other threads
    struct Given {
        std::string_view token;
        std::string_view field;
        WallClock::time_point now;
        MayWait may_wait;
        std::optional<fetch::OnRequest> learned; // none: the keys were not asked for yet
        std::optional<bool> has_right_signature; // none: it was not verified yet
    };
    // Counts what waits for keys.
    class Learning {
    public:
        Learning(net::Holders& all, pipeline::CallerKey address)
            : all_{all}, holder_{all.of(address)} {
            all_.take(holder_);
        }
        ~Learning() { all_.give_back(holder_); }
        Learning(Learning const&) = delete;
        Learning& operator=(Learning const&) = delete;

    private:
        net::Holders& all_;
        net::Holder& holder_;
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
    std::optional<Verdict> ask_for_keys(Request const& request, Given const& given,
                                        IssuerKeys const* keys, jose::Header const& header,
                                        Decision& decision) {
        if (keys != nullptr && can_decide(*keys, given, header)) return std::nullopt;
        bool const may_learn = given.may_wait == MayWait::yes && keys_.fetched() != nullptr
                               && !decision.is_judged_again
                               && learning_.is_entitled(learning_.of(request.caller()));
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

    // Whether keys have to be fetched first.
    [[nodiscard]] bool lacks_keys(Given const& given) {
        if (keys_.fetched() == nullptr) return false;
        auto const* const keys = keys_.get();
        return keys == nullptr || !can_decide(*keys, given, reader_.parse(given.token).header);
    }

    // Whether its signature is verified on other threads.
    [[nodiscard]] static bool is_costly(jose::Header const& header, IssuerKeys const& keys,
                                        Services const& services) {
        return services.passwords != nullptr && jose::is_costly(header, *keys.set);
    }

    [[nodiscard]] std::optional<pipeline::SignatureQuestion> costly_question(Given const& given,
                                                                             Services& services) {
        auto parsed = reader_.parse(given.token);
        auto const* const keys = keys_.get();
        if (keys == nullptr || !is_costly(parsed.header, *keys, services)) return std::nullopt;
        std::string name{pipeline::as_text(services.sha256(given.token))};
        name += std::to_string(keys->number);
        auto const token = std::make_shared<SignedToken const>(
            SignedToken{config::Secret{given.token}, parsed.signed_part.size(),
                        std::move(parsed.header), std::move(parsed.signature), keys->set});
        return pipeline::SignatureQuestion{[token] { return token->verifies(); },
                                           services.sha256(name)};
    }

    [[nodiscard]] static jose::Refusal judge_signature(Given const& given,
                                                       jose::Parsed const& parsed,
                                                       IssuerKeys const& keys) {
        if (!given.has_right_signature) return jose::verify(parsed, *keys.set);
        if (*given.has_right_signature) return {};
        return {Fault::signature, "its signature is wrong"};
    }

    [[nodiscard]] bool is_expected(jose::Algorithm algorithm) const {
        auto const& all = verifier_.algorithms;
        return std::find(all.begin(), all.end(), algorithm) != all.end();
    }

    // Whether it is malformed, or of an algorithm that none of the keys is for.
    Verdict refuse_parsed(jose::Parsed const& parsed, Decision& decision) {
        auto const fault = parsed.refusal.fault;
        if (fault != Fault::none && fault != Fault::signature)
            return callers_.refuse(decision, failure_of(fault));
        auto const& other = parsed.header.other_algorithm;
        std::vector<std::string_view> expected;
        for (auto const algorithm : verifier_.algorithms)
            expected.push_back(to_string(algorithm));
        auto const found = other.empty() ? to_string(parsed.header.algorithm) : other;
        return callers_.refuse(decision, AuthFailure::signature,
                               callers_.note_of("alg", found, expected, another_algorithm));
    }

    Verdict verify(Request const& request, Given const& given, Decision& decision,
                   Services& services) {
        auto const parsed = reader_.parse(given.token);
        if (parsed.refusal.fault != Fault::none || !is_expected(parsed.header.algorithm))
            return refuse_parsed(parsed, decision);
        auto const* const keys = keys_.get();
        if (auto verdict = ask_for_keys(request, given, keys, parsed.header, decision))
            return std::move(*verdict);
        if (!given.has_right_signature && !decision.is_judged_again) {
            if (auto refused = refuse_unverified(request, decision, services,
                                                 verifier_.mapping.places.section))
                return std::move(*refused);
            bool const waits = given.may_wait == MayWait::yes;
            if (waits && is_costly(parsed.header, *keys, services)) return Verdict::missing();
        }
        // Before any claim is read: what an issuer has not said is not looked at.
        if (auto const refusal = judge_signature(given, parsed, *keys);
            refusal.fault != Fault::none)
            return callers_.refuse(decision, failure_of(refusal.fault));
        if (is_denied_token(given.token, services))
            return callers_.refuse(decision, AuthFailure::denied, "the token is denied");
        auto const claims = reader_.read_payload(parsed.payload);
        if (!claims)
            return callers_.refuse(decision, AuthFailure::malformed,
                                   "the token's payload is no JSON object, or has a name twice");
        auto const checked = jose::check(parsed.header, *claims, verifier_.expected, given.now);
        if (auto const& refusal = checked.refusal; refusal.fault != Fault::none) {
            auto const note = callers_.note_of_issuer(refusal.unmet, *claims,
                                                      verifier_.expected.issuers, refusal.why);
            return deny(decision, {failure_of(refusal.fault), note,
                                   verifier_.mapping.places.of(refusal.unmet)});
        }
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
    net::Holders learning_{learning_shares}; // exchanges that wait for keys, by address
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

// What an issuer says of a token: see answer.h.
#include "plugins/introspection/answer.h"

#include "gateway/text/ascii.h"
#include "plugins/token_callers.h"

#include <algorithm>
#include <initializer_list>

namespace sallyport::plugins {

namespace {

namespace dom = simdjson::dom;
using jose::TimePoint;
using pipeline::AuthFailure;

constexpr jose::JsonLimits limits{.bytes = longest_answer, .depth = 16, .values = 2000};

Answer refuse(AuthFailure failure, std::string_view why) {
    Answer out;
    out.failure = failure;
    out.why = why;
    return out;
}

// Whether a member, if it is there, is one of these words in any letter case.
bool may_be(dom::object claims, std::string_view name,
            std::initializer_list<std::string_view> words) {
    if (!jose::has_member(claims, name)) return true;
    auto const value = jose::text_member(claims, name);
    return value && std::any_of(words.begin(), words.end(), [&value](std::string_view word) {
               return text::equals_ignoring_case(*value, word);
           });
}

// A refresh token is active too, and is no credential for an API (RFC 7662, 4; RFC 6749, 1.5).
// `token_type` is that of access tokens (RFC 6749, 7.1). Hydra and Cognito say `token_use` besides,
// Keycloak `typ`, which is `Refresh`, `Offline` or `ID` of its other tokens.
bool is_access_token(dom::object claims) {
    return may_be(claims, "token_type", {"bearer"})
           && may_be(claims, "token_use", {"access_token", "access"})
           && may_be(claims, "typ", {"bearer", "at+jwt", "jwt", "access_token", "access"});
}

bool is_of(dom::object claims, std::vector<std::string> const& issuers) {
    if (issuers.empty()) return true;
    auto const issuer = jose::text_member(claims, "iss");
    return issuer && std::find(issuers.begin(), issuers.end(), *issuer) != issuers.end();
}

jose::Refusal check_claims(dom::object claims, ExpectedAnswer const& expected) {
    using jose::Fault;
    using Which = jose::Unmet::Which;
    if (!is_access_token(claims)) return {Fault::claim, "it is no bearer token for access"};
    if (!is_of(claims, expected.issuers))
        return {Fault::claim, "its `iss` is not the issuer's", {Which::issuer}};
    if (!expected.audiences.empty() && !jose::has_audience(claims, expected.audiences))
        return {Fault::claim, "its `aud` is not that of this API", {Which::audience}};
    return jose::check_required(claims, expected.required);
}

Answer check_active(dom::object claims, ExpectedAnswer const& expected, TimePoint now) {
    // RFC 7662, 2.2: `exp` is optional.
    auto const times = jose::check_times(claims, expected.leeway, jose::Expiry::optional, now);
    if (times.refusal.fault != jose::Fault::none)
        return refuse(failure_of(times.refusal.fault), times.refusal.why);
    Answer out;
    out.expires = times.expires;
    auto const refusal = check_claims(claims, expected);
    out.why = refusal.why;
    out.unmet = refusal.unmet;
    out.failure =
        refusal.fault == jose::Fault::none ? AuthFailure::none : failure_of(refusal.fault);
    out.claims = claims;
    return out;
}

} // namespace

Answer read_answer(jose::StrictJson& json, std::string_view text, ExpectedAnswer const& expected,
                   TimePoint now) {
    auto const object = json.read(text, limits);
    if (!object) return refuse(AuthFailure::unavailable, "the answer is no JSON object");
    bool is_active = false;
    if (object->at_key("active").get_bool().get(is_active) != simdjson::SUCCESS)
        return refuse(AuthFailure::unavailable, "`active` of the answer is no boolean");
    if (!is_active) return refuse(AuthFailure::inactive, {});
    return check_active(*object, expected, now);
}

} // namespace sallyport::plugins

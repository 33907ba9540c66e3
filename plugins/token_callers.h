// Callers by the claims of a token that was verified: a name for the log, labels, and the roles
// that say what they may do.
#pragma once

#include "config/authenticator.h"
#include "config/settings.h"
#include "gateway/jose/jws.h"
#include "gateway/pipeline/api.h"
#include "gateway/pipeline/auth_failure.h"
#include "gateway/pipeline/decision.h"
#include "gateway/pipeline/identity.h"
#include "gateway/pipeline/roles.h"
#include "gateway/pipeline/services.h"
#include "gateway/pipeline/verdict.h"
#include "plugins/token_binding.h"

#include <simdjson.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace sallyport::pipeline {
struct Services;
}

namespace sallyport::plugins {

/// Whether the list of denied secrets has the token, or another text that means the same.
[[nodiscard]] bool is_denied_token(std::string_view token, pipeline::Services& services);

/// A label of the caller, and the claim that has its value. Every token has to have it.
struct LabelClaim {
    config::NamedAt label;
    std::string claim;
};

/// The roles that a value of the claim stands for.
struct RolesOfValue {
    std::string value;
    std::vector<config::NamedAt> roles;
};

struct RoleMapping {
    std::vector<config::NamedAt> always; // of every token
    std::string claim;                   // its words (jose::words_of); empty: none is looked at
    std::vector<RolesOfValue> by_value;  // a word that is not here stands for nothing
};

struct RequiredScopes {
    std::string claim = "scope";       // RFC 9068, 2.2.3
    std::vector<std::string> required; // all of them
};

/// Where the keys about claims stand, for operators; of one that is not written nothing is known.
struct ClaimPlaces {
    using Mark = config::yaml::Mark;

    Mark section; // the one of the authenticator
    Mark type;
    Mark issuer;
    Mark audience;
    std::vector<Mark> required; // by the index of a required claim
    Mark scopes;                // `scopes.required`
    Mark name;
    Mark roles;
    Mark certificate_bound;

    /// Of an expectation that a token does not meet.
    [[nodiscard]] Mark const& of(jose::Unmet const& unmet) const;
    /// The key, or the section that lacks it.
    [[nodiscard]] Mark const& or_section(Mark const& key) const {
        return key.line != 0 ? key : section;
    }
};

/// What the configuration says of the claims.
struct ClaimMapping {
    std::string name_claim = "sub";
    std::vector<LabelClaim> labels;
    RoleMapping roles;
    RequiredScopes scopes;
    CertificateBound certificate_bound = CertificateBound::if_present;
    std::optional<config::Origin> asks_for_certificate; // of `certificate_bound: required`
    ClaimPlaces places;
};

/// The word for a refusal by the rules of tokens.
[[nodiscard]] pipeline::AuthFailure failure_of(jose::Fault fault);

/// For operators: why a token is refused, and what refuses it.
struct TokenRefusal {
    pipeline::AuthFailure failure;
    std::string_view note; // it lasts; empty: nothing of it is to be said
    config::yaml::Mark refused_by;
};

/// 401.
[[nodiscard]] pipeline::Verdict deny(pipeline::Decision& decision, TokenRefusal const& refusal);

/// 429 for a token that is not known, of a client that has sent too many wrong credentials: nothing
/// is done to verify it. Nothing: it may be verified. `section`: of the authenticator.
[[nodiscard]] std::optional<pipeline::Verdict>
refuse_unverified(pipeline::Request const& request, pipeline::Decision& decision,
                  pipeline::Services const& services, config::yaml::Mark const& section);

/// What it names outside of itself, but files.
[[nodiscard]] config::Referred referred_of(ClaimMapping const& mapping);

/// `certificate_bound`, of every section with a ClaimMapping.
[[nodiscard]] config::Key<ClaimMapping> certificate_bound_key();

/// The label with the issuer of a caller, which every caller with a token has: callers of two
/// issuers may have one name. One that the configuration calls so is in its place.
inline constexpr std::string_view issuer_label = "issuer";

/// Makes callers at one API; of one worker. `mapping` and `api` outlive it.
class TokenCallers {
public:
    /// `kind`: what stands before the names in the log, so that no token has the name of a
    /// credential. `issuers`: of the tokens, so that equal names of two issuers are two callers; of
    /// one whose `iss` is none of them it is the first.
    TokenCallers(ClaimMapping const& mapping, pipeline::Api const& api, std::string_view kind,
                 std::vector<std::string> issuers);

    using Made = std::variant<std::shared_ptr<pipeline::Identity const>, TokenRefusal>;
    /// In doubt no caller: a claim that is missing, or of a type that is not the expected one. One
    /// of a token that is bound has `bound_to`: see may_use().
    /// `expires`: when the token ends; `known_until`: when its issuer has to be asked again.
    using TimePoint = std::chrono::system_clock::time_point;
    [[nodiscard]] Made make(simdjson::dom::object claims, TimePoint expires,
                            TimePoint known_until = TimePoint::max());

    /// The caller of a token that was verified, now or before; 401 if the token is bound to another
    /// certificate than that of the request's connection (RFC 8705, 3). `token`: a view into the
    /// head.
    [[nodiscard]] pipeline::Verdict accept(pipeline::Request const& request,
                                           std::shared_ptr<pipeline::Identity const> caller,
                                           std::string_view token,
                                           pipeline::Decision& decision) const;
    /// The note of a token whose issuer or algorithm is not the expected one: "`iss` is "a",
    /// expected "b" or "c"", shortened and without controls. It lasts as long as this; `otherwise`,
    /// a literal, once there are many.
    [[nodiscard]] std::string_view note_of(std::string_view name, std::string_view found,
                                           std::vector<std::string_view> const& expected,
                                           std::string_view otherwise);
    /// The same of `iss`, if it is that what the token does not meet, else `otherwise`.
    [[nodiscard]] std::string_view note_of_issuer(jose::Unmet const& unmet,
                                                  simdjson::dom::object claims,
                                                  std::vector<std::string> const& expected,
                                                  std::string_view otherwise);
    /// 401, for what no key of the settings says. `note` is that of TokenRefusal.
    [[nodiscard]] pipeline::Verdict refuse(pipeline::Decision& decision,
                                           pipeline::AuthFailure failure,
                                           std::string_view note = "") const;
    /// 503, whatever the token is, where nothing can be said about it: with 401 a client would
    /// throw a right one away.
    [[nodiscard]] pipeline::Verdict cannot_tell(pipeline::Decision& decision,
                                                std::string_view note) const;

private:
    [[nodiscard]] std::string const& issuer_of(simdjson::dom::object claims) const;

    using WithinScope = std::shared_ptr<std::vector<pipeline::OperationSet> const>;
    using RoleNumbers = std::vector<std::uint32_t>; // sorted, into roles_

    [[nodiscard]] RoleNumbers numbers_of(std::vector<config::NamedAt> const& names) const;
    [[nodiscard]] bool add_roles(simdjson::dom::object claims, RoleNumbers& out) const;
    [[nodiscard]] pipeline::CombinedRoles const& combined(RoleNumbers const& numbers);
    [[nodiscard]] WithinScope within_scope(std::vector<std::string_view> const& words);

    ClaimMapping const& mapping_;
    pipeline::Api const& api_;
    std::string kind_;
    std::vector<std::string> issuers_; // at least one
    std::vector<pipeline::Role const*> roles_; // of the API
    RoleNumbers always_;
    std::map<std::string, RoleNumbers, std::less<>> by_value_;
    /// What sets of roles allow together. As many as there were, up to a limit.
    std::map<RoleNumbers, pipeline::CombinedRoles> combined_;
    /// What the scopes of a token are enough for, by those that make a difference. As many as there
    /// were, up to a limit.
    std::map<std::set<std::string_view>, WithinScope> within_scope_;
    std::set<std::string, std::less<>> notes_; // up to a limit; none goes
};

} // namespace sallyport::plugins

// Callers by the claims of a token that was verified: see token_callers.h.
#include "plugins/token_callers.h"

#include "config/text.h"
#include "gateway/jose/claims.h"
#include "gateway/jose/same_token.h"
#include "gateway/pipeline/caller.h"
#include "gateway/pipeline/services.h"
#include "gateway/pipeline/steps.h"
#include "gateway/text/ascii.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <utility>

namespace sallyport::plugins {

namespace {

namespace dom = simdjson::dom;
using pipeline::AuthFailure;

constexpr std::size_t longest_name = 256;
constexpr std::size_t longest_label = 1024;
constexpr std::size_t most_combinations = 1024;

// As it stands in the log and in fields: without control characters.
std::optional<std::string> name_of(dom::object claims, std::string const& claim) {
    auto const value = jose::find_claim(claims, claim);
    auto text = value ? jose::text_of(*value) : std::nullopt;
    bool const is_name = text && !text->empty() && text->size() <= longest_name
                         && std::none_of(text->begin(), text->end(), text::is_control);
    return is_name ? std::move(text) : std::nullopt;
}

// RFC 8259, 3: a text, a number or a boolean. Nothing: something else, an empty or a very long
// text.
std::optional<contract::LabelValue> label_of(dom::element value) {
    std::string_view text;
    if (value.get_string().get(text) == simdjson::SUCCESS) {
        bool const is_usable =
            !text.empty() && text.size() <= longest_label
            && std::none_of(text.begin(), text.end(), [](char c) { return text::is_control(c); });
        return is_usable ? std::optional<contract::LabelValue>{std::string{text}} : std::nullopt;
    }
    bool boolean = false;
    if (value.get_bool().get(boolean) == simdjson::SUCCESS) return contract::LabelValue{boolean};
    std::int64_t integer = 0;
    if (value.get_int64().get(integer) == simdjson::SUCCESS) return contract::LabelValue{integer};
    // An integer beyond them would be read as a number that others are equal to.
    double number = 0;
    bool const is_number = value.type() == dom::element_type::DOUBLE
                           && value.get_double().get(number) == simdjson::SUCCESS;
    return is_number ? std::optional<contract::LabelValue>{number} : std::nullopt;
}

// The label whose claim is missing or unusable; null: all are there.
LabelClaim const* read_labels(dom::object claims, ClaimMapping const& mapping,
                              contract::Labels& out) {
    for (auto const& one : mapping.labels) {
        auto const value = jose::find_claim(claims, one.claim);
        auto label = value ? label_of(*value) : std::nullopt;
        if (!label) return &one;
        out.push_back({one.label.name, std::move(*label)});
    }
    return nullptr;
}

void add_issuer(std::string const& issuer, contract::Labels& labels) {
    bool const is_taken =
        std::any_of(labels.begin(), labels.end(),
                    [](auto const& label) { return label.name == issuer_label; });
    if (!is_taken) labels.push_back({std::string{issuer_label}, issuer});
}

// A token whose claim has no words is one without scopes.
std::vector<std::string_view> scopes_of(dom::object claims, RequiredScopes const& scopes) {
    auto const value = jose::find_claim(claims, scopes.claim);
    auto words = value ? jose::words_of(*value) : std::nullopt;
    return std::move(words).value_or(std::vector<std::string_view>{});
}

bool has_all(std::vector<std::string_view> const& words, std::vector<std::string> const& required) {
    return std::all_of(required.begin(), required.end(), [&words](auto const& scope) {
        return std::find(words.begin(), words.end(), scope) != words.end();
    });
}

void sort_unique(std::vector<std::uint32_t>& numbers) {
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

} // namespace

bool is_denied_token(std::string_view token, pipeline::Services& services) {
    auto const* const denied = services.denied_secrets.get();
    if (denied == nullptr || denied->size() == 0) return false;
    return jose::any_text_of_same_token(token, [&](std::string_view text) {
        return denied->contains(services.sha256(text));
    });
}

config::yaml::Mark const& ClaimPlaces::of(jose::Unmet const& unmet) const {
    switch (unmet.which) {
    case jose::Unmet::Which::type: return or_section(type);
    case jose::Unmet::Which::issuer: return or_section(issuer);
    case jose::Unmet::Which::audience: return or_section(audience);
    case jose::Unmet::Which::required: return required[unmet.required];
    case jose::Unmet::Which::none: break;
    }
    return section;
}

AuthFailure failure_of(jose::Fault fault) {
    switch (fault) {
    case jose::Fault::malformed: return AuthFailure::malformed;
    case jose::Fault::signature: return AuthFailure::signature;
    case jose::Fault::expired: return AuthFailure::expired;
    case jose::Fault::not_yet_valid: return AuthFailure::not_yet_valid;
    case jose::Fault::none:
    case jose::Fault::claim: break;
    }
    return AuthFailure::claim;
}

pipeline::Verdict deny(pipeline::Decision& decision, TokenRefusal const& refusal) {
    decision.auth_failure = refusal.failure;
    decision.refused_by = refusal.refused_by;
    auto denial = pipeline::unauthenticated();
    denial.log_note = refusal.note;
    return pipeline::Verdict::deny(std::move(denial));
}

std::optional<pipeline::Verdict> refuse_unverified(pipeline::Request const& request,
                                                   pipeline::Decision& decision,
                                                   pipeline::Services const& services,
                                                   config::yaml::Mark const& section) {
    auto* const failed = services.failed_authentication;
    if (failed == nullptr) return std::nullopt;
    auto refused = failed->refuse_unverified(request, decision);
    if (refused == nullptr) return std::nullopt;
    decision.auth_failure = AuthFailure::unavailable;
    decision.refused_by = section;
    refused->log_note = "the token was not verified: too many credentials were wrong";
    return pipeline::Verdict::deny(std::move(*refused));
}

config::Referred referred_of(ClaimMapping const& mapping) {
    config::Referred out;
    out.roles = mapping.roles.always;
    for (auto const& one : mapping.roles.by_value)
        out.roles.insert(out.roles.end(), one.roles.begin(), one.roles.end());
    for (auto const& one : mapping.labels)
        out.labels.push_back(one.label);
    if (mapping.asks_for_certificate)
        out.certificate = {"certificate_bound: required", *mapping.asks_for_certificate};
    return out;
}

config::Key<ClaimMapping> certificate_bound_key() {
    static std::vector<config::Word<CertificateBound>> const words{
        {"if_present", CertificateBound::if_present}, {"required", CertificateBound::required}};
    config::KeyInfo info{"certificate_bound", config::word_shape(config::infos_of(words)),
                         "if_present: a token with `cnf` is only good with the client certificate "
                         "that it names (RFC 8705, 3); required: every token has it",
                         "if_present"};
    return config::custom_key<ClaimMapping>(
        std::move(info), [](config::Reader& reader, config::Value const& value, ClaimMapping& out) {
            auto const word = config::read_word(reader, value, words);
            if (!word) return;
            out.certificate_bound = *word;
            out.places.certificate_bound = value.node->mark();
            if (*word == CertificateBound::required)
                out.asks_for_certificate = config::Reader::origin_of(value);
        });
}

TokenCallers::TokenCallers(ClaimMapping const& mapping, pipeline::Api const& api,
                           std::string_view kind, std::vector<std::string> issuers)
    : mapping_{mapping}, api_{api}, kind_{kind}, issuers_{std::move(issuers)} {
    if (api.roles != nullptr)
        for (auto const& [name, role] : *api.roles)
            roles_.push_back(&role);
    always_ = numbers_of(mapping.roles.always);
    for (auto const& one : mapping.roles.by_value) {
        auto& numbers = by_value_[one.value];
        auto const more = numbers_of(one.roles);
        numbers.insert(numbers.end(), more.begin(), more.end());
    }
}

TokenCallers::RoleNumbers
TokenCallers::numbers_of(std::vector<config::NamedAt> const& names) const {
    RoleNumbers numbers;
    if (api_.roles == nullptr) return numbers;
    for (auto const& named : names) {
        auto const found = api_.roles->find(named.name); // there, or the load has failed
        if (found == api_.roles->end()) continue;
        auto const number = std::distance(api_.roles->begin(), found);
        numbers.push_back(static_cast<std::uint32_t>(number));
    }
    return numbers;
}

// False: the claim is neither a text nor a list of texts. A token without it has no roles by it.
bool TokenCallers::add_roles(dom::object claims, RoleNumbers& out) const {
    if (mapping_.roles.claim.empty()) return true;
    auto const value = jose::find_claim(claims, mapping_.roles.claim);
    if (!value) return true;
    auto const words = jose::words_of(*value);
    if (!words) return false;
    for (auto const word : *words) {
        auto const found = by_value_.find(word);
        if (found != by_value_.end())
            out.insert(out.end(), found->second.begin(), found->second.end());
    }
    return true;
}

pipeline::CombinedRoles const& TokenCallers::combined(RoleNumbers const& numbers) {
    auto const known = combined_.find(numbers);
    if (known != combined_.end()) return known->second;
    if (combined_.size() == most_combinations) combined_.clear();
    std::vector<pipeline::Role const*> roles;
    for (auto const number : numbers)
        roles.push_back(roles_[number]);
    return combined_.emplace(numbers, pipeline::combine(roles, api_.index)).first->second;
}

TokenCallers::WithinScope TokenCallers::within_scope(std::vector<std::string_view> const& words) {
    if (api_.scopes == nullptr) return nullptr;
    std::set<std::string_view> scopes; // views into the contract, which outlives the token
    for (auto const word : words) {
        auto const known = api_.scopes->known().find(word);
        if (known != api_.scopes->known().end()) scopes.insert(*known);
    }
    auto const found = within_scope_.find(scopes);
    if (found != within_scope_.end()) return found->second;
    if (within_scope_.size() == most_combinations) within_scope_.clear();
    constexpr std::array<std::string_view, 1> schemes{"bearer"};
    std::vector<std::string_view> const list{scopes.begin(), scopes.end()};
    auto sets = std::make_shared<std::vector<pipeline::OperationSet>>(api_.index + 1);
    sets->back() = api_.scopes->within(schemes, list);
    return within_scope_.emplace(std::move(scopes), std::move(sets)).first->second;
}

std::string_view TokenCallers::note_of(std::string_view name, std::string_view found,
                                       std::vector<std::string_view> const& expected,
                                       std::string_view otherwise) {
    constexpr std::size_t longest = 128; // of a text of others
    constexpr std::size_t most = 4;
    constexpr std::size_t most_notes = 64;
    auto const shown = [](std::string_view text) {
        bool const is_cut = text.size() > longest;
        return '"' + config::printable(text.substr(0, longest)) + (is_cut ? "...\"" : "\"");
    };
    auto text = '`' + std::string{name} + "` is " + shown(found) + ", expected ";
    for (std::size_t i = 0; i < std::min(expected.size(), most); ++i)
        text += (i == 0 ? "" : " or ") + shown(expected[i]);
    if (expected.size() > most) text += " or others";
    if (auto const known = notes_.find(text); known != notes_.end()) return *known;
    return notes_.size() < most_notes ? std::string_view{*notes_.insert(std::move(text)).first}
                                      : otherwise;
}

std::string_view TokenCallers::note_of_issuer(jose::Unmet const& unmet, dom::object claims,
                                              std::vector<std::string> const& expected,
                                              std::string_view otherwise) {
    if (unmet.which != jose::Unmet::Which::issuer) return otherwise;
    auto const value = jose::find_claim(claims, "iss");
    auto const found = value ? jose::text_of(*value) : std::nullopt;
    return note_of("iss", found.value_or(""), {expected.begin(), expected.end()}, otherwise);
}

std::string const& TokenCallers::issuer_of(dom::object claims) const {
    auto const value = jose::find_claim(claims, "iss");
    auto const text = value ? jose::text_of(*value) : std::nullopt;
    auto const found =
        text ? std::find(issuers_.begin(), issuers_.end(), *text) : issuers_.end();
    return found == issuers_.end() ? issuers_.front() : *found;
}

TokenCallers::Made TokenCallers::make(dom::object claims, TimePoint expires,
                                      TimePoint known_until) {
    auto const& places = mapping_.places;
    auto const refuse = [&places](AuthFailure failure, std::string_view why,
                                  config::yaml::Mark const& by) {
        return TokenRefusal{failure, why, places.or_section(by)};
    };
    auto const words = scopes_of(claims, mapping_.scopes);
    if (!has_all(words, mapping_.scopes.required))
        return refuse(AuthFailure::scope, "the token has not all scopes that are required",
                      places.scopes);
    auto binding = read_binding(claims, mapping_.certificate_bound);
    if (!binding.why.empty())
        return refuse(AuthFailure::binding, binding.why, places.certificate_bound);
    auto const name = name_of(claims, mapping_.name_claim);
    if (!name)
        return refuse(AuthFailure::claim, "the token has no name in `name_claim`", places.name);
    contract::Labels labels;
    if (auto const* const lacking = read_labels(claims, mapping_, labels))
        return refuse(AuthFailure::claim, "the token lacks the claim of a label",
                      lacking->label.origin.mark);
    auto numbers = always_;
    if (!add_roles(claims, numbers))
        return refuse(AuthFailure::claim, "the claim of the roles has no texts", places.roles);
    sort_unique(numbers);
    auto const& roles = combined(numbers);
    auto values = pipeline::values_for(roles.values, labels);
    if (!values)
        return refuse(AuthFailure::claim, "the token lacks a label of one of its roles",
                      places.roles);

    auto const caller = std::make_shared<pipeline::Identity>();
    caller->name = kind_ + ':' + *name;
    auto const& issuer = issuer_of(claims);
    add_issuer(issuer, labels);
    caller->key = pipeline::caller_of_credential(caller->name + '\n' + issuer);
    caller->bound_to = std::move(binding.certificate);
    caller->expires = expires;
    caller->known_until = known_until;
    caller->place = places.or_section(places.roles);
    caller->permissions = roles.permissions;
    caller->rule_places = roles.rule_places;
    caller->values = std::move(*values);
    caller->within_scope = within_scope(words);
    if (api_.contract) {
        auto conditions = std::make_shared<std::vector<contract::Conditions>>(api_.index + 1);
        conditions->back() = api_.contract->conditions_for(labels);
        caller->conditions = std::move(conditions);
    }
    caller->labels = std::move(labels);
    return caller;
}

// A bound token is valid only with its certificate, also if it was verified before.
pipeline::Verdict TokenCallers::accept(pipeline::Request const& request,
                                       std::shared_ptr<pipeline::Identity const> caller,
                                       std::string_view token, pipeline::Decision& decision) const {
    auto const& places = mapping_.places;
    if (!may_use(request, *caller))
        return deny(decision, {AuthFailure::binding, other_certificate,
                               places.or_section(places.certificate_bound)});
    decision.caller = caller.get();
    decision.own_caller = std::move(caller);
    decision.auth_failure = AuthFailure::none; // an authenticator in front did not know it
    decision.authorization = {"Bearer", token, pipeline::Issuer::other};
    return pipeline::Verdict::pass();
}

pipeline::Verdict TokenCallers::refuse(pipeline::Decision& decision, AuthFailure failure,
                                       std::string_view note) const {
    return deny(decision, {failure, note, mapping_.places.section});
}

pipeline::Verdict TokenCallers::cannot_tell(pipeline::Decision& decision,
                                            std::string_view note) const {
    decision.auth_failure = AuthFailure::unavailable;
    decision.refused_by = mapping_.places.section;
    return pipeline::Verdict::deny(
        pipeline::Denial{pipeline::Reason::issuer_unavailable, {}, {}, {{"Retry-After", "1"}}, note});
}

} // namespace sallyport::plugins

// What the authenticators of the Authorization field share.
#include "plugins/authenticators.h"

#include "gateway/pipeline/decision.h"
#include "gateway/pipeline/password_checks.h"
#include "gateway/pipeline/request.h"
#include "gateway/pipeline/services.h"
#include "gateway/pipeline/steps.h"

#include <openssl/crypto.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <variant>
#include <vector>

namespace sallyport::plugins {

namespace {

using pipeline::AuthFailure;
using pipeline::Decision;
using pipeline::PasswordResult;
using pipeline::Reason;
using pipeline::Request;
using pipeline::Services;
using pipeline::Verdict;

// Without a look at the clock where the time does not matter.
bool is_valid_now(pipeline::Credential const& credential) {
    return credential.is_always_valid()
           || credential.failure_at(std::chrono::system_clock::now()) == AuthFailure::none;
}

// Whether this authenticator has verified the very same field before: then its caller is known,
// and nothing of the field is read again.
bool is_known_field(Request const& request, Decision& decision, Services& services,
                    Scheme const& scheme) {
    auto const field = request.authorization();
    if (!field || request.has_several_authorizations()) return false;
    auto const proof = proof_in(*field, scheme.name);
    if (proof.empty()) return false;
    if (!is_known_caller(decision, services, {scheme.authenticator, *field})) return false;
    decision.authorization = {scheme.name, proof};
    return true;
}

bool is_denied(Services const& services, pipeline::Digest const& digest) {
    return services.denied_secrets && services.denied_secrets->contains(digest);
}

// The caller, which is remembered, or a denial.
Verdict conclude(Request const& request, Decision& decision, Services& services,
                 Scheme const& scheme, Presented const& presented) {
    auto const field = *request.authorization();
    bool const is_canonical = proof_in(field, scheme.name) == presented.text;
    Remembered const by{scheme.authenticator, is_canonical ? field : std::string_view{}};
    if (!accept(decision, services, by, presented.proof, presented.digest))
        return Verdict::deny(pipeline::unauthenticated());
    decision.authorization = {scheme.name, presented.text};
    return Verdict::pass();
}

// The Authorization field of a request, decoded into the worker's scratch memory for the length
// of one check: the secret in it is wiped when the check ends.
class DecodedAuthorization {
public:
    DecodedAuthorization(Request const& request, Services& services)
        : scratch_{services.secret_scratch}, size_{std::min(
                                                 scratch_.size(),
                                                 request.authorization().value_or("").size())},
          parsed_{parse(request, scratch_)} {}
    ~DecodedAuthorization() { OPENSSL_cleanse(scratch_.data(), size_); }
    DecodedAuthorization(DecodedAuthorization const&) = delete;
    DecodedAuthorization& operator=(DecodedAuthorization const&) = delete;

    [[nodiscard]] http::ParsedAuthorization const& parsed() const { return parsed_; }
    [[nodiscard]] bool is_malformed() const {
        return std::holds_alternative<http::MalformedAuthorization>(parsed_);
    }

private:
    static http::ParsedAuthorization parse(Request const& request, std::span<char> scratch) {
        if (request.subprotocol_authorization == nullptr)
            return http::parse_authorization(request.head.fields, scratch);
        if (request.has_several_authorizations())
            return http::MalformedAuthorization{"several Authorization fields"};
        return http::parse_authorization(request.subprotocol_authorization->reveal(), scratch);
    }

    std::span<char> scratch_;
    std::size_t size_;
    http::ParsedAuthorization parsed_;
};

// Whether a secret that no fast hash of the table has may have a slow one.
bool may_be_slow(Decision const& decision, Services const& services, Scheme const& scheme,
                 Presented const& presented) {
    return presented.proof.valid() == nullptr && scheme.find_password != nullptr
           && decision.api->credentials->slow() != nullptr && services.passwords != nullptr;
}

std::vector<secrets::StoredHash> const& slow_hashes_of(Presented const& presented) {
    static std::vector<secrets::StoredHash> const none;
    return presented.proof.credential == nullptr ? none : presented.proof.credential->slow;
}

// Of a password that is right at one of the hashes of its credential.
pipeline::Proof prove(pipeline::Credential const& credential, std::size_t hash) {
    return {credential.failure_at(std::chrono::system_clock::now()), &credential,
            credential.places_of_slow.at(hash)};
}

// The hash at which a password is known to be right; nothing: at none, or not any more.
std::optional<std::size_t> remembered_hash(Services& services, Presented const& presented) {
    auto const& hashes = slow_hashes_of(presented);
    for (std::size_t i = 0; i < hashes.size(); ++i) {
        auto const tag = services.passwords->tag_of(hashes[i], presented.digest, services.sha256);
        if (services.passwords->is_remembered(tag)) return i;
    }
    return std::nullopt;
}

// A password that was right before at a hash which the credential still has; nothing else, such as
// that the credential has expired, ends without the work of a wrong one.
std::optional<pipeline::Proof> prove_by_memory(Services& services, Presented const& presented) {
    auto const hash = remembered_hash(services, presented);
    if (!hash) return std::nullopt;
    auto const proof = prove(*presented.proof.credential, *hash);
    bool const is_right = proof.valid() != nullptr && !is_denied(services, presented.digest);
    return is_right ? std::optional{proof} : std::nullopt;
}

// As many hashes for every key id of the table, known or not.
pipeline::PasswordQuestion question_about(Decision const& decision, Services& services,
                                          Presented const& presented, Password const& password) {
    pipeline::PasswordQuestion question;
    auto const& passwords = *services.passwords;
    for (auto const& hash : slow_hashes_of(presented)) {
        auto const tag = passwords.tag_of(hash, presented.digest, services.sha256);
        question.hashes.push_back({hash, tag});
    }
    auto const* const credential = presented.proof.credential;
    question.ends_at_right = credential != nullptr && is_valid_now(*credential)
                             && !is_denied(services, presented.digest);
    auto const& slow = *decision.api->credentials->slow();
    question.decoys.resize(slow.most_of_one - question.hashes.size(), slow.costliest);
    question.secret = config::Secret{password.secret};
    question.key = passwords.key_of(password.key_id, presented.digest, question, services.sha256);
    return question;
}

// A password that is not verified: nothing is said about it.
void name_unverified(Decision& decision, Presented const& presented) {
    decision.auth_failure = AuthFailure::unavailable;
    decision.meant = presented.proof.credential;
}

class FieldAuthenticator final : public pipeline::Plugin {
public:
    explicit FieldAuthenticator(Scheme const& scheme) : scheme_{scheme} {}

    Verdict check(Request const& request, Decision& decision, Services& services) override {
        if (is_known_field(request, decision, services, scheme_)) return Verdict::pass();
        DecodedAuthorization const authorization{request, services};
        // A field that breaks the grammar is denied here: no other authenticator may accept it.
        if (authorization.is_malformed()) {
            decision.auth_failure = AuthFailure::malformed;
            return Verdict::deny(pipeline::unauthenticated());
        }
        auto presented = find(authorization, decision, services);
        if (!presented) return Verdict::abstain();
        if (may_be_slow(decision, services, scheme_, *presented)) [[unlikely]] {
            auto const proof = prove_by_memory(services, *presented);
            if (!proof)
                return begin_verification(request, decision, services, authorization, *presented);
            presented->proof = *proof;
        }
        if (is_left(request, decision, *presented)) {
            decision.auth_failure = AuthFailure::unknown;
            return Verdict::abstain();
        }
        return conclude(request, decision, services, scheme_, *presented);
    }

    net::Task<Verdict> learn(Request const& request, Decision& decision,
                             Services& services) override {
        auto [presented, question] = ask_about(request, decision, services);
        auto const result = co_await services.passwords->check(services.loop, request.caller(), std::move(question));
        bool const is_decided = result == PasswordResult::right || result == PasswordResult::wrong;
        if (!is_decided) {
            name_unverified(decision, presented);
            co_return refuse_for_now(services, result);
        }
        if (result == PasswordResult::right) {
            // It is remembered now; by then others may have taken its place: then it is the first.
            bool const has_one = slow_hashes_of(presented).size() == 1;
            auto const hash = has_one ? std::nullopt : remembered_hash(services, presented);
            presented.proof = prove(*presented.proof.credential, hash.value_or(0));
        }
        auto verdict = conclude(request, decision, services, scheme_, presented);
        OPENSSL_cleanse(presented.digest.data(), presented.digest.size());
        co_return verdict;
    }

private:
    // Whether another authenticator of the scheme decides.
    [[nodiscard]] bool is_left(Request const& request, Decision const& decision,
                               Presented const& presented) const {
        bool const may_be =
            !scheme_.unknown_to.empty() && presented.proof.failure == AuthFailure::unknown;
        if (!may_be) return false;
        auto const& sets = pipeline::authenticators_for(*decision.api, request);
        return std::any_of(sets.begin(), sets.end(), [this](config::AuthenticatorSet const& set) {
            return set.is_one() && set.has(scheme_.unknown_to);
        });
    }

    // What refuses a password without its verification.
    Verdict begin_verification(Request const& request, Decision& decision, Services& services,
                               DecodedAuthorization const& authorization,
                               Presented const& presented) const {
        auto const password = scheme_.find_password(authorization.parsed());
        decision.tried_id = pipeline::caller_of_key_id(password->key_id);
        auto* const failed = services.failed_authentication;
        if (failed == nullptr || decision.is_judged_again) return Verdict::missing();
        auto refused = failed->refuse_unverified(request, decision);
        if (refused == nullptr) return Verdict::missing();
        name_unverified(decision, presented);
        refused->log_note = "the password was not verified: too many were wrong";
        return Verdict::deny(std::move(*refused));
    }

    std::optional<Presented> find(DecodedAuthorization const& authorization,
                                  Decision const& decision, Services& services) const {
        return scheme_.find(authorization.parsed(), *decision.api->credentials, services.sha256,
                            std::chrono::system_clock::now());
    }

    // The field is decoded once more: its secret does not outlive check().
    std::pair<Presented, pipeline::PasswordQuestion>
    ask_about(Request const& request, Decision const& decision, Services& services) const {
        DecodedAuthorization const authorization{request, services};
        auto const presented = find(authorization, decision, services).value();
        auto const password = scheme_.find_password(authorization.parsed()).value();
        return {presented, question_about(decision, services, presented, password)};
    }

    Scheme scheme_;
};

} // namespace

bool is_known_caller(Decision& decision, Services& services, Remembered const& by) {
    auto const found =
        services.known_callers.find(*decision.api->credentials, by.authenticator, by.text);
    if (found.credential == nullptr || !is_valid_now(*found.credential)) return false;
    decision.caller = &found.credential->identity;
    decision.last_use = found.last_use;
    return true;
}

bool accept(Decision& decision, Services& services, Remembered const& by, pipeline::Proof proof,
            pipeline::Digest const& secret) {
    if (proof.valid() != nullptr && is_denied(services, secret))
        proof.failure = AuthFailure::denied;
    auto const* const valid = proof.valid();
    if (valid == nullptr) {
        decision.auth_failure = proof.failure;
        decision.meant = proof.credential;
        return false;
    }
    decision.caller = &valid->identity;
    decision.last_use = proof.last_use();
    if (!by.text.empty())
        services.known_callers.remember(*decision.api->credentials, by.authenticator, by.text,
                                        proof);
    return true;
}

void read_found_by_digest(config::Reader& reader, config::Value const& value,
                          config::Identity& out) {
    out.secrets = config::read_digests(reader, value);
    for (auto const& secret : out.secrets)
        out.keys.emplace_back(pipeline::as_text(*secret.sha256()));
}

Verdict refuse_for_now(Services const& services, PasswordResult result) {
    auto denial =
        pipeline::rate_limited("Too many credentials wait to be verified; try again later",
                               services.passwords->queue_limit(),
                               std::chrono::seconds{services.passwords->seconds_until_room()});
    denial.log_note = "limits.hashing_queue is full";
    if (result == PasswordResult::too_slow) {
        denial.log_note = "the credentials were not verified within limits.head_time";
    } else if (result == PasswordResult::failed) {
        denial.reason = Reason::overloaded;
        denial.public_detail.clear();
        denial.log_note = "there was no memory to verify credentials";
    }
    return Verdict::deny(std::move(denial));
}

std::string_view proof_in(std::string_view field, std::string_view scheme) {
    bool const is_canonical =
        field.size() > scheme.size() && field.starts_with(scheme) && field[scheme.size()] == ' ';
    return is_canonical ? field.substr(scheme.size() + 1) : std::string_view{};
}

std::unique_ptr<pipeline::Plugin> make_field_authenticator(Scheme const& scheme) {
    return std::make_unique<FieldAuthenticator>(scheme);
}

std::string challenge(std::string_view scheme, std::string_view realm,
                      std::string_view parameters) {
    std::string value{scheme};
    value += " realm=\"";
    for (char const c : realm) {
        if (c == '"' || c == '\\') value += '\\';
        value += c;
    }
    value += '"';
    value += parameters;
    return value;
}

} // namespace sallyport::plugins

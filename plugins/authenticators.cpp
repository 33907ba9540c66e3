// What the authenticators of the Authorization field share.
#include "plugins/authenticators.h"

#include "gateway/pipeline/decision.h"
#include "gateway/pipeline/request.h"
#include "gateway/pipeline/services.h"
#include "gateway/pipeline/steps.h"

#include <openssl/crypto.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <variant>

namespace sallyport::plugins {

namespace {

using pipeline::AuthFailure;
using pipeline::Decision;
using pipeline::Request;
using pipeline::Services;
using pipeline::Verdict;

// What follows the scheme and one space, where the field is spelled so, as nearly all are; empty:
// it is spelled otherwise, and parsed each time.
std::string_view proof_in(std::string_view field, std::string_view scheme) {
    bool const is_canonical =
        field.size() > scheme.size() && field.starts_with(scheme) && field[scheme.size()] == ' ';
    return is_canonical ? field.substr(scheme.size() + 1) : std::string_view{};
}

// Without a look at the clock where the time does not matter.
bool is_valid_now(pipeline::Credential const& credential) {
    return credential.is_always_valid()
           || credential.failure_at(std::chrono::system_clock::now()) == AuthFailure::none;
}

// Whether this authenticator has verified the very same field before: then its caller is known,
// and nothing of the field is read again.
bool is_known_caller(Request const& request, Decision& decision, Services& services,
                     Scheme const& scheme) {
    auto const& fields = request.head.fields;
    auto const field = fields.find(http::FieldId::authorization);
    // RFC 9110, 11.6.2 and 5.3: several fields prove nothing, whatever the first one is.
    if (!field || fields.is_repeated(http::FieldId::authorization)) return false;
    auto const proof = proof_in(*field, scheme.name);
    if (proof.empty()) return false;
    auto const* const credential =
        services.known_callers.find(*decision.api->credentials, scheme.authenticator, *field);
    if (credential == nullptr || !is_valid_now(*credential)) return false;
    decision.caller = &credential->identity;
    decision.authorization = {scheme.name, proof};
    return true;
}

bool is_denied(Services const& services, pipeline::Digest const& digest) {
    return services.denied_secrets && services.denied_secrets->contains(digest);
}

// The caller, which is remembered, or a denial.
Verdict conclude(Request const& request, Decision& decision, Services& services,
                 Scheme const& scheme, Presented const& presented) {
    auto proof = presented.proof;
    if (proof.valid() != nullptr && is_denied(services, presented.digest))
        proof.failure = AuthFailure::denied;
    auto const* const valid = proof.valid();
    if (valid == nullptr) {
        decision.auth_failure = proof.failure;
        decision.meant = proof.credential;
        return Verdict::deny(pipeline::unauthenticated());
    }
    decision.caller = &valid->identity;
    decision.authorization = {scheme.name, presented.text};
    auto const field = *request.head.fields.find(http::FieldId::authorization);
    if (proof_in(field, scheme.name) == presented.text)
        services.known_callers.remember(*decision.api->credentials, scheme.authenticator, field,
                                        *valid);
    return Verdict::pass();
}

// The Authorization field of a request, decoded into the worker's scratch memory for the length
// of one check: the secret in it is wiped when the check ends.
class DecodedAuthorization {
public:
    DecodedAuthorization(Request const& request, Services& services)
        : scratch_{services.secret_scratch},
          size_{
              std::min(scratch_.size(),
                       request.head.fields.find(http::FieldId::authorization).value_or("").size())},
          parsed_{http::parse_authorization(request.head.fields, scratch_)} {}
    ~DecodedAuthorization() { OPENSSL_cleanse(scratch_.data(), size_); }
    DecodedAuthorization(DecodedAuthorization const&) = delete;
    DecodedAuthorization& operator=(DecodedAuthorization const&) = delete;

    [[nodiscard]] http::ParsedAuthorization const& parsed() const { return parsed_; }
    [[nodiscard]] bool is_malformed() const {
        return std::holds_alternative<http::MalformedAuthorization>(parsed_);
    }

private:
    std::span<char> scratch_;
    std::size_t size_;
    http::ParsedAuthorization parsed_;
};

class FieldAuthenticator final : public pipeline::Plugin {
public:
    explicit FieldAuthenticator(Scheme const& scheme) : scheme_{scheme} {}

    Verdict check(Request const& request, Decision& decision, Services& services) override {
        if (is_known_caller(request, decision, services, scheme_)) return Verdict::pass();
        DecodedAuthorization const authorization{request, services};
        // A field that breaks the grammar is denied here: no other authenticator may accept it.
        if (authorization.is_malformed()) {
            decision.auth_failure = AuthFailure::malformed;
            return Verdict::deny(pipeline::unauthenticated());
        }
        auto const presented = scheme_.find(authorization.parsed(), *decision.api->credentials,
                                            services.sha256, std::chrono::system_clock::now());
        if (!presented) return Verdict::abstain();
        return conclude(request, decision, services, scheme_, *presented);
    }

private:
    Scheme scheme_;
};

} // namespace

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

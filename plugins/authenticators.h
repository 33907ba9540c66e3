// What the authenticators share: whether an API takes them, callers that are known already, and the
// parsed field in memory that is wiped.
#pragma once

#include "gateway/http/authorization.h"
#include "gateway/pipeline/exchange.h"
#include "gateway/pipeline/plugin.h"

#include <openssl/crypto.h>

#include <algorithm>
#include <string_view>

namespace sallyport::plugins {

inline bool takes(pipeline::Api const& api, std::string_view authenticator) {
    auto const& taken = api.authenticate;
    return std::find(taken.begin(), taken.end(), authenticator) != taken.end();
}

/// An authenticator as it is known by.
struct AuthenticatorName {
    pipeline::Authenticator authenticator;
    std::string_view scheme; // a literal, in its canonical spelling (RFC 9110, 11.1)
};
inline constexpr AuthenticatorName basic_name{pipeline::Authenticator::basic, "Basic"};
inline constexpr AuthenticatorName bearer_name{pipeline::Authenticator::bearer, "Bearer"};

/// Whether this authenticator has found the very same field to be right before: then the exchange
/// has its caller, and nothing of the field is read again.
bool is_known_caller(pipeline::Exchange& exchange, AuthenticatorName const& name);

/// What a checked field comes to: the exchange gets its caller, who is remembered, or a denial.
/// `proof_text`: what follows the scheme, a view into the field.
pipeline::Verdict conclude(pipeline::Exchange& exchange, AuthenticatorName const& name,
                           pipeline::Proof const& proof, std::string_view proof_text);

/// The Authorization field of an exchange, decoded into the worker's scratch memory for the length
/// of one check: the secret in it is wiped when the check ends.
class DecodedAuthorization {
public:
    explicit DecodedAuthorization(pipeline::Exchange& exchange)
        : scratch_{exchange.services.secret_scratch},
          size_{std::min(
              scratch_.size(),
              exchange.head.fields.find(http::FieldId::authorization).value_or("").size())},
          parsed_{http::parse_authorization(exchange.head.fields, scratch_)} {}
    ~DecodedAuthorization() { OPENSSL_cleanse(scratch_.data(), size_); }
    DecodedAuthorization(DecodedAuthorization const&) = delete;
    DecodedAuthorization& operator=(DecodedAuthorization const&) = delete;

    /// Null: another scheme, or none, or malformed.
    template <class Scheme>
    Scheme const* as() const {
        return std::get_if<Scheme>(&parsed_);
    }
    bool is_malformed() const { return as<http::MalformedAuthorization>() != nullptr; }

private:
    std::span<char> scratch_;
    std::size_t size_;
    http::ParsedAuthorization parsed_;
};

} // namespace sallyport::plugins

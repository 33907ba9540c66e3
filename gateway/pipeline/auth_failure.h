// Why the credentials of a request prove no caller. For operators: clients get one response.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace sallyport::pipeline {

enum class AuthFailure : std::uint8_t {
    none,           // there is a caller, or none was asked for
    no_credentials, // of a kind that the API takes
    malformed,
    unknown, // no credential has this key id or token
    wrong_secret,
    // The secret is right.
    disabled,
    not_yet_valid,
    expired,
    denied,      // its digest is in the list of denied secrets
    certificate, // that of the client is not valid, cannot be read, or is that of two credentials
    // Of tokens of an issuer.
    signature, // no key of the issuer has made it
    claim,     // of another issuer, for another audience, or without what is required
    scope,     // without a scope that is required
    binding,   // it is bound to a key that the client has not proven to have
    inactive,  // the issuer says that it is not, or not any more
    // Nothing is said about the token: the issuer cannot be asked, or sends no answer. Or about a
    // password, which was not verified.
    unavailable,
    // Each of several credentials is right.
    other_caller, // but not all of them are of the same caller
    // The caller is known.
    permission, // but may not call this operation, or not with these parameters
};

inline constexpr std::array<std::string_view, 18> auth_failure_words{"",
                                                                     "no_credentials",
                                                                     "malformed",
                                                                     "unknown",
                                                                     "wrong_secret",
                                                                     "disabled",
                                                                     "not_yet_valid",
                                                                     "expired",
                                                                     "denied",
                                                                     "certificate",
                                                                     "signature",
                                                                     "claim",
                                                                     "scope",
                                                                     "binding",
                                                                     "inactive",
                                                                     "unavailable",
                                                                     "other_caller",
                                                                     "permission"};
static_assert(auth_failure_words.size() == static_cast<std::size_t>(AuthFailure::permission) + 1);

/// The word in the access log; empty for none.
[[nodiscard]] constexpr std::string_view to_string(AuthFailure failure) {
    return auth_failure_words[static_cast<std::size_t>(failure)];
}

} // namespace sallyport::pipeline

// The texts that a verifier may take for one and the same token.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace sallyport::jose {

/// How a Bearer token is written.
enum class Spelling : std::uint8_t {
    opaque,    // it is no token of JOSE: what other texts mean the same, only its issuer knows
    canonical, // in the compact form (RFC 7515, 7.1; RFC 7516, 7.1), which has one text
    other,     // in another form of it, which a lenient verifier reads as the one above
};
[[nodiscard]] Spelling spelling_of(std::string_view token);

/// Whether `is_it` says so of the token, or of a text that means the same as it:
/// - of a signed one what is signed (header and payload), and with ECDSA the token with n - s in
///   place of s, which is a signature of the same text (SEC 1, 4.1.4);
/// - of an opaque one the token in lower and in upper case, with and without padding of base64.
/// Views are valid for the call alone. `token`: not one of another spelling.
[[nodiscard]] bool any_text_of_same_token(std::string_view token,
                                          std::function<bool(std::string_view)> const& is_it);

} // namespace sallyport::jose

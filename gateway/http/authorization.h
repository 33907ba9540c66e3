// The Authorization field, parsed strictly by RFC 7617 and RFC 6750, and its canonical form.
#pragma once

#include "gateway/http/head.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <variant>

namespace sallyport::http {

/// RFC 7617, 2: views into the storage of the caller that parsed it.
struct BasicCredentials {
    std::string_view key_id;  // up to the first colon; contains none
    std::string_view secret;  // everything behind the colon
    std::string_view token68; // as sent: views into the field
};

/// RFC 6750, 2.1: a view into the field.
struct BearerToken {
    std::string_view token;
};

/// No field at all.
struct NoAuthorization {};
/// Another scheme, with well-formed credentials.
struct OtherScheme {
    std::string_view scheme;
};
/// Malformed, or given twice. `why` is a literal for the control log.
struct MalformedAuthorization {
    std::string_view why;
};

using ParsedAuthorization = std::variant<NoAuthorization, BasicCredentials, BearerToken,
                                         OtherScheme, MalformedAuthorization>;

/// Enough storage for a key id and a secret: a value of Basic has 10 KiB at most.
inline constexpr std::size_t authorization_storage = 8UL * 1024;

/// Parses one field value. `storage` receives the decoded text of Basic (three bytes for four
/// characters); if it is too small the value is malformed.
[[nodiscard]] ParsedAuthorization parse_authorization(std::string_view value,
                                                      std::span<char> storage) noexcept;

/// The same for a head: no field, one, or several (malformed).
[[nodiscard]] ParsedAuthorization parse_authorization(FieldTable const& fields,
                                                      std::span<char> storage) noexcept;

/// "Basic <token68>" or "Bearer <token>" in `storage`: the one form in which credentials are
/// forwarded. Empty for the other alternatives, and if `storage` is too small.
[[nodiscard]] std::optional<std::string_view> spell_authorization(ParsedAuthorization const& parsed,
                                                                  std::span<char> storage) noexcept;

/// "Basic <token68>" for credentials that are not base64 yet (a configured upstream credential).
/// Empty if key id or secret violate RFC 7617 or `storage` is too small.
[[nodiscard]] std::optional<std::string_view>
spell_basic(std::string_view key_id, std::string_view secret, std::span<char> storage) noexcept;

} // namespace sallyport::http

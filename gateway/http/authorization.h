// The Authorization field, strictly to RFC 7617 and RFC 6750, and its canonical spelling.
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
    std::string_view key_id;  // up to the first colon; holds none
    std::string_view secret;  // everything behind it
    std::string_view token68; // as sent: views into the field
};

/// RFC 6750, 2.1: a view into the field.
struct BearerToken {
    std::string_view token;
};

/// No field at all.
struct NoAuthorization {};
/// A scheme that is neither, with something well-formed behind it.
struct OtherScheme {
    std::string_view scheme;
};
/// Breaks the grammar, or there are two of them. `why` is a literal for the control-plane log.
struct MalformedAuthorization {
    std::string_view why;
};

using ParsedAuthorization = std::variant<NoAuthorization, BasicCredentials, BearerToken,
                                         OtherScheme, MalformedAuthorization>;

/// Enough storage for every value that `HeadLimits` lets in by default.
inline constexpr std::size_t authorization_storage = 8UL * 1024;

/// One field value. `storage` takes what Basic encodes (three bytes for four characters); where it
/// is too small the value is malformed.
[[nodiscard]] ParsedAuthorization parse_authorization(std::string_view value,
                                                      std::span<char> storage) noexcept;

/// The same for a head: none, one, or (malformed) several lines.
[[nodiscard]] ParsedAuthorization parse_authorization(FieldTable const& fields,
                                                      std::span<char> storage) noexcept;

/// "Basic <token68>" or "Bearer <token>" in `storage`: the one spelling in which proof is sent on.
/// Nothing for the other alternatives, and where `storage` is too small.
[[nodiscard]] std::optional<std::string_view> spell_authorization(ParsedAuthorization const& parsed,
                                                                  std::span<char> storage) noexcept;

/// "Basic <token68>" for credentials that are not base64 yet (a configured upstream credential).
/// Nothing where key id or secret break RFC 7617 or `storage` is too small.
[[nodiscard]] std::optional<std::string_view>
spell_basic(std::string_view key_id, std::string_view secret, std::span<char> storage) noexcept;

} // namespace sallyport::http

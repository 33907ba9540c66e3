// base64url without padding (RFC 7515, 2; RFC 4648, 5), strictly: one text for the same bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sallyport::jose {

/// The bytes. Nothing: another character (padding and white space too), a length that no bytes
/// have, or bits behind the last byte that are not zero (RFC 4648, 3.5).
[[nodiscard]] std::optional<std::string> decode_base64url(std::string_view text);

[[nodiscard]] std::string encode_base64url(std::string_view bytes);

/// Whether there are only characters of the alphabet; also of an empty text.
[[nodiscard]] bool is_base64url_text(std::string_view text) noexcept;

} // namespace sallyport::jose

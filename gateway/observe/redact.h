// The loggable form of a body: its JSON text without the values of secret properties, or its size.
#pragma once

#include "gateway/observe/redaction_list.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sallyport::observe {

/// The longest body that is logged as JSON, whatever limit is configured: its text grows by less
/// than three times when values are replaced, and a ring holds many lines of the longest size.
inline constexpr std::size_t longest_logged_body = 64 * 1024;

enum class LoggedBody : std::uint8_t { redacted, bytes_only };

/// Writes the loggable form of a body to `out` (replaced, its memory reused): its JSON
/// text on one line without white space between tokens, with "[redacted]" for the value of
/// every listed member; or {"bytes":n} if the body is longer than `limit` or
/// longest_logged_body, is not exactly one JSON text (RFC 8259, strictly: UTF-8, no
/// byte-order mark, no trailing bytes, no lone surrogates), or is nested deeper than 1024.
/// `body` needs no padding. A truncated body must go to bytes_only() instead: `12` cut
/// from `123` would look complete.
LoggedBody redact_json(std::string_view body, RedactionList const& list, std::size_t limit,
                       std::string& out);

/// {"bytes":n}
void bytes_only(std::uint64_t size, std::string& out);

} // namespace sallyport::observe

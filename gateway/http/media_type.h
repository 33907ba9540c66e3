// Content-Type, strictly by RFC 9110, 8.3, and whether it is JSON in UTF-8.
#pragma once

#include "gateway/http/head.h"
#include "gateway/text/charset.h"

#include <optional>
#include <string_view>

namespace sallyport::http {

struct MediaType {
    std::string_view type; // as written: compare case-insensitively
    std::string_view subtype;
    std::optional<text::Charset> charset; // `other` also if it is given twice
    /// `odd`: a reader with another grammar could find a different charset in them.
    enum class Parameters : std::uint8_t { plain, odd };
    Parameters parameters = Parameters::plain;
};

/// RFC 9110, 8.3.1. Empty if the value is malformed.
[[nodiscard]] std::optional<MediaType> parse_media_type(std::string_view value) noexcept;

/// Whether every reader decodes the text as UTF-8: no other charset, or US-ASCII, which is a part of
/// it (RFC 6657, 4), and plain parameters.
[[nodiscard]] bool is_utf_8(MediaType const& type) noexcept;

/// Exactly application/json (not `+json` types, which may have other rules), any plain parameters,
/// and no charset but UTF-8 (RFC 8259, 8.1) or its part.
[[nodiscard]] bool is_json(MediaType const& type) noexcept;

/// The requirement of a body with a JSON schema: exactly one Content-Type, and it is JSON. Null:
/// met.
[[nodiscard]] Refused require_json(FieldTable const& fields) noexcept;

} // namespace sallyport::http

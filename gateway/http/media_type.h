// Content-Type, strictly to RFC 9110, 8.3, and the one question that is asked of it: JSON in UTF-8?
#pragma once

#include "gateway/http/head.h"

#include <optional>
#include <string_view>

namespace sallyport::http {

struct MediaType {
    std::string_view type; // as written: compare without regard to letter case
    std::string_view subtype;
    enum class Charset : std::uint8_t { absent, utf_8, other };
    Charset charset = Charset::absent; // `other` also where it is given twice
    /// `odd`: a reader with another grammar could find a charset in them that is not the one above.
    enum class Parameters : std::uint8_t { plain, odd };
    Parameters parameters = Parameters::plain;
};

/// RFC 9110, 8.3.1. Nothing where the value breaks the grammar.
[[nodiscard]] std::optional<MediaType> parse_media_type(std::string_view value) noexcept;

/// Whether every reader takes the text for UTF-8: no other charset, and plain parameters.
[[nodiscard]] bool is_utf_8(MediaType const& type) noexcept;

/// Exactly application/json (not `+json` types, which may mean other things), any plain parameters,
/// and no charset but UTF-8 (RFC 8259, 8.1).
[[nodiscard]] bool is_json(MediaType const& type) noexcept;

/// What a body with a JSON schema needs: exactly one Content-Type, and it is JSON. Null: fine.
[[nodiscard]] Refused require_json(FieldTable const& fields) noexcept;

} // namespace sallyport::http

// Parameters of the fields that describe a body that is not JSON: `boundary`, `charset`, `name`.
#pragma once

#include "gateway/text/charset.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace sallyport::contract {

/// `name=value` behind the first word of a field (RFC 2045, 5.1; RFC 2183, 2).
struct FieldParameter {
    std::string_view name;  // as written: compare case-insensitively
    std::string_view value; // without quotes
    bool is_quoted = false;
    bool is_behind_tab = false; // the white space in front of it has one
};

/// Reads `*( OWS ";" OWS name "=" ( token / quoted-string ) )`, one parameter after the other.
/// Stricter than the grammar: a backslash in quotes is a fault, because some readers take it for an
/// escape (RFC 822) and others for itself (WHATWG), and so is a `;` without a parameter.
class FieldParameters {
public:
    explicit FieldParameters(std::string_view text) noexcept : rest_{text} {}

    enum class Next : std::uint8_t { parameter, end, fault };
    [[nodiscard]] Next next(FieldParameter& parameter) noexcept;

private:
    std::string_view rest_;
};

/// The boundary of a multipart field (RFC 2046, 5.1.1): 1 to 70 characters of `bchars`, no space at
/// the end. Empty if there is none that all readers find: of `multipart/form-data` only `charset`
/// is allowed beside it, and each once; other types have parameters of their own (RFC 2387, 3). A
/// value in which a reader that searches finds a charset is none.
[[nodiscard]] std::optional<std::string_view> find_boundary(std::string_view content_type) noexcept;

/// The charset of a text by its Content-Type: UTF-8 if none is named (RFC 6657, 4), `other` also if
/// readers could find different ones.
[[nodiscard]] text::Charset charset_of(std::string_view content_type) noexcept;

} // namespace sallyport::contract

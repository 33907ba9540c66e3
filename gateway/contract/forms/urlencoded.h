// Bodies of application/x-www-form-urlencoded, strictly by the WHATWG URL Standard, 5.1.
#pragma once

#include "gateway/contract/report.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace sallyport::contract {

/// Limit for the fields of a form, and for the parts of a multipart body.
inline constexpr std::size_t max_form_fields = 1000;

/// A field as it was sent, still encoded: views of the body.
struct FormPair {
    std::string_view name;
    std::string_view value; // without `=`: empty
    std::size_t offset = 0; // of the name in the body
};

/// The pairs of a body, in their order. Empty ones (`a=1&&b=2`) are skipped, as the standard says.
class FormPairs {
public:
    explicit FormPairs(std::string_view body) noexcept : body_{body} {}

    /// False: there are no more.
    [[nodiscard]] bool next(FormPair& pair) noexcept;

private:
    std::string_view body_;
    std::size_t at_ = 0;
};

/// Decodes a name or a value once: `+` is a space, `%` and two digits a byte. Where the standard is
/// lenient this is not: an escape that is none, and what is not UTF-8, are refused, and so is a
/// NUL, at which some readers end a text. Malformed::none: `out` is the text.
[[nodiscard]] Malformed decode_form_text(std::string_view raw, std::string& out);

} // namespace sallyport::contract

// Result of validating one body: outcome, violations, and counts for the log.
#pragma once

#include "gateway/contract/violation.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::contract {

/// Why bytes are not accepted as a body, independent of levels.
enum class Malformed : std::uint8_t {
    none,
    empty,            // nothing but white space
    not_json,         // not RFC 8259
    invalid_utf8,     // not RFC 3629
    byte_order_mark,  // RFC 8259, 8.1
    trailing_bytes,   // bytes after the value
    too_deep,         // arrays and objects nested deeper than the limit
    duplicate_member, // the same name twice in one object, after unescaping
    number,           // a number that does not follow RFC 8259, 6
    lone_surrogate,   // \uD800 to \uDFFF without its other half: not Unicode text (RFC 8259, 8.2)
    too_complex,      // validation would take too long
    // Of bodies that are not JSON:
    field_coding,        // a name or a value is not (percent-encoded) UTF-8
    nul,                 // a name or a value contains a NUL
    duplicate_field,     // a field that is no list occurs twice
    field_spellings,     // the name of a list is encoded in two ways
    disguised_field,     // some parsers take the name for that of a declared field
    too_many_fields,     // more than max_form_fields
    field_style,         // a field is not written as its style says
    field_json,          // a field that is declared as JSON is not JSON
    boundary,            // a boundary is missing where one must be, or stands within a line
    no_last_boundary,    // RFC 2046, 5.1.1
    bytes_outside_parts, // before the first boundary, or after the last
    part_head,           // a field of a part is malformed or repeated
    part_head_too_large,
    part_disposition,  // no Content-Disposition with a name (RFC 7578, 4.2)
    nested_multipart,  // a part that consists of parts
    transfer_encoding, // a part is encoded (RFC 7578, 4.7)
    part_field,        // a part has a field that readers may act on (RFC 7578, 4.8)
    charset,           // a part or a field names another charset than UTF-8 and US-ASCII
    not_ascii,         // it has more than US-ASCII, which it names
    // Of a series of JSON texts:
    empty_item,          // a line, or a text of a sequence, without a value
    no_record_separator, // before a text of a sequence (RFC 7464, 2.1)
    unfinished_record,   // no line feed after a text of a sequence
    bare_cr,             // a line of an event that ends with a CR alone
};

[[nodiscard]] std::string_view name_of(Malformed reason) noexcept; // "duplicate_member"
[[nodiscard]] std::string_view
describe(Malformed reason) noexcept; // "a property name occurs twice in one object"

/// Result of a validation: `violated` if an enforced rule is violated.
enum class Outcome : std::uint8_t { valid, malformed, violated };

inline constexpr std::size_t max_violations = 32; // of each list

/// Violations beyond max_violations: only their number is kept.
struct NotKept {
    std::string_view rule; // the keyword
    Level level = Level::enforce;
    std::size_t count = 0;
    ValuePlace in = ValuePlace::body;
};

/// Adds to the entry of the same keyword, level and place.
void add_not_kept(std::vector<NotKept>& all, NotKept const& more);
/// Adds one to the entry of that keyword and level.
void count_not_kept(std::vector<NotKept>& all, std::string_view rule, Level level);

/// Result of Validator::validate(). Views point into the contract.
struct Report {
    Outcome outcome = Outcome::valid;
    Malformed malformed = Malformed::none;
    /// Offset of the invalid byte of a malformed body, if known; the size of the body if it ends
    /// too early.
    std::optional<std::size_t> offset;

    std::vector<Violation>
        violations; // enforced rules: not empty if, and only if, the outcome is `violated`
    bool more_violations = false;    // further ones were found and not kept
    std::vector<Violation> reported; // violations at level report: the body passes
    bool more_reported = false;
    std::vector<NotKept> not_kept; // of both lists, one entry per keyword and level

    /// Number of properties of objects whose schemas declare properties, but not these.
    std::size_t unknown_members = 0;
    std::vector<std::string_view> deprecated_members; // deprecated properties that are present,
                                                      // each name once; views into the contract
};

} // namespace sallyport::contract

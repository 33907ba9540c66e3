// What the validator found in one body: a verdict, the violations, and what is counted for the log.
#pragma once

#include "gateway/contract/violation.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::contract {

/// Why bytes are not a JSON text that we let through, whatever the levels say.
enum class Malformed : std::uint8_t {
    none,
    empty,            // nothing but white space
    not_json,         // RFC 8259 is broken
    invalid_utf8,     // RFC 3629 is broken
    byte_order_mark,  // RFC 8259, 8.1
    trailing_bytes,   // something stands behind the value
    too_deep,         // more arrays and objects inside each other than the limit
    duplicate_member, // the same name twice in one object, after unescaping
    number,           // a number that RFC 8259, 6 does not know
    lone_surrogate,   // \uD800 to \uDFFF without its other half: no Unicode text (RFC 8259, 8.2)
    too_complex,      // its values, times what each is asked, would take too long
};

[[nodiscard]] std::string_view name_of(Malformed reason) noexcept; // "duplicate_member"
[[nodiscard]] std::string_view
describe(Malformed reason) noexcept; // "a member name occurs twice in an object"

enum class Outcome : std::uint8_t { valid, malformed, violated };

inline constexpr std::size_t max_violations = 32; // of each list

/// Broken rules beyond max_violations: nothing is kept of them but how many there were.
struct NotKept {
    std::string_view rule; // the keyword
    Level level = Level::enforce;
    std::size_t count = 0;
    ValuePlace in = ValuePlace::body;
};

void count_not_kept(std::vector<NotKept>& all, std::string_view rule, Level level);

struct Report {
    Outcome outcome = Outcome::valid;
    Malformed malformed = Malformed::none;
    /// Of the byte at fault of a malformed body, where known; its size: it ends too early.
    std::optional<std::size_t> offset;

    std::vector<Violation>
        violations; // enforced: there are some if, and only if, the outcome is violated
    bool more_violations = false;    // further ones were found and not kept
    std::vector<Violation> reported; // broken rules at level report: the body passes
    bool more_reported = false;
    std::vector<NotKept> not_kept; // of both lists, an entry a keyword and level

    /// Members of objects whose schemas declare properties, but not these.
    std::size_t unknown_members = 0;
    std::vector<std::string_view>
        deprecated_members; // present ones, each name once; views into the contract
};

} // namespace sallyport::contract

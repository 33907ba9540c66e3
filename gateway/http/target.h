// The request target: its forms, the policy for paths, and the names in its query.
#pragma once

#include "gateway/http/authority.h"
#include "gateway/http/refusal.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sallyport::http {

/// Views into the target as sent; `path` of an absolute form without one is a constant "/".
struct Target {
    std::string_view path;              // raw, begins with "/": forwarded
    std::string_view query;             // raw, with its "?"; empty if there is none
    std::optional<Authority> authority; // of the absolute form
    // What was noted in the path: see PathSpellings.
    bool has_semicolon = false;
    bool has_encoded_slash = false;
    bool has_empty_segment = false;
    /// RFC 3986, 6.2.2.1: an escape is the same with its digits in upper case.
    bool has_lower_case_escape = false;
};

/// What two readers of a path may take for different paths. `noted`: some API lets it through; all
/// other paths that have it must be refused once the API is known.
enum class Spelling : std::uint8_t { refused, noted };
struct PathSpellings {
    /// RFC 3986, 3.3: what follows a `;` in a segment, which some servers take for the end of the
    /// segment. For contracts with parameters of style matrix.
    Spelling semicolons = Spelling::refused;
    Spelling encoded_slashes = Spelling::refused; // `%2F`, which some servers take for a slash
    Spelling empty_segments = Spelling::refused;  // `//`, which some servers take for one slash
};

/// RFC 9112, 3.2: origin-form or absolute-form, and the policy for its path and query. Everything
/// that two readers of a path may interpret differently is refused, so that the upstream sees the
/// path that was matched.
Refused parse_target(std::string_view raw, Target& target, PathSpellings spellings = {}) noexcept;

/// A checked path with the digits of its escapes in upper case (RFC 3986, 6.2.2.1).
[[nodiscard]] std::string with_upper_case_escapes(std::string_view path);
/// The path as readers see it that decode `%2F` and take several slashes for one.
[[nodiscard]] std::string with_plain_slashes(std::string_view path);

/// Calls `visit(name)` with each name of a query, raw (not decoded), in order. `query` may begin
/// with "?". Empty pairs are skipped.
template <class Visit>
void for_each_query_name(std::string_view query, Visit&& visit) {
    if (query.starts_with('?')) query.remove_prefix(1);
    while (!query.empty()) {
        auto const end = query.find('&');
        auto const pair = query.substr(0, end);
        if (!pair.empty()) visit(pair.substr(0, pair.find('=')));
        if (end == std::string_view::npos) return;
        query.remove_prefix(end + 1);
    }
}

} // namespace sallyport::http

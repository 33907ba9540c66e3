// The request target: its forms, the policy for paths, and the names in its query.
#pragma once

#include "gateway/http/authority.h"
#include "gateway/http/refusal.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace sallyport::http {

/// Views into the target as sent; `path` of an absolute form without one is a constant "/".
struct Target {
    std::string_view path;              // raw, begins with "/": used for routing and forwarded
    std::string_view query;             // raw, with its "?"; empty if there is none
    std::optional<Authority> authority; // of the absolute form
    /// Whether the path has a `;`: PathParameters::noted.
    bool has_semicolon = false;
};

/// RFC 3986, 3.3: what follows a `;` in a segment, which some servers take for the end of the
/// segment. `noted`: for contracts with parameters of style matrix; all other paths with one must
/// be refused later.
enum class PathParameters : std::uint8_t { refused, noted };

/// RFC 9112, 3.2: origin-form or absolute-form, and the policy for its path and query. Everything
/// that two readers of a path may interpret differently is refused, so that the upstream sees the
/// path that was matched.
Refused parse_target(std::string_view raw, Target& target,
                     PathParameters path_parameters = PathParameters::refused) noexcept;

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

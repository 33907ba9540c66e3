// The pairs of a query (name=value&...), raw, and the names that readers take for one.
#pragma once

#include <string>
#include <string_view>

namespace sallyport::http {

/// Views into the query, not decoded.
struct QueryPair {
    std::string_view name;  // up to the first `=`
    std::string_view value; // empty also without a `=`
};

/// Takes the next pair from the beginning of `query`, which has no `?` and is not empty.
[[nodiscard]] QueryPair take_query_pair(std::string_view& query) noexcept;

/// Whether the raw name of a pair is `name`, however it is escaped (RFC 3986, 2.1): any reader of
/// the query takes it for that. `name`: unreserved characters (RFC 3986, 2.3).
[[nodiscard]] bool is_query_name(std::string_view raw, std::string_view name);

/// The query without its pairs of this name, and without its `?` if none is left; all else as it
/// was. `query`: with its `?`, or empty.
[[nodiscard]] std::string without_query_pairs(std::string_view query, std::string_view name);

} // namespace sallyport::http

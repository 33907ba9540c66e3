// References between schemas are URIs: resolving one against another.
#pragma once

#include <string>
#include <string_view>

namespace sallyport::contract {

/// A URI reference, split at its first `#`.
struct UriReference {
    std::string_view uri;      // without fragment
    std::string_view fragment; // without the `#`, still percent-encoded
};
/// Splits a reference; both parts are views into it.
[[nodiscard]] UriReference split_fragment(std::string_view reference) noexcept;

/// RFC 3986, 5.2. `base` and `reference` have no fragment; `base` may be empty.
[[nodiscard]] std::string resolve_uri(std::string_view base, std::string_view reference);

/// The path of a URI, without scheme, authority and query.
[[nodiscard]] std::string_view path_of_uri(std::string_view uri) noexcept;

} // namespace sallyport::contract

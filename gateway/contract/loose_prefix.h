// The beginning of a path as lenient upstreams compare it, so that no spelling of it slips past.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::contract {

/// The segments of a prefix, each in its loose spelling (text/loose_spelling.h). None: "/".
using LoosePrefix = std::vector<std::string>;
[[nodiscard]] LoosePrefix make_loose_prefix(std::string_view prefix);

/// What of `path` is behind the segments of `prefix`: empty, or from a slash on. Escaped slashes
/// separate segments too, and empty segments count for nothing. None: it does not begin with them.
[[nodiscard]] std::optional<std::string_view> behind_prefix(std::string_view path,
                                                            LoosePrefix const& prefix) noexcept;

} // namespace sallyport::contract

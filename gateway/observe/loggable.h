// Which parts of a request's head may be logged, and how bytes from clients are written in a line
// of text.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace sallyport::observe {

/// The path of a request target in any form of RFC 9112, 3.2, also of a rejected one: a view into
/// it without userinfo and without anything from `?`, `#` or `;` on, encoded ones included (paths
/// with those are rejected). Empty for a target without a path. A possible userinfo is text before
/// an `@` and behind `//`, a backslash, an encoded slash or a `:`: the path ends there, before the
/// segment that contains the `:`.
[[nodiscard]] std::string_view loggable_path(std::string_view target) noexcept;

/// The method if it is plausible: only letters, digits, `-` and `_`, at most 32 of them. Otherwise
/// empty, because a malformed request line may contain a secret there.
[[nodiscard]] std::string_view loggable_method(std::string_view method) noexcept;

/// The trace-id of a `traceparent` (W3C Trace Context, 3.2.2): 32 digits; empty if the field is
/// invalid.
[[nodiscard]] std::string_view loggable_trace_id(std::string_view traceparent) noexcept;

/// Names of query parameters that may be logged.
struct LoggableQuery {
    static constexpr std::size_t most = 32;
    std::array<std::string_view, most> names;
    std::size_t count = 0;

    [[nodiscard]] std::span<std::string_view const> view() const noexcept {
        return {names.data(), count};
    }
};

/// Maps the raw name of a query pair to the declared name to log; empty: not
/// declared.
using DeclaredName = std::function<std::string_view(std::string_view)>;

/// `query`: raw, without `?`. Each declared name once (as returned by `declared`), one `*` for all
/// others.
[[nodiscard]] LoggableQuery loggable_query(std::string_view query, DeclaredName const& declared);

/// Whether the value of a header field may be logged: a closed list, compared
/// case-insensitively.
[[nodiscard]] bool is_loggable_field(std::string_view name) noexcept;

/// Escapes untrusted bytes for a line of text (error log, terminal): printable ASCII stays, `\`,
/// `"` and all other bytes become \xNN. At most `limit` bytes are used; a longer text is marked.
[[nodiscard]] std::string loggable(std::string_view text, std::size_t limit = 256);

} // namespace sallyport::observe

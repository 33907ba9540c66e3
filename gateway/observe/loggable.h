// Which parts of a request's head may be written, and how bytes of strangers look in a line of
/// text.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace sallyport::observe {

/// The path of a request target in any form of RFC 9112, 3.2, also of one that was refused: a view
/// into it that has no userinfo and nothing behind `?`, `#` or `;`, encoded ones too (paths with
/// those are refused). Empty for a target without a path.
/// What could be an authority's userinfo is what stands before an `@` and behind `//`, a backslash,
/// an encoded slash or a `:`: there the path ends, before the segment that holds the `:`.
[[nodiscard]] std::string_view loggable_path(std::string_view target) noexcept;

/// A method, if it looks like one: letters, digits, `-` and `_` alone, at most 32 of them. Empty
/// for every other token, which a request line that was written wrongly may hold a secret in.
[[nodiscard]] std::string_view loggable_method(std::string_view method) noexcept;

/// The trace-id of a `traceparent` (W3C Trace Context, 3.2.2): 32 digits; empty where the field is
/// not valid.
[[nodiscard]] std::string_view loggable_trace_id(std::string_view traceparent) noexcept;

/// Names of query parameters as the log may have them.
struct LoggableQuery {
    static constexpr std::size_t most = 32;
    std::array<std::string_view, most> names;
    std::size_t count = 0;

    [[nodiscard]] std::span<std::string_view const> view() const noexcept {
        return {names.data(), count};
    }
};

/// The declared name that may be written for a pair of the query, by the pair's raw name; empty:
/// nobody declares it.
using DeclaredName = std::function<std::string_view(std::string_view)>;

/// `query`: raw, without `?`. Each declared name once (as `declared` gives it), one `*` for all
/// others.
[[nodiscard]] LoggableQuery loggable_query(std::string_view query, DeclaredName const& declared);

/// Whether the value of a header field may be written at all: a closed list, compared without
/// regard to letter case.
[[nodiscard]] bool is_loggable_field(std::string_view name) noexcept;

/// Bytes of strangers for a line of text (error log, terminal): printable ASCII stays, `\`, `"` and
/// all else become \xNN, at most `limit` bytes of it are taken and the rest is marked.
[[nodiscard]] std::string loggable(std::string_view text, std::size_t limit = 256);

} // namespace sallyport::observe

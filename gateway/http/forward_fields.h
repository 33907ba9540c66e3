// Which lines of a head are forwarded: one table; the kept lines are runs of the original bytes.
#pragma once

#include "gateway/http/head.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace sallyport::http {

enum class Cookies : std::uint8_t { drop, forward };
enum class Coding : std::uint8_t { kept, removed };

struct ForwardPolicy {
    Cookies cookies = Cookies::drop;
    /// `removed`: the body is forwarded decoded, so fields that describe its coded bytes are not.
    Coding coding = Coding::kept;
    /// Names of the fields that the operation's contract declares, in any letter case: they are
    /// forwarded even if they assert an identity, which is otherwise removed.
    std::span<std::string const> declared;
};

/// How a field that a contract declares is handled in a request.
enum class DeclaredField : std::uint8_t {
    forwarded,
    forwarded_with_cookies, // if cookies are forwarded
    written_by_gateway,     // or for this connection only, or not allowed: never forwarded
};
/// The handling of a declared field of this name, in any letter case.
[[nodiscard]] DeclaredField judge_declared_field(std::string_view name) noexcept;

/// Kept lines, with adjacent ones merged into one view; each ends in CR LF. At most every second
/// line can begin a run.
class LineRuns {
public:
    static constexpr std::size_t capacity = FieldTable::capacity / 2 + 1;

    LineRuns() noexcept {}

    void clear() noexcept { count_ = 0; }
    /// Adds a line; one that follows the last run in memory extends it.
    void add(std::string_view line) noexcept;

    [[nodiscard]] std::string_view const* begin() const noexcept { return storage_.runs.data(); }
    [[nodiscard]] std::string_view const* end() const noexcept { return begin() + count_; }
    [[nodiscard]] std::size_t size() const noexcept { return count_; }
    [[nodiscard]] std::size_t bytes() const noexcept;

private:
    // Uninitialised: clearing two kilobytes for three runs would cost more than the
    // runs.
    union Storage {
        Storage() noexcept {}
        std::array<std::string_view, capacity> runs;
    };

    std::size_t count_ = 0;
    Storage storage_;
};

/// Sets `runs` to the lines of a request that are forwarded to its upstream. Removed, because the
/// gateway writes its own or because only a proxy may assert them: `Host`, framing, hop-by-hop
/// fields and those that `Connection` names, credentials, a proxy's fields about its client, method
/// and path overrides; identities, unless they are declared. README.md has the whole table.
void fields_to_forward(RequestHead const& head, ForwardPolicy const& policy,
                       LineRuns& runs) noexcept;

/// Whether Connection names this field, which is then not forwarded (RFC 9110, 7.6.1).
[[nodiscard]] bool is_named_by_connection(FieldTable const& fields, std::string_view name) noexcept;

/// Sets `runs` to the lines of a response that are returned to the client. Removed: framing (the
/// gateway writes its own), hop-by-hop fields and those that `Connection` names, and `X-Request-Id`
/// (ours is sent, the upstream's is logged).
void fields_to_return(ResponseHead const& head, LineRuns& runs) noexcept;

} // namespace sallyport::http

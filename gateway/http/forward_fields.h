// Which lines of a head are forwarded: one table, and the kept lines as runs of the original bytes.
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
    /// `removed`: the body goes on decoded, so what describes its coded bytes does not.
    Coding coding = Coding::kept;
    /// Names of the fields that the contract of the operation declares, in any letter case: they go
    /// on also where they say who the caller is, which other requests may not.
    std::span<std::string const> declared;
};

/// What becomes of a field of a request that a contract declares.
enum class DeclaredField : std::uint8_t {
    forwarded,
    forwarded_with_cookies, // where cookies are
    written_by_gateway,     // or for this connection only, or not let through: never forwarded
};
[[nodiscard]] DeclaredField judge_declared_field(std::string_view name) noexcept;

/// Kept lines, neighbours merged into one view; each ends in CR LF. At most every second line can
/// begin a run.
class LineRuns {
public:
    static constexpr std::size_t capacity = FieldTable::capacity / 2 + 1;

    LineRuns() noexcept {}

    void clear() noexcept { count_ = 0; }
    void add(std::string_view line) noexcept;

    [[nodiscard]] std::string_view const* begin() const noexcept { return storage_.runs.data(); }
    [[nodiscard]] std::string_view const* end() const noexcept { return begin() + count_; }
    [[nodiscard]] std::size_t size() const noexcept { return count_; }
    [[nodiscard]] std::size_t bytes() const noexcept;

private:
    // Written before they are read: clearing two kilobytes for three runs would cost more than they
    // do.
    union Storage {
        Storage() noexcept {}
        std::array<std::string_view, capacity> runs;
    };

    std::size_t count_ = 0;
    Storage storage_;
};

/// The lines of a request for its upstream, in place of what `runs` held. Left out, because the
/// gateway writes its own or because nobody but a proxy may say such things: `Host`, framing,
/// hop-by-hop fields and those that `Connection` names, credentials, what proxies say of clients,
/// method and path overrides; identities, unless they are declared. README.md has the whole table.
void fields_to_forward(RequestHead const& head, ForwardPolicy const& policy,
                       LineRuns& runs) noexcept;

/// Whether Connection leaves a field of this name behind (RFC 9110, 7.6.1).
[[nodiscard]] bool is_named_by_connection(FieldTable const& fields, std::string_view name) noexcept;

/// The lines of a response for the client, in place of what `runs` held. Left out: framing (the
/// gateway writes its own), hop-by-hop fields and those that `Connection` names, and `X-Request-Id`
/// (ours is set, the upstream's logged).
void fields_to_return(ResponseHead const& head, LineRuns& runs) noexcept;

} // namespace sallyport::http

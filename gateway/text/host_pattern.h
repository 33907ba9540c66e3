// Names of hosts as an API has them: one host, or all of one label below another.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::text {

/// `*.example.com`, which takes `a.example.com`, but neither `example.com` nor `a.b.example.com`.
[[nodiscard]] inline bool is_wildcard(std::string_view pattern) noexcept {
    return pattern.starts_with("*.");
}

/// Whether `pattern` takes this host; both in lower case, without port.
[[nodiscard]] inline bool takes_host(std::string_view pattern, std::string_view host) noexcept {
    if (!is_wildcard(pattern)) return pattern == host;
    auto const parent = pattern.substr(1);
    if (host.size() <= parent.size() || !host.ends_with(parent)) return false;
    return host.substr(0, host.size() - parent.size()).find('.') == std::string_view::npos;
}

/// What two lists of patterns have in common; an empty one takes every host. `ordered`: wherever both
/// take a host, one of them names it more exactly (`a.example.com`, then `*.example.com`, then any).
enum class HostOverlap : std::uint8_t { none, ordered, same };
[[nodiscard]] inline HostOverlap compare_hosts(std::vector<std::string> const& left,
                                               std::vector<std::string> const& right) {
    if (left.empty() || right.empty())
        return left.empty() && right.empty() ? HostOverlap::same : HostOverlap::ordered;
    auto overlap = HostOverlap::none;
    for (auto const& one : left) {
        for (auto const& other : right) {
            if (one == other) return HostOverlap::same;
            if (takes_host(one, other) || takes_host(other, one)) overlap = HostOverlap::ordered;
        }
    }
    return overlap;
}

} // namespace sallyport::text

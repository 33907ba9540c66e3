// Whether the first bytes of a connection are those of an HTTP request: for a port that serves TLS.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sallyport::http {

enum class FirstBytes : std::uint8_t { request, other, unfinished };

/// RFC 9112, 3: a method, here of at most 15 capital letters (like all registered ones), a space,
/// and the beginning of a target.
[[nodiscard]] constexpr FirstBytes judge_first_bytes(std::string_view bytes) noexcept {
    constexpr std::size_t longest_method = 15;
    std::size_t at = 0;
    while (at < bytes.size() && (bytes[at] == '-' || (bytes[at] >= 'A' && bytes[at] <= 'Z')))
        ++at;
    if (at > longest_method) return FirstBytes::other;
    if (at == bytes.size()) return FirstBytes::unfinished;
    if (at == 0 || bytes[at] != ' ') return FirstBytes::other;
    if (at + 1 == bytes.size()) return FirstBytes::unfinished;
    char const target = bytes[at + 1];
    return target == '/' || target == '*' || target == 'h' ? FirstBytes::request
                                                           : FirstBytes::other;
}

} // namespace sallyport::http

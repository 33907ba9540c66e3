// The field names that the gateway handles specially, and their classification.
#pragma once

#include "gateway/http/characters.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace sallyport::http {

/// One for each name or family of names that the gateway reads, sets or removes; all others are
/// `unknown` and are forwarded. Fewer than 64, so that a set of them fits into one word.
enum class FieldId : std::uint8_t {
    unknown,
    /// Framing and connection (RFC 9112; RFC 9110, 7.6 and 7.8)
    host,
    content_length,
    transfer_encoding,
    connection,
    keep_alive,
    proxy_connection,
    te,
    trailer,
    upgrade,
    http2_settings,
    expect,
    /// Credentials (RFC 9110, 11; RFC 6265)
    authorization,
    proxy_authorization,
    proxy_authenticate,
    proxy_authentication_info,
    cookie,
    /// Content (RFC 9110, 8; RFC 9530)
    content_type,
    content_encoding,
    content_md5,
    content_digest, // Content-Digest, Repr-Digest and the older Digest
    /// What a proxy adds about its client (RFC 7239 and its predecessors)
    forwarded,
    x_forwarded_for,
    x_forwarded_proto,
    x_forwarded_host,
    x_forwarded_other, // X-Forwarded and every other X-Forwarded-*
    client_address,    // X-Real-IP and similar names
    request_id,        // X-Request-Id
    /// What only a proxy may assert to an upstream
    identity,        // X-Remote-User and similar names: README.md has the list
    method_override, // X-HTTP-Method, X-HTTP-Method-Override, X-Method-Override
    url_override,    // X-Original-*, X-Rewrite-URL
    proxy_command,   // X-Accel-*, X-Sendfile*, Proxy: commands to servers behind a proxy
    /// Read, and forwarded unchanged
    accept_encoding,
    max_forwards, // rewritten for OPTIONS
    date,         // of a response; added if the upstream sends none
    retry_after,
};

inline constexpr std::size_t field_id_count = static_cast<std::size_t>(FieldId::retry_after) + 1;
static_assert(field_id_count <= 64);

/// Case-insensitive.
[[nodiscard]] FieldId identify_field(std::string_view name) noexcept;

/// Whether the token `name` equals `lower_case`, ignoring case. Among the characters of a token
/// (RFC 9110, 5.6.2), setting the bit 0x20 produces letters, digits and `-` only from themselves
/// and their upper case, so eight of them are compared at once.
[[nodiscard]] inline bool is_field_name(std::string_view name,
                                        std::string_view lower_case) noexcept {
    constexpr std::size_t step = sizeof(std::uint64_t);
    constexpr std::uint64_t case_bits = 0x2020202020202020;
    auto const size = name.size();
    if (size != lower_case.size()) return false;
    if (size < step) return equals_ignoring_case(name, lower_case);
    auto const is_same = [&](std::size_t at) {
        std::uint64_t word;
        std::uint64_t wanted;
        std::memcpy(&word, name.data() + at, step);
        std::memcpy(&wanted, lower_case.data() + at, step);
        return (word | case_bits) == wanted;
    };
    for (std::size_t at = 0; at + step < size; at += step)
        if (!is_same(at)) return false;
    return is_same(size - step); // may overlap the one before
}

/// Whether `name` contains a `_` or another sign and would be one of our names with `-` in its
/// place: servers that pass fields as variables (RFC 3875, 4.1.18) cannot tell the two apart. All
/// of them write `_` for `-`, some (lighttpd) for every sign.
[[nodiscard]] bool shadows_known_field(std::string_view name) noexcept;

/// Whether a server that passes fields as variables may take two different names for one (RFC 3875,
/// 4.1.18): they are equal when case is ignored and each sign is replaced by `-`.
[[nodiscard]] bool is_same_variable(std::string_view name, std::string_view other) noexcept;

} // namespace sallyport::http

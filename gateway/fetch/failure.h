// Why a fetch has no result: a word for each cause, and what an operator needs besides.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace sallyport::fetch {

enum class Cause : std::uint8_t {
    none,
    insecure,         // http to a host that is not this one
    address_refused,  // all its addresses are link-local, or stand for none
    not_resolved,     // its name has no address
    not_connected,    // no address of it accepts a connection
    certificate,      // its certificate is not valid, not for this name, or not trusted
    tls,              // the handshake failed otherwise
    timeout,          // any step, or all of it, took too long
    broken,           // the connection ended before the response did
    invalid_response, // its head or framing violates HTTP, or leaves its end open
    redirected,       // 3xx: never followed
    status,           // another one than 200
    media_type,       // not the one that was asked for, or none
    encoded,          // a content coding that was not asked for
    too_large,
    unusable,   // complete, but not what was asked for: said by the reader of its content
    overloaded, // as many fetches are running as may
    stopped,    // the program ends
};

inline constexpr std::array<std::string_view, 18> cause_words{
    "ok",         "insecure", "address_refused", "not_resolved",     "not_connected", "certificate",
    "tls",        "timeout",  "broken",          "invalid_response", "redirected",    "status",
    "media_type", "encoded",  "too_large",       "unusable",         "overloaded",    "stopped"};
static_assert(cause_words.size() == static_cast<std::size_t>(Cause::stopped) + 1);

/// The word in logs and metrics.
[[nodiscard]] constexpr std::string_view to_string(Cause cause) {
    return cause_words[static_cast<std::size_t>(cause)];
}

/// `detail`: the error of the system or of OpenSSL, the violated rule, or the status. Never a byte
/// of the response besides its status, nor of the request.
struct Failure {
    Cause cause = Cause::none;
    std::string detail{};

    friend bool operator==(Failure const&, Failure const&) = default;
};

} // namespace sallyport::fetch

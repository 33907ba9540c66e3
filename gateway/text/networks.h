// IP addresses and networks as bits: whether an address is in one of them.
#pragma once

#include "gateway/text/digits.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::text {

/// An IPv6 address; one of IPv4 is mapped (RFC 4291, 2.5.5.2), so that both spellings are one.
using AddressBits = std::array<std::uint8_t, 16>;

/// `192.0.2.1`, `2001:db8::1`; the zone of a link-local address (RFC 4007, 11) is left out.
[[nodiscard]] inline std::optional<AddressBits> parse_ip(std::string_view text) noexcept {
    text = text.substr(0, text.find('%'));
    std::array<char, INET6_ADDRSTRLEN> terminated{};
    if (text.size() >= terminated.size()) return std::nullopt;
    std::copy(text.begin(), text.end(), terminated.begin());
    // A NUL within would end the text before its end.
    if (std::strlen(terminated.data()) != text.size()) return std::nullopt;
    AddressBits bits{};
    if (::inet_pton(AF_INET6, terminated.data(), bits.data()) == 1) return bits;
    bits = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
    if (::inet_pton(AF_INET, terminated.data(), bits.data() + 12) == 1) return bits;
    return std::nullopt;
}

/// The canonical spelling (RFC 5952); a mapped IPv4 address is written as one of IPv4, as that of a
/// client of IPv4 that comes over an IPv6 socket.
[[nodiscard]] inline std::string format_ip(AddressBits const& bits) {
    constexpr AddressBits mapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
    constexpr std::size_t prefix = 12;
    bool const is_v4 = std::equal(mapped.begin(), mapped.begin() + prefix, bits.begin());
    std::array<char, INET6_ADDRSTRLEN> text{};
    ::inet_ntop(is_v4 ? AF_INET : AF_INET6, bits.data() + (is_v4 ? prefix : 0), text.data(),
                text.size());
    return text.data();
}

/// Addresses with the same beginning (RFC 4632, 3.1; RFC 4291, 2.3).
struct Network {
    AddressBits bits{};
    unsigned length = 0; // of the beginning, in bits of an IPv6 address

    bool operator==(Network const&) const = default;
    [[nodiscard]] bool has(AddressBits const& address) const noexcept {
        auto const whole = length / 8;
        if (!std::equal(bits.begin(), bits.begin() + whole, address.begin())) return false;
        if (length % 8 == 0) return true;
        auto const mask = static_cast<std::uint8_t>(0xFFU << (8 - length % 8));
        return (bits[whole] & mask) == (address[whole] & mask);
    }
};

enum class NetworkError : std::uint8_t { none, malformed, has_host_bits };

struct ParsedNetwork {
    Network network;
    NetworkError error = NetworkError::none;
};

/// `192.0.2.0/24`, `2001:db8::/32`, or one address. What follows the length is 0: otherwise the
/// writer meant another network, or one address.
[[nodiscard]] inline ParsedNetwork parse_network(std::string_view text) noexcept {
    auto const slash = text.find('/');
    auto const address = text.substr(0, slash);
    auto const bits = parse_ip(address);
    if (!bits || address.find('%') != std::string_view::npos) return {{}, NetworkError::malformed};
    bool const is_v4 = address.find(':') == std::string_view::npos;
    unsigned length = is_v4 ? 32 : 128;
    if (slash != std::string_view::npos) {
        auto const written = parse_digits<unsigned>(text.substr(slash + 1));
        if (!written || *written > length) return {{}, NetworkError::malformed};
        length = *written;
    }
    Network network{*bits, is_v4 ? length + 96 : length};
    for (unsigned i = network.length; i < 128; ++i)
        if ((network.bits[i / 8] & (0x80U >> i % 8)) != 0) return {{}, NetworkError::has_host_bits};
    return {network, NetworkError::none};
}

[[nodiscard]] inline bool is_in(std::vector<Network> const& networks,
                                AddressBits const& address) noexcept {
    return std::any_of(networks.begin(), networks.end(),
                       [&address](Network const& network) { return network.has(address); });
}
/// `address`: as text, without port. One that cannot be read is in no network.
[[nodiscard]] inline bool is_in(std::vector<Network> const& networks,
                                std::string_view address) noexcept {
    auto const bits = parse_ip(address);
    return bits && is_in(networks, *bits);
}

/// Which clients may come: those of `allow` (empty: all) that are not in `deny`.
struct AddressRules {
    std::vector<Network> allow;
    std::vector<Network> deny;

    [[nodiscard]] bool is_empty() const noexcept { return allow.empty() && deny.empty(); }
    /// `address`: as text, without port. One that cannot be read does not pass.
    [[nodiscard]] bool admit(std::string_view address) const noexcept {
        if (is_empty()) return true;
        auto const bits = parse_ip(address);
        if (!bits) return false;
        if (is_in(deny, *bits)) return false;
        return allow.empty() || is_in(allow, *bits);
    }
};

} // namespace sallyport::text

// The URLs that the gateway requests itself: strictly parsed, and free of secrets.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sallyport::fetch {

struct Url {
    enum class Scheme : std::uint8_t { https, http };

    Scheme scheme = Scheme::https;
    std::string host; // lower case; an IPv6 address without its brackets
    std::uint16_t port = 443;
    std::string authority; // for the Host field; without the scheme's own port
    std::string path;      // begins with "/"
    std::string query;     // with its "?"; may be empty

    friend bool operator==(Url const&, Url const&) = default;
};

struct ParsedUrl {
    Url url;
    std::string_view problem; // why there is none, a literal; empty: `url` is valid
};

/// `https://host[:port][/path][?query]`, or the same with `http`. No user name (RFC 9110, 4.2.4),
/// no fragment, no characters that must be escaped, and no path that two readers may read
/// differently (http/target.h). At most 2,048 bytes.
[[nodiscard]] ParsedUrl parse_url(std::string_view text);

/// The URL without its query, for messages.
[[nodiscard]] std::string text_of(Url const& url);

} // namespace sallyport::fetch

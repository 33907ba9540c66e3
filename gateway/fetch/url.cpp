// The URLs that the gateway requests itself.
#include "gateway/fetch/url.h"

#include "gateway/http/target.h"
#include "gateway/text/ascii.h"

#include <algorithm>
#include <array>

namespace sallyport::fetch {

namespace {

constexpr std::size_t longest_url = 2048;

constexpr std::uint16_t port_of(Url::Scheme scheme) {
    return scheme == Url::Scheme::https ? 443 : 80;
}

// RFC 3986, 2: everything else is escaped.
bool is_written_plainly(std::string_view text) {
    constexpr std::string_view never = "\"<>\\^`{|}";
    return std::all_of(text.begin(), text.end(), [never](char c) {
        return c > ' ' && c < '\x7f' && never.find(c) == std::string_view::npos;
    });
}

ParsedUrl refuse(std::string_view problem) {
    return {{}, problem};
}

} // namespace

ParsedUrl parse_url(std::string_view text) {
    Url url;
    if (text.starts_with("http://")) {
        url.scheme = Url::Scheme::http;
    } else if (!text.starts_with("https://")) {
        return refuse("does not begin with https://");
    }
    if (text.size() > longest_url) return refuse("is longer than 2,048 bytes");
    if (!is_written_plainly(text)) return refuse("has a character that must be escaped");
    if (text.find('#') != std::string_view::npos) return refuse("has a fragment");
    auto const begin = text.find("://") + 3;
    auto const authority = text.substr(begin, text.find_first_of("/?", begin) - begin);
    if (authority.find('@') != std::string_view::npos)
        return refuse("has a user name or a password");
    http::Target target;
    if (http::parse_target(text, target) != nullptr)
        return refuse(target.authority ? "has a path or a query that is not plain"
                                       : "has no valid host and port");
    std::array<char, http::max_host_size> storage{};
    auto const host = http::normalized_host(*target.authority, storage);
    bool const is_bracketed = host.starts_with('[');
    url.host = is_bracketed ? host.substr(1, host.size() - 2) : host;
    url.port = target.authority->port.value_or(port_of(url.scheme));
    if (url.host.empty() || url.port == 0) return refuse("has no valid host and port");
    url.authority = host;
    if (url.port != port_of(url.scheme)) url.authority += ":" + std::to_string(url.port);
    url.path = target.path;
    url.query = target.query;
    return {std::move(url), {}};
}

std::string text_of(Url const& url) {
    return (url.scheme == Url::Scheme::https ? "https://" : "http://") + url.authority + url.path;
}

} // namespace sallyport::fetch

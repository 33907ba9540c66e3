// Which addresses the gateway's own requests may reach, judged after the name was resolved.
#pragma once

#include "gateway/fetch/failure.h"
#include "gateway/fetch/url.h"
#include "gateway/net/look_up.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace sallyport::fetch {

/// What the configuration allows explicitly.
struct Reach {
    enum class PlainHttp : std::uint8_t { to_loopback, anywhere };
    enum class LinkLocal : std::uint8_t { refused, allowed };
    enum class Loopback : std::uint8_t { allowed, refused };

    PlainHttp plain_http = PlainHttp::to_loopback;
    LinkLocal link_local = LinkLocal::refused;
    Loopback loopback = Loopback::allowed; // refused: where another server has named the URL
};

struct Reachable {
    std::vector<net::Address> addresses;
    Cause refused = Cause::none; // why there is none
};

/// Whether the URL's host is this one by its name (RFC 6761, 6.3) or its address.
[[nodiscard]] bool names_loopback(Url const& url);

/// Why a request to it would be refused, as far as the URL says it: a literal, which follows "it";
/// empty: what its name resolves to decides. With http only names of this host are not refused.
[[nodiscard]] std::string_view reason_against(Url const& url);

/// The addresses that may be connected to. Refused: link-local ones (RFC 3927, 2.1; RFC 4291,
/// 2.5.6), at which clouds have their metadata services, and that of AWS for IPv6; unspecified
/// ones, which are other names of this host (RFC 1122, 3.2.1.3); with http, all but loopback. The
/// check is made of what is connected to, so that a name cannot change in between.
[[nodiscard]] Reachable reachable(std::vector<net::Address> const& addresses, Url::Scheme scheme,
                                  Reach reach);

} // namespace sallyport::fetch

// Clients that come through proxies in front of the gateway.
#pragma once

#include "gateway/http/authority.h"
#include "gateway/http/forwarded.h"
#include "gateway/pipeline/caller.h"
#include "gateway/text/networks.h"

#include <optional>
#include <string>

namespace sallyport::pipeline {

/// Of a listener: the proxies in front of it, and which of their clients may come.
struct ProxiedClients {
    http::TrustedProxies proxies;
    text::AddressRules addresses;
};

/// The client of one request, as its proxies describe it.
struct ProxiedClient {
    std::string address; // as text, without port
    CallerKey caller = 0;
    bool is_https = false;
    std::optional<http::Authority> host; // empty: that of the head
};

} // namespace sallyport::pipeline

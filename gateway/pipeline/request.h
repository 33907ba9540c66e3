// A request as it was received, before any decision about it.
#pragma once

#include "gateway/http/head.h"
#include "gateway/http/target.h"
#include "gateway/pipeline/client.h"
#include "gateway/pipeline/proxied.h"
#include "gateway/pipeline/request_id.h"

#include <array>
#include <memory>
#include <string_view>

namespace sallyport::pipeline {

/// Constant for plugins.
struct Request {
    ClientConnection const& client;
    /// Not null: the connection is that of a proxy, and this is its client.
    std::unique_ptr<ProxiedClient const> proxied;
    RequestId id;
    http::RequestHead
        head; // views into the transport's buffer, which is valid until the exchange ends
    std::array<char, http::max_host_size> host_storage;
    std::string_view host; // lower case, without port
    /// A buffered body once it was read: complete, without its content coding. These bytes are
    /// validated and forwarded.
    std::string_view body;

    /// The client's address as text, without port.
    [[nodiscard]] std::string const& address() const noexcept {
        return proxied == nullptr ? client.address : proxied->address;
    }
    /// The key of that address.
    [[nodiscard]] CallerKey caller() const noexcept {
        return proxied == nullptr ? client.caller : proxied->caller;
    }
    /// Whether the client uses TLS, be it to the gateway or to a proxy.
    [[nodiscard]] bool is_https() const noexcept {
        return proxied == nullptr ? client.is_tls : proxied->is_https;
    }
    /// What the client has asked for.
    [[nodiscard]] http::Authority const& authority() const noexcept {
        return proxied == nullptr || !proxied->host ? head.host : *proxied->host;
    }

    explicit Request(ClientConnection const& its_client) : client{its_client} {}
    Request(Request const&) = delete;
    Request& operator=(Request const&) = delete;
};

} // namespace sallyport::pipeline

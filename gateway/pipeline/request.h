// A request as it was received, before any decision about it.
#pragma once

#include "config/types.h"
#include "gateway/http/head.h"
#include "gateway/http/target.h"
#include "gateway/pipeline/client.h"
#include "gateway/pipeline/proxied.h"
#include "gateway/pipeline/request_id.h"

#include <array>
#include <memory>
#include <optional>
#include <string>
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
    std::string normalized_path; // empty: the path is compared as it was sent
    /// The token that came as a subprotocol of WebSocket, as the Authorization field that it counts
    /// as; null: none did.
    std::unique_ptr<config::Secret const> subprotocol_authorization;
    /// A buffered body once it was read: complete, without its content coding. These bytes are
    /// validated and forwarded.
    std::string_view body;

    /// The path as it is compared, with the digits of escapes in upper case (RFC 3986, 6.2.2.1).
    /// What was sent is forwarded and logged.
    [[nodiscard]] std::string_view path() const noexcept {
        return normalized_path.empty() ? head.target.path : std::string_view{normalized_path};
    }

    /// The value of the Authorization field (RFC 9110, 11.6.2), or what counts as it; none: there
    /// is none.
    [[nodiscard]] std::optional<std::string_view> authorization() const noexcept {
        if (subprotocol_authorization != nullptr) [[unlikely]]
            return subprotocol_authorization->reveal();
        return head.fields.find(http::FieldId::authorization);
    }
    /// Several of them prove nothing, whatever the first one is (RFC 9110, 5.3).
    [[nodiscard]] bool has_several_authorizations() const noexcept {
        return head.fields.is_repeated(http::FieldId::authorization)
               || (subprotocol_authorization != nullptr
                   && head.fields.has(http::FieldId::authorization));
    }

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

// A request as it was received, before any decision about it.
#pragma once

#include "gateway/http/head.h"
#include "gateway/http/target.h"
#include "gateway/pipeline/client.h"
#include "gateway/pipeline/request_id.h"

#include <array>
#include <string_view>

namespace sallyport::pipeline {

/// Constant for plugins.
struct Request {
    ClientConnection const& client;
    RequestId id;
    http::RequestHead
        head; // views into the transport's buffer, which is valid until the exchange ends
    std::array<char, http::max_host_size> host_storage;
    std::string_view host; // lower case, without port
    /// A buffered body once it was read: complete, without its content coding. These bytes are
    /// validated and forwarded.
    std::string_view body;

    explicit Request(ClientConnection const& its_client) : client{its_client} {}
    Request(Request const&) = delete;
    Request& operator=(Request const&) = delete;
};

} // namespace sallyport::pipeline

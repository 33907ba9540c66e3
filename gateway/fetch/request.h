// A request of the gateway's own, and its response.
#pragma once

#include "config/types.h"
#include "gateway/fetch/failure.h"
#include "gateway/fetch/reach.h"
#include "gateway/fetch/url.h"
#include "gateway/net/tls_context.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace sallyport::fetch {

struct Limits {
    std::chrono::milliseconds connect = std::chrono::seconds{5}; // to one address, with TLS
    std::chrono::milliseconds total = std::chrono::seconds{10};  // of everything
    std::size_t body = std::size_t{256} * 1024;                  // of the response, in bytes
};

/// Where requests of one purpose go, and what comes back: made when the configuration is loaded.
/// Immutable; shared by threads.
struct Target {
    Url url;
    std::shared_ptr<net::TlsClientContext const> tls; // needed by https; it verifies name and chain
    Reach reach;
    Limits limits;
    /// In lower case; another one, or none, is a failure.
    std::vector<std::string> media_types{"application/json"};
};

struct Request {
    enum class Method : std::uint8_t { get, post };

    std::shared_ptr<Target const> target;
    Method method = Method::get;
    config::Secret authorization{}; // the value of the Authorization field; empty: none
    std::string content_type{};     // of the body
    config::Secret body{};          // with post only; wiped with the request
};

struct Response {
    config::Secret body; // complete, at most as large as the limit; wiped with the response
    /// How long it may be kept: max-age of Cache-Control less the Age, or nothing said (RFC 9111,
    /// 5.1, 5.2.2). 0: not at all.
    std::optional<std::chrono::seconds> fresh_for;
};

using Result = std::variant<Response, Failure>;

} // namespace sallyport::fetch

// Which web pages of other origins may use an API, as it configures them (CORS).
#pragma once

#include "config/types.h"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace sallyport::config {

/// An origin (RFC 6454, 6.2), or all origins whose hosts end alike.
struct AllowedOrigin {
    std::string text;  // as written: "https://app.example.com", "*", "null"
    std::string begin; // of `https://*.example.com:8443`: "https://"; otherwise empty
    std::string end;   // of it: ".example.com:8443"
    config::Origin place;
};

/// Fetch standard, "HTTP extensions", "CORS protocol".
struct Cors {
    std::vector<AllowedOrigin> origins;              // at least one; "*" stands alone
    std::optional<std::vector<std::string>> methods; // none: `contract`, all that the path has
    std::vector<std::string> headers{"Authorization", "Content-Type"}; // of requests
    std::vector<std::string> expose{"X-Request-Id"};                   // fields of responses
    bool credentials = false; // whether browsers send cookies and their own credentials
    Duration max_age = std::chrono::minutes{10}; // that browsers may keep the result of a preflight
    Origin origin;                               // of the section
    Origin methods_origin;
};

} // namespace sallyport::config

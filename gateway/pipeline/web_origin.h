// The web page that a request comes from, and the pages that an API allows.
#pragma once

#include "config/cors.h"
#include "gateway/http/head.h"

#include <string_view>
#include <vector>

namespace sallyport::pipeline {

/// The lines of Origin (RFC 6454, 7). No browser sends several (7.3).
[[nodiscard]] inline http::FoundLines origin_lines(http::FieldTable const& fields) noexcept {
    return http::find_lines(fields, "origin");
}

/// Whether an origin is one of these, or below one. `*` is no pattern here.
[[nodiscard]] bool is_one_of(std::vector<config::AllowedOrigin> const& allowed,
                             std::string_view origin) noexcept;

} // namespace sallyport::pipeline

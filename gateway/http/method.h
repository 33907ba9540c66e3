// Request methods: Beast's enumeration, and their properties by RFC 9110.
#pragma once

#include <ostream> // verb.hpp needs it and does not include it

#include <boost/beast/http/verb.hpp>

#include <string_view>

namespace sallyport::http {

/// `Method::unknown` is a valid token without a meaning here; its text is in the head.
using Method = boost::beast::http::verb;

/// The method QUERY (draft-ietf-httpbis-safe-method-w-body): safe and idempotent, with a body.
/// Beast does not know it: Method::unknown.
inline constexpr std::string_view query_method = "QUERY";

/// RFC 9110, 9.2.1: does not request a change of state.
[[nodiscard]] constexpr bool is_safe(Method method) {
    return method == Method::get || method == Method::head || method == Method::options
           || method == Method::trace;
}

/// RFC 9110, 9.2.2: sending it twice has the effect of sending it once.
[[nodiscard]] constexpr bool is_idempotent(Method method) {
    return is_safe(method) || method == Method::put || method == Method::delete_;
}

} // namespace sallyport::http

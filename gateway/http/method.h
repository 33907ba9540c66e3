// Request methods: Beast's vocabulary, and what RFC 9110 says of each.
#pragma once

#include <ostream> // verb.hpp needs it and does not include it

#include <boost/beast/http/verb.hpp>

namespace sallyport::http {

/// `Method::unknown` is a method that is a token and nothing more to us; its text is in the head.
using Method = boost::beast::http::verb;

/// RFC 9110, 9.2.1: asks for no change of state.
[[nodiscard]] constexpr bool is_safe(Method method) {
    return method == Method::get || method == Method::head || method == Method::options
           || method == Method::trace;
}

/// RFC 9110, 9.2.2: sending it twice means what sending it once means.
[[nodiscard]] constexpr bool is_idempotent(Method method) {
    return is_safe(method) || method == Method::put || method == Method::delete_;
}

} // namespace sallyport::http

// Status codes: their classes, and the reason phrases that the gateway writes.
#pragma once

#include <ostream> // status.hpp needs it and does not include it
#include <string_view>

#include <boost/beast/http/status.hpp>

namespace sallyport::http {

/// RFC 9110, 15.2: an interim response; the final one follows.
[[nodiscard]] constexpr bool is_interim(unsigned status) {
    return status >= 100 && status <= 199;
}

/// RFC 9110, 15.2.2: the final response in its protocol; the bytes behind it are of another one.
inline constexpr unsigned switching_protocols = 101;

/// RFC 9112, 6.3, rule 1: ends with its head, whatever its fields are.
[[nodiscard]] constexpr bool is_always_without_body(unsigned status) {
    return is_interim(status) || status == 204 || status == 304;
}

/// RFC 9112, 4: clients ignore it; the registered phrase, or "<unknown-status>".
[[nodiscard]] inline std::string_view reason_phrase(unsigned status) {
    // Beast has the names of RFC 7231.
    if (status == 413) return "Content Too Large";
    if (status == 422) return "Unprocessable Content";
    auto const phrase =
        boost::beast::http::obsolete_reason(static_cast<boost::beast::http::status>(status));
    return {phrase.data(), phrase.size()};
}

} // namespace sallyport::http

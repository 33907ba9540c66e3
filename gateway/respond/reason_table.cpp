// The table of reasons: status, title and the sentence that is used if there is no better one.
#include "gateway/respond/reason_table.h"

#include <array>
#include <cstddef>

namespace sallyport::respond {

namespace {

using pipeline::Reason;

// In the order of the enumeration. No decision is a 404: clients understand that as "deleted".
constexpr std::array<ReasonRow, pipeline::reason_words.size()> rows{{
    {Reason::none, 0, "", ""},
    {Reason::unauthenticated, 401, "Authentication is required", "Valid credentials are required"},
    {Reason::forbidden, 403, "The credential does not allow this request",
     "The credential does not allow this request"},
    {Reason::address_denied, 403, "The client's address is not allowed",
     "The client's address is not allowed here"},
    {Reason::origin_denied, 403, "The origin is not allowed",
     "Web pages of this origin are not allowed here"},
    {Reason::unknown_operation, 403, "No such operation",
     "The path belongs to no operation that the gateway knows"},
    {Reason::method_not_allowed, 405, "The operation does not take this method",
     "The method is not allowed here"},
    {Reason::bad_request, 400, "The request is malformed", "The request is malformed"},
    {Reason::bad_parameter, 400, "A parameter has a wrong format",
     "A parameter has a wrong format"},
    {Reason::malformed_body, 400, "The request body is malformed", "The body is malformed"},
    {Reason::contract_violation, 400, "The request body breaks the contract",
     "The body breaks the contract"},
    {Reason::head_too_large, 431, "The request head is too large", "The request head is too large"},
    {Reason::body_too_large, 413, "The request body is too large", "The body is too large"},
    {Reason::unsupported_media_type, 415, "The media type or coding is not supported",
     "The media type or content coding of the body is not supported"},
    {Reason::expectation_failed, 417, "The expectation cannot be met",
     "Only the expectation 100-continue can be met"},
    {Reason::misdirected, 421, "The host is not served on this connection",
     "The host is not the one that this connection was made for"},
    {Reason::timeout, 408, "The request took too long", "The request took too long"},
    {Reason::rate_limited, 429, "Too many requests", "Too many requests"},
    {Reason::upstream_failed, 502, "The upstream failed", "The upstream failed"},
    {Reason::upstream_invalid, 502, "The upstream's response is invalid",
     "The upstream's response is invalid"},
    {Reason::upstream_head_too_large, 502, "The head of the upstream's response is too large",
     "The head of the upstream's response is too large"},
    {Reason::upstream_too_many_fields, 502, "The upstream's response has too many fields",
     "The upstream's response has too many fields"},
    {Reason::upstream_timeout, 504, "The upstream took too long", "The upstream took too long"},
    {Reason::no_upstream, 503, "No upstream can be reached", "No upstream can be reached"},
    {Reason::issuer_unavailable, 503, "The caller cannot be verified now",
     "The caller cannot be verified now; try again later"},
    {Reason::overloaded, 503, "The gateway is overloaded",
     "The gateway is overloaded; try again later"},
    {Reason::draining, 503, "The gateway is shutting down",
     "The gateway is shutting down; try again on a new connection"},
    {Reason::internal_error, 500, "The gateway failed", "The gateway failed"},
    {Reason::client_closed, 0, "", ""},
    {Reason::upstream_incomplete, 0, "", ""},
    {Reason::response_too_slow, 0, "", ""},
    {Reason::tls_failed, 0, "", ""},
    {Reason::bad_proxy_header, 0, "", ""},
    {Reason::too_many_connections, 0, "", ""},
    {Reason::flooded, 0, "", ""},
    {Reason::protocol_failed, 0, "", ""},
    {Reason::tunnel_idle, 0, "", ""},
    {Reason::credential_expired, 0, "", ""},
}};

constexpr bool is_in_order() {
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (static_cast<std::size_t>(rows[i].reason) != i) return false;
    }
    return true;
}
static_assert(is_in_order());

} // namespace

ReasonRow const& row_of(Reason reason) noexcept {
    return rows[static_cast<std::size_t>(reason)];
}

unsigned status_of(Reason reason) noexcept {
    return row_of(reason).status;
}

std::string_view code_of(unsigned status) noexcept {
    switch (status) {
    case 400: return "BAD_REQUEST";
    case 401: return "UNAUTHORIZED";
    case 403: return "FORBIDDEN";
    case 405: return "METHOD_NOT_ALLOWED";
    case 408: return "REQUEST_TIMEOUT";
    case 413: return "CONTENT_TOO_LARGE";
    case 415: return "UNSUPPORTED_MEDIA_TYPE";
    case 417: return "EXPECTATION_FAILED";
    case 421: return "MISDIRECTED_REQUEST";
    case 429: return "TOO_MANY_REQUESTS";
    case 431: return "REQUEST_HEADER_FIELDS_TOO_LARGE";
    case 502: return "BAD_GATEWAY";
    case 503: return "SERVICE_UNAVAILABLE";
    case 504: return "GATEWAY_TIMEOUT";
    default: return "INTERNAL_SERVER_ERROR";
    }
}

} // namespace sallyport::respond

// Errors of streams that have no number in the operating system, and errors reported by
// OpenSSL.
#pragma once

#include "gateway/net/executor.h"

#include <boost/asio/error.hpp>

namespace sallyport::net {

/// Besides these, streams return asio::error::eof (only for an orderly end),
/// asio::error::operation_aborted (after abort() or interrupt()), and the errors of the sockets.
enum class StreamError {
    /// RFC 8446, 6.1: the connection ended without close_notify, so the data may be truncated.
    truncated = 1,
    /// The peer sent bytes that are not TLS, or violated the protocol; OpenSSL's reason is not
    /// available.
    protocol,
    /// The first byte of a connection to the server side is not that of a TLS record; it was not
    /// consumed.
    not_tls,
};

[[nodiscard]] Error make_error_code(StreamError error) noexcept;

/// Values are OpenSSL's packed error codes; the message is OpenSSL's reason.
[[nodiscard]] boost::system::error_category const& tls_category() noexcept;

/// Whether a client has sent no certificate to a server that requires one.
[[nodiscard]] bool is_missing_certificate(Error const& error) noexcept;

/// Values are X509_V_ERR_*: why the peer's certificate is not trusted.
[[nodiscard]] boost::system::error_category const& certificate_category() noexcept;

} // namespace sallyport::net

template <>
struct boost::system::is_error_code_enum<sallyport::net::StreamError> : std::true_type {};

namespace sallyport::net {

/// Whether a party violated the TLS protocol or sent a fatal alert; false for ends of a plain
/// connection.
[[nodiscard]] inline bool is_of_tls(Error const& error) noexcept {
    return error == StreamError::protocol || error.category() == tls_category();
}

} // namespace sallyport::net

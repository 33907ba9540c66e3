// The errors of streams that the operating system has no number for, and those that OpenSSL
// reports.
#pragma once

#include "gateway/net/executor.h"

#include <boost/asio/error.hpp>

namespace sallyport::net {

/// Beside these, streams answer with asio::error::eof (an orderly end, nothing else),
/// asio::error::operation_aborted (after abort() or interrupt()), and the errors of the sockets.
enum class StreamError {
    /// RFC 8446, 6.1: the connection ended without close_notify, so what came before may be cut.
    truncated = 1,
    /// The peer sent something that is not TLS, or broke its rules; the reason OpenSSL gave is
    /// lost.
    protocol,
    /// The first byte of a connection to our server's side is none of a TLS record; it was not
    /// taken.
    not_tls,
};

[[nodiscard]] Error make_error_code(StreamError error) noexcept;

/// Values are OpenSSL's packed error codes; the message is OpenSSL's reason.
[[nodiscard]] boost::system::error_category const& tls_category() noexcept;

/// Values are X509_V_ERR_*: why the peer's certificate is not trusted.
[[nodiscard]] boost::system::error_category const& certificate_category() noexcept;

} // namespace sallyport::net

template <>
struct boost::system::is_error_code_enum<sallyport::net::StreamError> : std::true_type {};

namespace sallyport::net {

/// The peer broke the rules of TLS, or says that we did; nothing that a connection's plain end
/// leads to.
[[nodiscard]] inline bool is_of_tls(Error const& error) noexcept {
    return error == StreamError::protocol || error.category() == tls_category();
}

} // namespace sallyport::net

// OpenSSL over a blocking socket.
#include "tests/hostile/tls_client.h"

#include "tests/support/channel.h"

#include <array>

#include <sys/socket.h>
#include <sys/time.h>

namespace sallyport::test {

Context lax_context(int version) {
    Context context{SSL_CTX_new(TLS_client_method())};
    SSL_CTX_set_security_level(context.get(), 0);
    SSL_CTX_set_min_proto_version(context.get(), version);
    SSL_CTX_set_max_proto_version(context.get(), version);
    SSL_CTX_set_cipher_list(context.get(), "ALL:COMPLEMENTOFALL:@SECLEVEL=0");
    SSL_CTX_clear_options(context.get(), SSL_OP_NO_COMPRESSION);
    SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_CLIENT);
    return context;
}

TlsClient::TlsClient(std::uint16_t port, SSL_CTX* context, SSL_SESSION* session)
    : socket_(connect_tcp(port)), tls_(SSL_new(context)) {
    timeval const limit{10, 0};
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    SSL_set_fd(tls_.get(), socket_.get());
    SSL_set_tlsext_host_name(tls_.get(), "localhost");
    if (session == nullptr) return;
    // A copy: OpenSSL discards a session once another ticket has arrived for it.
    Session const copy{SSL_SESSION_dup(session)};
    SSL_set_session(tls_.get(), copy.get());
}

std::string TlsClient::exchange(std::string const& request) {
    if (SSL_write(tls_.get(), request.data(), static_cast<int>(request.size())) <= 0) return {};
    return read();
}

std::string TlsClient::read() {
    std::array<char, 4096> bytes{};
    auto const got = SSL_read(tls_.get(), bytes.data(), static_cast<int>(bytes.size()));
    if (got <= 0) return {};
    std::string const text{bytes.data(), static_cast<std::size_t>(got)};
    return text.substr(0, text.find("\r\n"));
}

void TlsClient::close() {
    tls_.reset();
    socket_.close();
}

} // namespace sallyport::test

// A client with full control over TLS: versions, suites, sessions, bytes below the records.
#pragma once

#include "tests/support/descriptor.h"

#include <cstdint>
#include <memory>
#include <string>

#include <openssl/ssl.h>

namespace sallyport::test {

struct FreeTls {
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
    /// As after an orderly end, without sending it: otherwise OpenSSL discards the session.
    void operator()(SSL* tls) const {
        SSL_set_shutdown(tls, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
        SSL_free(tls);
    }
    void operator()(SSL_SESSION* session) const { SSL_SESSION_free(session); }
};
using Context = std::unique_ptr<SSL_CTX, FreeTls>;
using Session = std::unique_ptr<SSL_SESSION, FreeTls>;

/// For a client that enables everything that OpenSSL has, of one version.
Context lax_context(int version);

/// A blocking connection with time limits of the socket.
class TlsClient {
public:
    TlsClient(std::uint16_t port, SSL_CTX* context, SSL_SESSION* session = nullptr);

    bool connect() { return SSL_connect(tls_.get()) == 1; }
    /// The status line of the response; empty if there is none.
    std::string exchange(std::string const& request);
    std::string read();
    Session session() { return Session{SSL_get1_session(tls_.get())}; }
    bool is_resumed() const { return SSL_session_reused(tls_.get()) == 1; }
    SSL* tls() { return tls_.get(); }
    int descriptor() const { return socket_.get(); }
    void close();

private:
    Descriptor socket_;
    std::unique_ptr<SSL, FreeTls> tls_;
};

} // namespace sallyport::test

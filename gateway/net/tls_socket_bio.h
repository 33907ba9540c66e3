// The BIO through which OpenSSL uses the socket of a TLS stream: for tls_stream.cpp only.
#pragma once

#include "gateway/net/tls_stream.h"

#include <openssl/bio.h>
#include <openssl/ssl.h>

#include <memory>

namespace sallyport::net {

/// OpenSSL's access to the socket. The socket's results are stored in the stream.
struct SocketBio {
    static TlsStream& stream_of(BIO* bio) { return *static_cast<TlsStream*>(BIO_get_data(bio)); }

    static int read(BIO* bio, char* into, int size) {
        auto& stream = stream_of(bio);
        BIO_clear_retry_flags(bio);
        auto const got = stream.socket_->receive({into, static_cast<std::size_t>(size)});
        if (got) return static_cast<int>(*got);
        if (got.error() == asio::error::would_block) {
            stream.receive_blocked_ = true;
            BIO_set_retry_read(bio);
            return -1;
        }
        if (got.error() == asio::error::eof) {
            stream.saw_eof_ = true;
            return 0;
        }
        stream.io_error_ = got.error();
        return -1;
    }

    /// RFC 8446, 4.6.1: the ticket follows the handshake and no peer waits for it, so it may be
    /// sent with the first response. In TLS 1.2 the end of the handshake follows it.
    [[nodiscard]] static bool is_ticket(SSL const* ssl) {
        return SSL_get_state(ssl) == TLS_ST_SW_SESSION_TICKET;
    }

    static int write(BIO* bio, char const* from, int size) {
        auto& stream = stream_of(bio);
        BIO_clear_retry_flags(bio);
        iovec const piece{const_cast<char*>(from), static_cast<std::size_t>(size)};
        // A short send leaves the rest with OpenSSL, which calls again at once.
        auto const follows = is_ticket(stream.ssl_.get()) ? Socket::Follows::more : stream.follows_;
        auto const sent = stream.socket_->send({&piece, 1}, follows);
        if (sent) return static_cast<int>(*sent);
        if (sent.error() == asio::error::would_block) {
            stream.send_blocked_ = true;
            BIO_set_retry_write(bio);
        } else {
            stream.io_error_ = sent.error();
        }
        return -1;
    }

    static long control(BIO* bio, int command, long, void*) {
        switch (command) {
        case BIO_CTRL_FLUSH: return 1;
        case BIO_CTRL_EOF: return stream_of(bio).saw_eof_ ? 1 : 0;
        default: return 0;
        }
    }

    static void note_alert(SSL const* ssl, int value) {
        auto& stream = stream_of(SSL_get_rbio(ssl));
        if ((value & 0xff) == SSL_AD_CLOSE_NOTIFY) stream.got_close_notify_ = true;
    }

    [[nodiscard]] static BIO_METHOD const* method() {
        struct Free {
            void operator()(BIO_METHOD* made) const noexcept { BIO_meth_free(made); }
        };
        static std::unique_ptr<BIO_METHOD, Free> const made = [] {
            std::unique_ptr<BIO_METHOD, Free> fresh(
                BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "socket of a loop"));
            if (fresh) {
                BIO_meth_set_read(fresh.get(), read);
                BIO_meth_set_write(fresh.get(), write);
                BIO_meth_set_ctrl(fresh.get(), control);
            }
            return fresh;
        }();
        return made.get();
    }
};

} // namespace sallyport::net

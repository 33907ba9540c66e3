// TLS over a socket, our own instead of asio::ssl: no BIO pair, no copies, no buffer while idle.
#pragma once

#include "gateway/net/peer_certificate.h"
#include "gateway/net/socket.h"
#include "gateway/net/stream.h"
#include "gateway/net/tls_buffer_keepers.h"
#include "gateway/net/tls_context.h"

#include <memory>
#include <optional>

namespace sallyport::net {

/// OpenSSL receives directly into its own buffer through a BIO that calls the socket (read-ahead: a
/// record and the bytes behind it in one recv), frees that buffer when it is empty, unless the
/// connection is one of the busiest, and writes one record with one send. Whether an operation may
/// be retried is decided by the socket's result, not by SSL_get_error, which reads the thread's
/// error queue: that may contain errors of other operations.
class TlsStream final : public Stream, private Socket::Watch {
public:
    /// The server side. Keeps a reference to the context, which the handshake uses.
    TlsStream(std::unique_ptr<Socket> socket, Peer peer,
              std::shared_ptr<TlsServerContext const> context);
    /// The client side. `server_name`: the DNS name (sent as SNI) or IP address (not sent: RFC
    /// 6066, 3) that the certificate must match. `session`, if not null, is resumed and stores the
    /// next one.
    TlsStream(std::unique_ptr<Socket> socket, Peer peer, TlsClientContext const& context,
              std::string const& server_name, std::shared_ptr<TlsSession> session = nullptr);
    ~TlsStream() override;

    using Stream::shutdown;
    using Stream::write;

    /// Await it first, once. On the server side OpenSSL's objects are made when a whole record (or
    /// its first 4 KiB) has arrived. StreamError::not_tls if the first bytes are no record: they
    /// stay in the socket, see release_socket(). After a failure close() sends the alert, if there
    /// is one.
    [[nodiscard]] Task<Error> handshake();

    /// After not_tls: the underlying connection. The stream cannot be used afterwards.
    [[nodiscard]] std::unique_ptr<Socket> release_socket() noexcept;

    Result<std::size_t> try_read(std::span<char> into) override;
    Wait wait_readable() override;
    [[nodiscard]] bool has_pending() const noexcept override;
    bool is_quiet() override;
    Task<Error> write(std::span<std::string_view const> pieces) override;
    PeerState watch_peer(PeerWatcher& watcher) override;
    void unwatch_peer() noexcept override;
    void interrupt() noexcept override;
    Task<> shutdown(LingerLimits limits) override;
    void abort() noexcept override;
    void close() noexcept override;
    [[nodiscard]] bool is_open() const noexcept override;
    [[nodiscard]] TlsInfo const* tls() const noexcept override;
    /// On the server side after the handshake: the client's certificate; null: it was not asked
    /// for, or there is none.
    [[nodiscard]] std::unique_ptr<PeerCertificate> peer_certificate() const;
    /// For tests.
    [[nodiscard]] ssl_st* native_handle() const noexcept { return ssl_.get(); }

private:
    friend struct SocketBio;
    enum class Outcome { done, wants_read, wants_write, failed };

    class Records;

    void attach(ssl_ctx_st* context);
    bool has_first_record();
    void begin() noexcept;
    Outcome judge(int result) noexcept;
    void fail(Error error) noexcept;
    void store_info();
    Outcome send(Records& records);
    Task<Error> write_rest(Records records);
    Task<> send_close_notify(Clock::time_point until);
    void look_for_end();
    [[nodiscard]] bool holds_input() const noexcept;
    void notify_watcher();
    void on_input() override;
    void on_end() override;

    std::unique_ptr<Socket> socket_;
    std::shared_ptr<TlsServerContext const> context_; // null on the client side
    SslPointer ssl_;
    TlsBufferKeepers::Keeper keeper_;
    std::shared_ptr<TlsSession> session_;
    std::optional<TlsInfo> info_;
    PeerWatcher* watcher_ = nullptr;
    Error broken_;         // the error of every further operation
    bool at_end_ = false;  // close_notify was received, and all data before it has been read
    bool starved_ = false; // OpenSSL needs more bytes than the socket had
    bool read_wants_write_ = false;

    // Results of the socket during the current operation.
    Error io_error_;
    bool saw_eof_ = false;
    bool receive_blocked_ = false;
    bool send_blocked_ = false;
    Socket::Follows follows_ = Socket::Follows::nothing; // after the current record
    bool got_close_notify_ = false;
};

} // namespace sallyport::net

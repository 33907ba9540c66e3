// TLS over a socket.
#include "gateway/net/tls_stream.h"

#include "gateway/net/loop.h"
#include "gateway/net/tls_records.h"
#include "gateway/net/tls_session.h"
#include "gateway/net/tls_socket_bio.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstring>

namespace sallyport::net {

namespace {

// RFC 8446, 6: notes which alert was received. OpenSSL tells a close_notify apart from a fatal
// alert only through the thread's error queue.
void on_info(SSL const* ssl, int where, int value);

} // namespace

namespace {

void on_info(SSL const* ssl, int where, int value) {
    if ((where & SSL_CB_READ_ALERT) == SSL_CB_READ_ALERT) SocketBio::note_alert(ssl, value);
}

// The certificate must be for this name: RFC 9525, 6. SNI never contains an address: RFC 6066, 3.
bool expect_name(SSL* ssl, std::string const& name) {
    X509_VERIFY_PARAM* const expected = SSL_get0_param(ssl);
    X509_VERIFY_PARAM_set_hostflags(expected, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS
                                                  | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
    if (X509_VERIFY_PARAM_set1_ip_asc(expected, name.c_str()) == 1) return true;
    ERR_clear_error(); // it is not an address
    return !name.empty() && SSL_set_tlsext_host_name(ssl, name.c_str()) == 1
           && X509_VERIFY_PARAM_set1_host(expected, name.data(), name.size()) == 1;
}

Error take_openssl_error() {
    auto const code = ERR_peek_last_error();
    ERR_clear_error();
    if (code == 0) return StreamError::protocol;
    return {static_cast<int>(code), tls_category()};
}

} // namespace

TlsStream::TlsStream(std::unique_ptr<Socket> socket, Peer peer,
                     std::shared_ptr<TlsServerContext const> context)
    : socket_{std::move(socket)}, context_{std::move(context)},
      keeper_{socket_->loop().tls_buffer_keepers()} {
    peer_ = std::move(peer);
}

TlsStream::TlsStream(std::unique_ptr<Socket> socket, Peer peer, TlsClientContext const& context,
                     std::string const& server_name, std::shared_ptr<TlsSession> session)
    : socket_{std::move(socket)}, keeper_{socket_->loop().tls_buffer_keepers()}, session_{std::move(
                                                                                     session)} {
    peer_ = std::move(peer);
    attach(context.context());
    if (!ssl_) return;
    SSL_set_connect_state(ssl_.get());
    if (!expect_name(ssl_.get(), server_name)) fail(take_openssl_error());
    if (!session_) return;
    SSL_set_ex_data(ssl_.get(), session_index(), session_.get());
    if (session_->get() != nullptr) SSL_set_session(ssl_.get(), session_->get());
}

TlsStream::~TlsStream() {
    abort();
    if (!ssl_) return;
    // SSL_free invalidates the session of a connection that sent no close_notify. If the connection
    // had no error, the way it was closed does not affect its session.
    if (!broken_ || broken_ == asio::error::operation_aborted)
        SSL_set_shutdown(ssl_.get(), SSL_SENT_SHUTDOWN);
}

void TlsStream::attach(ssl_ctx_st* context) {
    ssl_.reset(SSL_new(context));
    BIO* const bio =
        ssl_ && SocketBio::method() != nullptr ? BIO_new(SocketBio::method()) : nullptr;
    if (bio == nullptr) {
        ssl_.reset();
        return fail(take_openssl_error());
    }
    BIO_set_data(bio, this);
    BIO_set_init(bio, 1);
    SSL_set_bio(ssl_.get(), bio, bio);
    SSL_set_info_callback(ssl_.get(), on_info);
}

void TlsStream::fail(Error error) noexcept {
    if (!broken_) broken_ = error;
}

void TlsStream::begin() noexcept {
    io_error_ = {};
    saw_eof_ = false;
    receive_blocked_ = false;
    send_blocked_ = false;
    follows_ = Socket::Follows::nothing;
}

// Interprets the result of an OpenSSL operation; sets `broken_` or `at_end_` if it failed.
TlsStream::Outcome TlsStream::judge(int result) noexcept {
    if (result > 0) return Outcome::done;
    if (receive_blocked_) return Outcome::wants_read;
    // An alert that does not fit into the socket must not hide the error that caused it.
    if (send_blocked_ && ERR_peek_error() == 0) return Outcome::wants_write;
    if (saw_eof_) {
        // First: the alert that OpenSSL sends because of it often fails as well.
        fail(StreamError::truncated);
    } else if (io_error_) {
        fail(io_error_);
    } else if (got_close_notify_ && !at_end_) {
        at_end_ = true;
    } else if (SSL_get_verify_result(ssl_.get()) != X509_V_OK) {
        fail({static_cast<int>(SSL_get_verify_result(ssl_.get())), certificate_category()});
    } else {
        fail(take_openssl_error());
    }
    ERR_clear_error();
    return Outcome::failed;
}

// Before a ClientHello arrives a connection costs its socket and a frame, and not the 44 KiB that
// OpenSSL needs. False: more bytes are needed. RFC 8446, 5.1: a record begins with its type, a
// version and its length. A hello in several records begins with the first.
bool TlsStream::has_first_record() {
    constexpr unsigned char handshake_type = 22;
    constexpr std::size_t header = 5;
    std::array<char, 4096> bytes;
    auto const got = socket_->peek(bytes);
    if (!got && got.error() == asio::error::would_block) return false;
    if (!got) {
        bool const is_end = got.error() == asio::error::eof;
        fail(is_end ? Error(StreamError::truncated) : got.error());
        return true;
    }
    auto const byte = [&](std::size_t at) { return static_cast<unsigned char>(bytes[at]); };
    std::size_t const size = *got < header ? header : header + byte(3) * 256U + byte(4);
    if (byte(0) != handshake_type) {
        fail(StreamError::not_tls);
    } else if (*got < std::min(size, bytes.size())) {
        if (!socket_->has_ended()) {
            socket_->await_more();
            return false;
        }
        fail(StreamError::truncated);
    }
    return true;
}

Task<Error> TlsStream::handshake() {
    while (context_ && !ssl_ && !broken_) {
        if (!has_first_record()) {
            if (auto const error = co_await socket_->wait_readable()) fail(error);
        } else if (!broken_) {
            attach(context_->default_context());
            if (ssl_) SSL_set_accept_state(ssl_.get());
        }
    }
    while (!broken_) {
        begin();
        switch (judge(SSL_do_handshake(ssl_.get()))) {
        case Outcome::done: store_info(); co_return Error{};
        case Outcome::wants_read:
            if (auto const error = co_await socket_->wait_readable()) fail(error);
            break;
        case Outcome::wants_write:
            if (auto const error = co_await socket_->wait_writable()) fail(error);
            break;
        case Outcome::failed:
            if (at_end_) fail(asio::error::eof);
            break;
        }
    }
    co_return broken_;
}

void TlsStream::store_info() {
    auto& info = info_.emplace();
    info.version = SSL_get_version(ssl_.get());
    info.cipher = SSL_CIPHER_get_name(SSL_get_current_cipher(ssl_.get()));
    if (long const group = SSL_get_negotiated_group(ssl_.get()); group != NID_undef) {
        char const* const name = SSL_group_to_name(ssl_.get(), static_cast<int>(group));
        if (name != nullptr) info.group = name;
    }
    info.resumed = SSL_session_reused(ssl_.get()) == 1 ? Resumed::yes : Resumed::no;
    unsigned char const* protocol = nullptr; // of the connection
    unsigned size = 0;
    SSL_get0_alpn_selected(ssl_.get(), &protocol, &size);
    info.protocol = {reinterpret_cast<char const*>(protocol), size};
    if (char const* name = SSL_get_servername(ssl_.get(), TLSEXT_NAMETYPE_host_name)) {
        info.server_name = name;
        for (char& c : info.server_name)
            if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
    }
}

Result<std::size_t> TlsStream::try_read(std::span<char> into) {
    if (broken_) return broken_;
    if (at_end_) return Error(asio::error::eof);
    bool const is_worth_it = socket_->can_receive() || (read_wants_write_ && socket_->is_writable())
                             || (!starved_ && SSL_has_pending(ssl_.get()) == 1);
    if (!is_worth_it) return Error(asio::error::would_block);
    begin();
    std::size_t got = 0;
    auto const outcome = judge(SSL_read_ex(ssl_.get(), into.data(), into.size(), &got));
    starved_ = outcome == Outcome::wants_read;
    read_wants_write_ = outcome == Outcome::wants_write;
    if (outcome == Outcome::done) {
        keeper_.use(ssl_.get());
        return got;
    }
    if (outcome == Outcome::failed) return at_end_ ? Error(asio::error::eof) : broken_;
    return Error(asio::error::would_block);
}

Wait TlsStream::wait_readable() {
    bool const has_something = broken_ || at_end_ || socket_->can_receive()
                               || (!starved_ && SSL_has_pending(ssl_.get()) == 1);
    if (has_something) return Wait::ended();
    // OpenSSL responds to a key update (RFC 8446, 4.6.3) while it reads.
    return socket_->wait_readable(read_wants_write_ ? Socket::Wake::when_readable_or_writable
                                                    : Socket::Wake::when_readable);
}

bool TlsStream::has_pending() const noexcept {
    if (!ssl_) return broken_ || socket_->is_readable();
    return broken_ || at_end_ || socket_->is_readable()
           || (!starved_ && SSL_has_pending(ssl_.get()) == 1);
}

bool TlsStream::is_quiet() {
    if (broken_ || at_end_) return false;
    if (!holds_input() && socket_->is_quiet()) return true;
    // Probably a session ticket or new keys, which are not part of a response. The bytes behind
    // them, even half a record, are checked again.
    look_for_end();
    return !broken_ && !at_end_ && !holds_input() && socket_->is_quiet();
}

// Whether OpenSSL holds bytes that it has not processed. SSL_has_pending does not count a record's
// header that arrived alone.
bool TlsStream::holds_input() const noexcept {
    return SSL_has_pending(ssl_.get()) == 1
           || std::string_view{SSL_rstate_string(ssl_.get())} == "RB";
}

// Sends until nothing is left (done), the socket is full (wants_write), or the connection failed.
TlsStream::Outcome TlsStream::send(Records& records) {
    while (!records.is_empty() && !broken_) {
        auto const record = records.next();
        begin();
        follows_ =
            records.has_more_than(record.size()) ? Socket::Follows::more : Socket::Follows::nothing;
        std::size_t sent = 0;
        auto const outcome = judge(SSL_write_ex(ssl_.get(), record.data(), record.size(), &sent));
        if (outcome != Outcome::done) return outcome;
        records.skip(sent);
    }
    return broken_ ? Outcome::failed : Outcome::done;
}

Task<Error> TlsStream::write(std::span<std::string_view const> pieces) {
    Records records(pieces, socket_->loop().buffers());
    auto const outcome = send(records);
    // Half a record may have been sent: without the rest the peer cannot read anything that
    // follows.
    if (outcome == Outcome::wants_write) return write_rest(std::move(records));
    // Renegotiation is off, so a write never waits for the peer.
    if (outcome == Outcome::wants_read) fail(StreamError::protocol);
    if (outcome == Outcome::failed) fail(asio::error::eof);
    return Task<Error>::ended(broken_);
}

Task<Error> TlsStream::write_rest(Records records) {
    for (;;) {
        if (auto const error = co_await socket_->wait_writable()) fail(error);
        auto const outcome = send(records);
        if (outcome == Outcome::wants_write) continue;
        if (outcome == Outcome::wants_read) fail(StreamError::protocol);
        if (outcome == Outcome::failed) fail(asio::error::eof);
        co_return broken_;
    }
}

PeerState TlsStream::watch_peer(PeerWatcher& watcher) {
    if (broken_ || at_end_ || socket_->has_ended()) return PeerState::gone;
    if (socket_->is_readable()) look_for_end();
    if (broken_ || at_end_) return PeerState::gone;
    watcher_ = &watcher;
    socket_->watch(*this);
    return PeerState::present;
}

void TlsStream::unwatch_peer() noexcept {
    watcher_ = nullptr;
    socket_->unwatch();
}

// Whether the received bytes are data, which stay, or a close_notify. Does not look behind data.
void TlsStream::look_for_end() {
    if (SSL_pending(ssl_.get()) > 0) return;
    begin();
    char byte = 0;
    std::size_t got = 0;
    auto const outcome = judge(SSL_peek_ex(ssl_.get(), &byte, 1, &got));
    starved_ = outcome == Outcome::wants_read;
    read_wants_write_ = outcome == Outcome::wants_write;
}

void TlsStream::notify_watcher() {
    socket_->unwatch();
    if (auto* const watcher = std::exchange(watcher_, nullptr)) watcher->peer_gone();
}

void TlsStream::on_input() {
    look_for_end();
    if (broken_ || at_end_) notify_watcher();
}

void TlsStream::on_end() {
    notify_watcher();
}

std::unique_ptr<Socket> TlsStream::release_socket() noexcept {
    return std::move(socket_);
}

void TlsStream::interrupt() noexcept {
    if (socket_) socket_->interrupt();
}

Task<> TlsStream::send_close_notify(Clock::time_point until) {
    auto deadline = Deadline::calling<&Socket::interrupt>(socket_->loop().deadlines(), *socket_);
    deadline.arm_at(until);
    while (!broken_) {
        begin();
        int const result = SSL_shutdown(ssl_.get());
        // 0: sent, and the peer's has not arrived, which need not be awaited (RFC 8446, 6.1).
        if (result >= 0 || judge(result) != Outcome::wants_write) break;
        if (auto const error = co_await socket_->wait_writable()) fail(error);
    }
    ERR_clear_error();
}

Task<> TlsStream::shutdown(LingerLimits limits) {
    unwatch_peer();
    auto const until = Clock::now() + limits.time;
    if (info_) co_await send_close_notify(until);
    // Truncated data must not look complete. Before the end of the handshake there is none, and a
    // reset would overtake the alert: a client of TLS 1.3 has sent its request already.
    if (broken_ && info_) co_return abort();
    socket_->shut_down_sending();
    limits.time = until - Clock::now();
    co_await socket_->drain(limits);
    close();
}

void TlsStream::abort() noexcept {
    if (!socket_) return;
    unwatch_peer();
    socket_->abort();
    fail(asio::error::operation_aborted);
}

void TlsStream::close() noexcept {
    if (!socket_) return;
    if (info_ && !broken_ && socket_->is_open()) {
        begin();
        SSL_shutdown(ssl_.get());
        ERR_clear_error();
    }
    unwatch_peer();
    // A broken response must not look complete. Before the end of the handshake there is none, and
    // a reset might overtake the alert.
    if (broken_ && info_) {
        socket_->abort();
    } else {
        socket_->close();
    }
    fail(asio::error::operation_aborted);
}

bool TlsStream::is_open() const noexcept {
    return socket_ && socket_->is_open();
}

TlsInfo const* TlsStream::tls() const noexcept {
    return info_ ? &*info_ : nullptr;
}

std::unique_ptr<PeerCertificate> TlsStream::peer_certificate() const {
    bool const was_asked_for = context_ && context_->clients() && info_;
    return was_asked_for ? read_peer_certificate(ssl_.get()) : nullptr;
}

} // namespace sallyport::net

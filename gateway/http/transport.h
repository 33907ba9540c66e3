// Carries one request of a client and its response, in any version of
// HTTP.
#pragma once

#include "gateway/http/added_field.h"
#include "gateway/http/chunk.h"
#include "gateway/http/head.h"
#include "gateway/http/refusal.h"
#include "gateway/net/executor.h"
#include "gateway/net/stream.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace sallyport::http {

/// The next part of a request body, without its transfer coding.
struct BodyPart {
    std::string_view bytes;    // valid until the next call; may be empty before the end
    bool complete = false;     // the last part
    Refused refused = nullptr; // its framing is invalid or it is too large: no more can be read
    net::Error error;          // the connection failed; `timed_out` if the client was too slow
};

/// How much of a body one part contains. `whole_if_it_fits`: if the length is known and there is
/// room behind the head, one part contains all of it, so that nothing is copied. `whole_if_small`:
/// if the length is known and no more than the size of a part (64 KiB), one part contains all of
/// it.
enum class Gather : std::uint8_t { parts, whole_if_it_fits, whole_if_small };

/// The head of a response to the client, ours or an upstream's, without its framing, which the
/// transport adds. Its views are read before send_head() returns.
struct OutgoingHead {
    unsigned status = 500;
    std::string_view reason; // as sent by the upstream; empty: the registered one
    std::span<std::string_view const>
        kept; // runs of whole field lines of the upstream, each ending in CR LF
    std::span<AddedField const> added;
    std::optional<std::uint64_t> length; // Content-Length; empty: unknown, or not to be sent
    bool has_body = false;               // false: HEAD, 204, 304 (RFC 9112, 6.3)
    bool lasts = false;                  // a stream: of use while it comes (RFC 9218, 4.2)
};

/// The result of reading a head.
enum class HeadRead : std::uint8_t {
    complete, // passes the framing policy
    refused,  // refused by the framing policy: respond, then close
    closed,   // the connection ended before its first byte: nothing to respond to or log
    broken,   // the connection failed within it
    timeout,  // it was not complete in time
    not_tls,  // invalid records, or an alert: logged, without a response
};

/// Why an exchange has no client any more.
struct ClientLoss {
    enum class Kind : std::uint8_t {
        closed,          // the client has closed the connection, or has reset its stream
        too_slow,        // HTTP/2: this and the next three ended its connection, or its stream
        flooded,         // what it sends costs too much
        protocol_failed, // it violates the protocol
        gateway_failed,  // an exception of the gateway has ended its connection of HTTP/2
        cut_off,         // Codec::cut_off()
    };
    Kind kind = Kind::closed;
    std::string_view note; // a constant: what was wrong; empty: nothing
};

inline constexpr ClientLoss of_cut_off{ClientLoss::Kind::cut_off,
                                       "a reload removed the listener, and drain was over"};

/// Owned by the coroutine that serves the connection (HTTP/1) or the stream (HTTP/2).
class Transport {
public:
    virtual ~Transport() = default;

    /// Reads the head of a request that has begun. The views of `head` are valid until the exchange
    /// has ended. After `refused`, refused() returns the reason.
    virtual net::Task<HeadRead> read_head(RequestHead& head) = 0;
    /// The reason after read_head() returned `refused`.
    [[nodiscard]] virtual Refused refused() const noexcept = 0;

    /// Reads the next part of the body. After more than `limit` bytes in total it is `refused`.
    virtual net::Task<BodyPart> read_body(std::uint64_t limit, Gather gather) = 0;

    /// The lines of the request's trailers, each ending in CR LF, once the body is complete; until
    /// the exchange has ended. Empty: there are none, or the head does not announce any (RFC 9110,
    /// 6.6.2).
    [[nodiscard]] virtual std::string_view trailers() const noexcept = 0;

    /// Ends a pending read of the body with an error, and the connection with this response.
    virtual void stop_reading_body() noexcept = 0;

    /// RFC 9110, 15.2.1: tells the client to send its body. No effect if the client does not wait
    /// for it.
    virtual net::Task<net::Error> send_continue() = 0;

    /// Sends the head together with the first bytes of the body. Once per request. With status 101
    /// the client speaks another protocol from then on: what it sends is read as a body, without
    /// time limits, that is complete when the client has ended its connection in order.
    virtual net::Task<net::Error> send_head(OutgoingHead const& head, std::string_view first,
                                            Ends ends) = 0;
    /// Sends the next bytes of the body, which may be empty at its end.
    virtual net::Task<net::Error> send_body(std::string_view bytes, Ends ends) = 0;
    /// Ends the body, in place of `Ends::yes`, with trailers: valid lines, 8 KiB at most, each
    /// ending in CR LF, which must stay valid until the task ends. They are left out of a body
    /// whose framing has no place for them (RFC 9112, 6).
    virtual net::Task<net::Error> send_trailers(std::string_view lines) = 0;

    /// Closes the connection, or the stream, after this response: announced in its head, if that
    /// was not sent yet.
    virtual void close_after_response() noexcept = 0;

    /// Ends the exchange after its response: discards the rest of the request's body within limits.
    /// `no`: the connection cannot carry another request.
    virtual net::Task<KeepAlive> finish_exchange() = 0;

    /// Ends so that the client cannot take the bytes that it has for a complete
    /// response.
    virtual void abort() noexcept = 0;

    /// Calls `watcher` once when the client closes; if it has closed already the result says
    /// so.
    [[nodiscard]] virtual net::PeerState watch_client(net::PeerWatcher& watcher) = 0;
    /// Ends the watch; the watcher is not called afterwards.
    virtual void unwatch_client() noexcept = 0;
    /// For an exchange that has lost its client, from then until its end. A connection of HTTP/1
    /// has no fault of its own: what is wrong is refused with the request.
    [[nodiscard]] virtual ClientLoss client_loss() const noexcept { return {}; }

    [[nodiscard]] virtual Protocol protocol() const noexcept = 0;
    /// The largest part of a relayed body, in bytes.
    [[nodiscard]] virtual std::size_t part_size() const noexcept = 0;
    /// Whether the head of the response has been written.
    [[nodiscard]] virtual bool head_sent() const noexcept = 0;
    /// Whether all of the request's body has been read.
    [[nodiscard]] virtual bool body_complete() const noexcept = 0;
    /// Bytes of this exchange, heads included, above TLS.
    [[nodiscard]] virtual std::uint64_t bytes_in() const noexcept = 0;
    [[nodiscard]] virtual std::uint64_t bytes_out() const noexcept = 0;
};

} // namespace sallyport::http

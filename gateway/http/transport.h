// What carries one request and its response, whatever the version of HTTP: the side that faces the
// client.
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

/// The next part of a request body, taken out of its transfer coding.
struct BodyPart {
    std::string_view bytes;    // good until the next call; may be empty before the end
    bool complete = false;     // nothing follows
    Refused refused = nullptr; // its framing is broken or it is too large: nothing more can be read
    net::Error error;          // the connection failed; `timed_out` where the client was too slow
};

/// How eagerly a body is read. `whole_if_it_fits`: where the length is known and there is room
/// behind the head, one part holds all of it, so that nothing is copied. `whole_if_small`: where
/// the length is known and no more than a part may have (64 KiB), one part holds all of it.
enum class Gather : std::uint8_t { parts, whole_if_it_fits, whole_if_small };

/// The head of a response to the client, ours or an upstream's, but for its framing, which is the
/// transport's own. What it views is read before send_head() returns.
struct OutgoingHead {
    unsigned status = 500;
    std::string_view reason; // as the upstream sent it; empty: the registered one
    std::span<std::string_view const>
        kept; // runs of whole field lines of the upstream, each ending in CR LF
    std::span<AddedField const> added;
    std::optional<std::uint64_t> length; // Content-Length; none: unknown, or not to be told
    bool has_body = false;               // false: HEAD, 204, 304 (RFC 9112, 6.3)
};

/// What came of reading a head.
enum class HeadRead : std::uint8_t {
    complete, // a head that the framing policy believes
    refused,  // a head that it does not: respond, then close
    closed,   // the connection ended before the first byte of it: nothing to respond to or log
    broken,   // the connection failed within it
    timeout,  // it did not end in time
    not_tls,  // records that are none, or an alert: nobody to respond to, but a line
};

/// Owned by the coroutine that serves the connection (HTTP/1) or the stream (HTTP/2).
class Transport {
public:
    virtual ~Transport() = default;

    /// Reads the head of a request that has begun. The views of `head` stay good until the exchange
    /// has ended. refused() says why, where the result is so.
    virtual net::Task<HeadRead> read_head(RequestHead& head) = 0;
    [[nodiscard]] virtual Refused refused() const noexcept = 0;

    /// Never returns more than `limit` bytes in all: one byte more is `refused`.
    virtual net::Task<BodyPart> read_body(std::uint64_t limit, Gather gather) = 0;

    /// A read of the body that waits ends with an error, and the connection with this response.
    virtual void stop_reading_body() noexcept = 0;

    /// RFC 9110, 15.2.1: the client may send its body now. Does nothing where it does not wait for
    /// it.
    virtual net::Task<net::Error> send_continue() = 0;

    /// The head, and the first bytes of the body with it. Once per request.
    virtual net::Task<net::Error> send_head(OutgoingHead const& head, std::string_view first,
                                            Ends ends) = 0;
    /// The next bytes of the body, which may be none where it ends.
    virtual net::Task<net::Error> send_body(std::string_view bytes, Ends ends) = 0;

    /// This answer ends the connection, or the stream: said in its head, if that was not sent yet.
    virtual void close_after_response() noexcept = 0;

    /// Ends the exchange behind its response: what is left of the request's body is thrown away
    /// within limits. `no`: nothing else can come over the connection.
    virtual net::Task<KeepAlive> finish_exchange() = 0;

    /// Ends without looking complete: what the client has so far cannot be taken for the whole
    /// answer.
    virtual void abort() noexcept = 0;

    /// `watcher` is told once when the client goes away; where it is gone already the result says
    /// so.
    [[nodiscard]] virtual net::PeerState watch_client(net::PeerWatcher& watcher) = 0;
    virtual void unwatch_client() noexcept = 0;

    [[nodiscard]] virtual Protocol protocol() const noexcept = 0;
    /// Of a body that is relayed, in bytes: no part is larger.
    [[nodiscard]] virtual std::size_t part_size() const noexcept = 0;
    [[nodiscard]] virtual bool head_sent() const noexcept = 0;
    /// Whether all of the request's body has been read.
    [[nodiscard]] virtual bool body_complete() const noexcept = 0;
    /// Bytes of this exchange, heads included, above TLS.
    [[nodiscard]] virtual std::uint64_t bytes_in() const noexcept = 0;
    [[nodiscard]] virtual std::uint64_t bytes_out() const noexcept = 0;
};

} // namespace sallyport::http

// Carries one request to an upstream and its response, in any version of HTTP: bytes and framing,
// without policy.
#pragma once

#include "gateway/http/chunk.h"
#include "gateway/http/head.h"
#include "gateway/http/head_writer.h"
#include "gateway/http/transport.h"
#include "gateway/net/buffers.h"
#include "gateway/net/executor.h"
#include "gateway/net/stream.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace sallyport::http {

/// The beginning of the head of a request.
struct RequestLine {
    std::string_view method;
    std::string_view path;
    std::string_view query; // with its question mark; may be empty
    std::string_view host;
    /// The fields ask for another protocol. A 101 is then the final response, and what follows it
    /// the body, without an end but that of the connection, as is what is sent.
    bool asks_upgrade = false;
    /// What the head of the response may have.
    HeadLimits response = {};
};

/// The end of the head of a request.
struct RequestEnd {
    /// A `length` of 0 declares an empty body; `none` declares nothing.
    BodyFraming body;
    bool has_secret = false; // of the gateway: the text of the head is wiped once it is written
};

/// The result of reading a head.
struct ResponseRead {
    enum class State : std::uint8_t {
        incomplete, // more bytes are needed
        complete,
        refused, // by the framing policy, or too many interim responses
        failed,  // the connection failed
    };
    State state = State::incomplete;
    std::string_view rule; // the violated rule; a literal
    net::Error error;
};

/// Owned together with its connection; carries one exchange after another, each on one coroutine,
/// except the request's body, which a second coroutine may send at the same time.
class ClientExchange {
public:
    virtual ~ClientExchange() = default;

    /// Begins an exchange. Add the fields of the head except Host and framing to the result, `room`
    /// bytes at most, and pass it to send_head().
    virtual HeadWriter begin_head(RequestLine const& line, std::size_t room) = 0;
    /// `body`: all of it or its first bytes; empty if it is chunked. It must stay valid until the
    /// task ends.
    virtual net::Task<net::Error> send_head(HeadWriter head, RequestEnd const& end,
                                            std::string_view body) = 0;
    /// Sends more of the body, in order.
    virtual net::Task<net::Error> send_body(std::string_view bytes, Ends ends) = 0;
    /// Ends a chunked body, in place of `Ends::yes`, with trailers: valid lines, each ending in CR
    /// LF, which must stay valid until the task ends.
    virtual net::Task<net::Error> send_trailers(std::string_view lines) = 0;

    /// Returns when read_head() or read_more() is worth a call. Holds no buffer meanwhile, if
    /// free_input() was called.
    virtual net::Wait wait_for_response() = 0;
    /// Reads the bytes that have arrived, never waits. Interim responses (1xx) are skipped. The
    /// views of `head` are valid until the next exchange begins or this one is released.
    virtual ResponseRead read_head(ResponseHead& head) = 0;
    /// Whether a byte of the response has arrived.
    [[nodiscard]] virtual bool has_response() const noexcept = 0;

    /// The part of the body that has arrived; its bytes are valid until the next call. `refused`:
    /// its framing is invalid. False: more must be read.
    virtual bool take_part(BodyPart& part) = 0;
    /// The lines of the response's trailers, each ending in CR LF, once the body is complete; until
    /// release(). Empty: there are none, or the head does not announce any (RFC 9110, 6.6.2).
    [[nodiscard]] virtual std::string_view trailers() const noexcept = 0;
    /// Reads more of it, `part_size` bytes at most. An error means that the body is truncated.
    virtual net::Task<net::Error> read_more(std::size_t part_size) = 0;

    /// Between two parts: frees the memory of those before, and of the head.
    virtual void free_input() noexcept = 0;
    /// Ends a pending wait, read or write with operation_aborted.
    virtual void interrupt() noexcept = 0;

    /// Whether request and response are complete, no bytes are left over, and the peer accepts
    /// another request.
    [[nodiscard]] virtual bool is_reusable() const noexcept = 0;
    /// Ends the exchange and frees its buffers.
    virtual void release() noexcept = 0;
    /// Ends the connection so that the peer cannot take a truncated message for complete.
    virtual void abort() noexcept = 0;
};

/// HTTP/1.1. `stream` and `buffers` outlive the result.
std::unique_ptr<ClientExchange> make_client_exchange(net::Stream& stream, net::Buffers& buffers);

} // namespace sallyport::http

// What carries one request of ours and the response to it, whatever the version of HTTP: bytes and
// framing, and no policy.
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

/// What the head of a request begins with.
struct RequestLine {
    std::string_view method;
    std::string_view path;
    std::string_view query; // with its question mark; may be empty
    std::string_view host;
};

/// What its head ends with.
struct RequestEnd {
    /// A `length` of 0 says that there is no body; `none` says nothing.
    BodyFraming body;
    bool has_secret = false; // of ours: the text of the head is wiped once it is written
};

/// What reading a head came to.
struct ResponseRead {
    enum class State : std::uint8_t {
        incomplete, // more has to come
        complete,
        refused, // by the framing policy, or there were too many interim ones
        failed,  // the connection did
    };
    State state = State::incomplete;
    std::string_view rule; // which it broke; a literal
    net::Error error;
};

/// Owned with its connection; carries one exchange after another, of one coroutine each, but for
/// the request's body, which another coroutine may send meanwhile.
class ClientExchange {
public:
    virtual ~ClientExchange() = default;

    /// Begins an exchange. What is returned takes the fields of its head but for Host and framing,
    /// `room` bytes at most, and goes to send_head().
    virtual HeadWriter begin_head(RequestLine const& line, std::size_t room) = 0;
    /// `body`: its first bytes or all of it, and none where it is chunked. It stays until the task
    /// ends.
    virtual net::Task<net::Error> send_head(HeadWriter head, RequestEnd const& end,
                                            std::string_view body) = 0;
    /// More of the body, in order.
    virtual net::Task<net::Error> send_body(std::string_view bytes, Ends ends) = 0;

    /// Returns when read_head() is worth a call.
    virtual net::Wait wait_for_response() = 0;
    /// Reads what is there, and never waits. Interim responses (1xx) are passed over. The views of
    /// `head` stay good until the next exchange begins or this one is released.
    virtual ResponseRead read_head(ResponseHead& head) = 0;
    /// Whether a byte of the response has come.
    [[nodiscard]] virtual bool has_response() const noexcept = 0;

    /// The next part of the body as far as it is there; its bytes stay until the next call.
    /// `refused`: its framing is broken. False: more has to be read.
    virtual bool take_part(BodyPart& part) = 0;
    /// Reads more of it, `part_size` bytes at most. An error: the body broke off.
    virtual net::Task<net::Error> read_more(std::size_t part_size) = 0;

    /// Whether request and response are complete, nothing is left over, and the peer takes another
    /// request.
    [[nodiscard]] virtual bool is_reusable() const noexcept = 0;
    /// The exchange is over: what it needed memory for goes.
    virtual void release() noexcept = 0;
    /// Ends the connection so that nobody takes what he has for complete.
    virtual void abort() noexcept = 0;
};

/// HTTP/1.1. Both outlive it.
std::unique_ptr<ClientExchange> make_client_exchange(net::Stream& stream, net::Buffers& buffers);

} // namespace sallyport::http

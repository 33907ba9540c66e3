// The framing policy: the checks that a head must pass before any other code reads it.
#pragma once

#include "gateway/http/refusal.h"
#include "gateway/http/target.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace sallyport::http {

struct RequestHead;
struct ResponseHead;

struct HeadLimits {
    std::size_t head = 16UL * 1024; // bytes, line ends included
    std::size_t line = 0xffff;      // bytes of the longest line, its end not included; never more
    std::size_t fields = 100;       // at most FieldTable::capacity
    PathSpellings path = {};
};

enum class KeepAlive : std::uint8_t { no, yes };
enum class ExpectContinue : std::uint8_t { no, yes };

/// RFC 9112, 6.3: how the end of the body is determined.
struct BodyFraming {
    /// `chunked`: a length that is known only at the end; of a request in HTTP/2, the end is that
    /// of the stream.
    enum class Kind : std::uint8_t { none, length, chunked, until_close };
    Kind kind = Kind::none;
    std::uint64_t length =
        0; // of `length`; never 0 there: a request with `Content-Length: 0` has `none`

    friend bool operator==(BodyFraming const&, BodyFraming const&) = default;
};

struct RequestFraming {
    BodyFraming body;
    KeepAlive keep_alive = KeepAlive::no;
    ExpectContinue expect_continue = ExpectContinue::no; // yes only if a body follows
};

struct ResponseFraming {
    BodyFraming body; // `none` also for a response to HEAD, 204, 304 and every 1xx
    KeepAlive keep_alive = KeepAlive::no;
    /// `Content-Length` as sent by the upstream: with HEAD and 304 it is the length for a GET.
    /// Empty with 1xx and 204, where it must not be forwarded.
    std::optional<std::uint64_t> declared_length;
};

/// Whether Beast's parser must read a head too (second_opinion.h). Needless if the head is
/// unambiguous: HTTP/1.1, every line printable ASCII and ended by CR LF, every field a name of
/// letters, digits and hyphens, a colon, one space and a value without white space around it, and
/// no field that frames the message except Content-Length and a `Connection` with one of its two
/// words.
enum class SecondOpinion : std::uint8_t { needed, needless };

/// Splits `bytes` (a head including its empty line) into `head` and checks every part; null if it
/// is valid. Writes only `head`; its views point into `bytes`. No allocation.
Refused apply_request_policy(std::string_view bytes, HeadLimits const& limits, RequestHead& head);

/// One field of a request, in any version: `name` is a token (RFC 9110, 5.1) that no server takes
/// for another of ours (RFC 3875, 4.1.18), `value` has no control characters but tabs (RFC 9110,
/// 5.5). Null if both are so.
[[nodiscard]] Refused judge_field(std::string_view name, std::string_view value) noexcept;

/// Whether frames with a body follow the head of a request (HTTP/2).
enum class BodyFollows : std::uint8_t { no, yes };

/// The checks behind the fields, for a request in HTTP/2: `head` has its fields, method, raw target
/// and protocol. `authority`: the value of `:authority`, null if there is none; then Host says the
/// host (RFC 9113, 8.3.1), and if both are there, they are equal. Writes the target, the host and
/// the framing; null if all are valid.
Refused check_http2_request(RequestHead& head, std::string_view const* authority, BodyFollows body,
                            PathSpellings spellings) noexcept;

enum class ResponseTo : std::uint8_t { other, head, upgrade };

/// The same for a head that an upstream sent in response to a request.
Refused apply_response_policy(std::string_view bytes, HeadLimits const& limits, ResponseTo request,
                              ResponseHead& head);

} // namespace sallyport::http

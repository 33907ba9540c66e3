// Judges the fields of a request as HTTP/2 sends it, and makes a RequestHead of them.
#pragma once

#include "gateway/http/framing.h"
#include "gateway/http/head.h"
#include "gateway/http/refusal.h"
#include "gateway/http2/head_block.h"

#include <cstdint>

namespace sallyport::http2 {

/// Whether the frame of the head had END_STREAM.
enum class StreamEnd : std::uint8_t { open, ended };

/// RFC 9113, 8.3 and 8.1.1, and the policy of HTTP/1 (`http::check_request`). Null: `head` is
/// complete and valid; its views point into `stored.bytes`. Otherwise `head` contains what stands
/// before the error, for the log only, and the stream ends with PROTOCOL_ERROR after the response.
/// Body framing: `none` with END_STREAM or `Content-Length: 0`, `length` with another
/// Content-Length, otherwise `chunked`: of unknown length, up to END_STREAM. The codec compares
/// Content-Length with the DATA frames, also if it is 0.
http::Refused read_request_head(StoredHead const& stored, StreamEnd end,
                                http::HeadLimits const& limits, http::RequestHead& head);

/// RFC 9113, 8.1: trailers have no pseudo fields; here at most 8 KiB. Null: they are valid.
[[nodiscard]] http::Refused check_trailers(HeadBlock const& trailers) noexcept;

} // namespace sallyport::http2

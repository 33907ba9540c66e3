// A request of the wire cases, read as HTTP/1.1 writes it, in the form that HTTP/2 has for it.
#pragma once

#include "tests/support/message.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace sallyport::test {

/// Why a request has no form in HTTP/2: its bytes are about what only HTTP/1 has.
namespace left_out {
inline constexpr std::string_view line_before = "an empty line before the request line";
inline constexpr std::string_view request_line = "a request line of other than three parts";
inline constexpr std::string_view no_host = "an absolute target without a Host beside it";
inline constexpr std::string_view version = "another version than HTTP/1.1";
inline constexpr std::string_view folded = "a folded line";
inline constexpr std::string_view no_colon = "a line without a colon";
inline constexpr std::string_view chunks = "chunks with extensions, or malformed ones";
inline constexpr std::string_view incomplete = "a head or a chunk without its end";
inline constexpr std::string_view large = "a head beyond a header block";
} // namespace left_out

struct Http2Form {
    Fields head; // the pseudo fields first, names in small letters
    std::string body;
    Fields trailers;
    bool has_path = true; // whether the target has one; an absolute one may stand for `/`
    bool has_end = true;  // whether all of the body that its length says is there

    [[nodiscard]] std::string method() const { return head.one(":method"); }
    [[nodiscard]] bool has(std::string_view name) const { return head.count(name) != 0; }
};

struct Http2Reading {
    std::optional<Http2Form> form;
    std::string_view left_out; // where there is none
    std::size_t size = 0;      // of the bytes of the request; 0: unknown
};

/// Reads the first request of `bytes` as leniently as the form allows: any bytes but the white
/// space that separates may be in a method, a target, a name or a value, bare CR and LF too. Valid
/// chunks become the body; any other Transfer-Encoding stays a field. Without a valid length the
/// body is what is left before `next`, the request behind it.
///
/// Host is `:authority`, unless the target has one of its own, or Host is repeated. The scheme of
/// an absolute target is not taken over: it is that of the connection.
Http2Reading read_as_http2(std::string_view bytes, std::string_view next);

} // namespace sallyport::test

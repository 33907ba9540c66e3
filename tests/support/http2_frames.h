// Frames of HTTP/2 as text, right or wrong: each function writes what it is given (RFC 9113, 6).
#pragma once

#include "tests/support/message.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sallyport::test::http2 {

inline constexpr std::string_view preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
inline constexpr std::size_t frame_head_size = 9;
inline constexpr std::size_t most_payload = 16'384;        // SETTINGS_MAX_FRAME_SIZE at first
inline constexpr std::uint32_t first_window = 65'535;      // of a stream and of a connection
inline constexpr std::uint32_t most_window = 0x7FFF'FFFFU; // and the highest id of a stream

namespace type {
inline constexpr unsigned data = 0;
inline constexpr unsigned headers = 1;
inline constexpr unsigned priority = 2;
inline constexpr unsigned reset = 3;
inline constexpr unsigned settings = 4;
inline constexpr unsigned push_promise = 5;
inline constexpr unsigned ping = 6;
inline constexpr unsigned goaway = 7;
inline constexpr unsigned window_update = 8;
inline constexpr unsigned continuation = 9;
inline constexpr unsigned priority_update = 16; // RFC 9218, 7.1
} // namespace type

namespace flag {
inline constexpr unsigned none = 0;
inline constexpr unsigned end_stream = 1;
inline constexpr unsigned ack = 1;
inline constexpr unsigned end_headers = 4;
inline constexpr unsigned padded = 8;
inline constexpr unsigned priority = 32;
} // namespace flag

namespace code { // RFC 9113, 7
inline constexpr std::uint32_t no_error = 0;
inline constexpr std::uint32_t protocol_error = 1;
inline constexpr std::uint32_t flow_control_error = 3;
inline constexpr std::uint32_t settings_timeout = 4;
inline constexpr std::uint32_t stream_closed = 5;
inline constexpr std::uint32_t frame_size_error = 6;
inline constexpr std::uint32_t refused_stream = 7;
inline constexpr std::uint32_t cancel = 8;
inline constexpr std::uint32_t compression_error = 9;
inline constexpr std::uint32_t enhance_your_calm = 11;
} // namespace code

namespace setting_id {
inline constexpr unsigned header_table_size = 1;
inline constexpr unsigned enable_push = 2;
inline constexpr unsigned max_concurrent_streams = 3;
inline constexpr unsigned initial_window_size = 4;
inline constexpr unsigned max_frame_size = 5;
} // namespace setting_id

/// One frame, as it was received.
struct Frame {
    unsigned type = 0;
    unsigned flags = 0;
    std::uint32_t stream = 0;
    std::string payload;

    [[nodiscard]] bool has(unsigned bit) const { return (flags & bit) != 0; }
    /// The 32 bits at that offset of the payload; throws BadMessage if they are not there.
    [[nodiscard]] std::uint32_t word(std::size_t at = 0) const;
};

/// Big endian.
std::string number(std::uint64_t value, unsigned bytes);

/// `length` is what its head says.
std::string frame_with_length(std::size_t length, unsigned type, unsigned flags,
                              std::uint32_t stream, std::string_view payload);
std::string frame(unsigned type, unsigned flags, std::uint32_t stream,
                  std::string_view payload = {});

std::string data(std::uint32_t stream, std::string_view bytes, unsigned flags = flag::none);
std::string headers(std::uint32_t stream, std::string_view block,
                    unsigned flags = flag::end_headers | flag::end_stream);
std::string continuation(std::uint32_t stream, std::string_view block, unsigned flags = flag::none);
std::string priority(std::uint32_t stream, std::uint32_t depends_on);
std::string reset(std::uint32_t stream, std::uint32_t error = code::cancel);
std::string setting(unsigned id, std::uint32_t value); // an entry
std::string settings(std::string_view entries = {});
std::string settings_ack();
std::string ping(std::string_view opaque = "12345678", unsigned flags = flag::none);
std::string goaway(std::uint32_t last_stream, std::uint32_t error);
std::string window_update(std::uint32_t stream, std::uint32_t increment);
std::string priority_update(std::uint32_t stream, std::string_view value);

/// A field of a header block: a literal without indexing, neither Huffman coded (RFC 7541, 6.2.2).
std::string field(std::string_view name, std::string_view value);
/// A literal with incremental indexing (6.2.1), which becomes entry 62 of the table.
std::string indexed_field(std::string_view name, std::string_view value);
/// A field of a table (6.1).
std::string entry(std::size_t index);
/// A block of these fields, in their order.
std::string block_of(Fields const& fields);
/// The same fields, with names in small letters (RFC 9113, 8.2.1).
Fields lowered(Fields const& fields);
/// The fields of a request text of HTTP/1.1 as HTTP/2 has them: pseudo fields, names in small
/// letters, nothing about the connection. Throws BadMessage.
Fields fields_of(Request const& request);

} // namespace sallyport::test::http2

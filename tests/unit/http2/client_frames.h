// Frames as a client sends them, for tests; written here by hand, not by the code that is tested.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sallyport::http2::test {

inline constexpr std::string_view preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

namespace flag {
inline constexpr unsigned end_stream = 1;
inline constexpr unsigned ack = 1;
inline constexpr unsigned end_headers = 4;
inline constexpr unsigned padded = 8;
inline constexpr unsigned priority = 32;
} // namespace flag

inline std::string number(std::uint64_t value, unsigned bytes) {
    std::string text;
    for (unsigned i = bytes; i-- > 0;)
        text += static_cast<char>(value >> (8 * i));
    return text;
}

/// A frame with any length in its head.
inline std::string raw_frame(std::size_t length, unsigned type, unsigned flags,
                             std::uint32_t stream, std::string_view payload) {
    return number(length, 3) + number(type, 1) + number(flags, 1) + number(stream, 4)
           + std::string{payload};
}
inline std::string frame(unsigned type, unsigned flags, std::uint32_t stream,
                         std::string_view payload) {
    return raw_frame(payload.size(), type, flags, stream, payload);
}

inline std::string data(std::uint32_t stream, std::string_view bytes, unsigned flags = 0) {
    return frame(0, flags, stream, bytes);
}
inline std::string headers(std::uint32_t stream, std::string_view block,
                           unsigned flags = flag::end_headers) {
    return frame(1, flags, stream, block);
}
inline std::string continuation(std::uint32_t stream, std::string_view block, unsigned flags = 0) {
    return frame(9, flags, stream, block);
}
inline std::string priority(std::uint32_t stream, std::uint32_t depends_on) {
    return frame(2, 0, stream, number(depends_on, 4) + number(15, 1));
}
inline std::string reset(std::uint32_t stream, std::uint32_t code) {
    return frame(3, 0, stream, number(code, 4));
}
inline std::string setting(unsigned id, std::uint32_t value) {
    return number(id, 2) + number(value, 4);
}
inline std::string settings(std::string_view entries = {}) {
    return frame(4, 0, 0, entries);
}
inline std::string settings_ack() {
    return frame(4, flag::ack, 0, {});
}
inline std::string ping(std::string_view opaque = "12345678", unsigned flags = 0) {
    return frame(6, flags, 0, opaque);
}
inline std::string goaway(std::uint32_t last, std::uint32_t code) {
    return frame(7, 0, 0, number(last, 4) + number(code, 4));
}
inline std::string window_update(std::uint32_t stream, std::uint32_t increment) {
    return frame(8, 0, stream, number(increment, 4));
}
inline std::string priority_update(std::uint32_t stream, std::string_view value) {
    return frame(16, 0, 0, number(stream, 4) + std::string{value});
}

} // namespace sallyport::http2::test

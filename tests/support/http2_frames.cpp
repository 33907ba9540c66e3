// Writes frames and header blocks, without a check of what they say.
#include "tests/support/http2_frames.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace sallyport::test::http2 {
namespace {

// RFC 7541, 5.1.
std::string prefixed(unsigned pattern, unsigned bits, std::size_t value) {
    std::size_t const most = (std::size_t{1} << bits) - 1;
    if (value < most) return std::string(1, static_cast<char>(pattern | value));
    std::string text(1, static_cast<char>(pattern | most));
    for (value -= most; value >= 128; value /= 128)
        text += static_cast<char>(128 | value % 128);
    return text + static_cast<char>(value);
}

std::string literal(std::string_view text) {
    return prefixed(0, 7, text.size()) + std::string{text};
}

std::string lower_case(std::string_view text) {
    std::string lower{text};
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return lower;
}

// RFC 9113, 8.2.2.
bool is_of_connection(std::string_view lower) {
    constexpr std::array<std::string_view, 5> names{"connection", "keep-alive", "proxy-connection",
                                                    "transfer-encoding", "upgrade"};
    return std::find(names.begin(), names.end(), lower) != names.end();
}

} // namespace

std::uint32_t Frame::word(std::size_t at) const {
    if (at + 4 > payload.size()) throw BadMessage("a frame is too short");
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i)
        value = value << 8 | static_cast<unsigned char>(payload[at + i]);
    return value;
}

std::string number(std::uint64_t value, unsigned bytes) {
    std::string text;
    for (unsigned i = bytes; i-- > 0;)
        text += static_cast<char>(value >> (8 * i));
    return text;
}

std::string frame_with_length(std::size_t length, unsigned type, unsigned flags,
                              std::uint32_t stream, std::string_view payload) {
    return number(length, 3) + number(type, 1) + number(flags, 1) + number(stream, 4)
           + std::string{payload};
}

std::string frame(unsigned type, unsigned flags, std::uint32_t stream, std::string_view payload) {
    return frame_with_length(payload.size(), type, flags, stream, payload);
}

std::string data(std::uint32_t stream, std::string_view bytes, unsigned flags) {
    return frame(type::data, flags, stream, bytes);
}
std::string headers(std::uint32_t stream, std::string_view block, unsigned flags) {
    return frame(type::headers, flags, stream, block);
}
std::string continuation(std::uint32_t stream, std::string_view block, unsigned flags) {
    return frame(type::continuation, flags, stream, block);
}
std::string priority(std::uint32_t stream, std::uint32_t depends_on) {
    return frame(type::priority, flag::none, stream, number(depends_on, 4) + number(15, 1));
}
std::string reset(std::uint32_t stream, std::uint32_t error) {
    return frame(type::reset, flag::none, stream, number(error, 4));
}
std::string setting(unsigned id, std::uint32_t value) {
    return number(id, 2) + number(value, 4);
}
std::string settings(std::string_view entries) {
    return frame(type::settings, flag::none, 0, entries);
}
std::string settings_ack() {
    return frame(type::settings, flag::ack, 0);
}
std::string ping(std::string_view opaque, unsigned flags) {
    return frame(type::ping, flags, 0, opaque);
}
std::string goaway(std::uint32_t last_stream, std::uint32_t error) {
    return frame(type::goaway, flag::none, 0, number(last_stream, 4) + number(error, 4));
}
std::string window_update(std::uint32_t stream, std::uint32_t increment) {
    return frame(type::window_update, flag::none, stream, number(increment, 4));
}
std::string priority_update(std::uint32_t stream, std::string_view value) {
    return frame(type::priority_update, flag::none, 0, number(stream, 4) + std::string{value});
}

std::string field(std::string_view name, std::string_view value) {
    return std::string(1, '\0') + literal(name) + literal(value);
}

std::string indexed_field(std::string_view name, std::string_view value) {
    return std::string(1, '\x40') + literal(name) + literal(value);
}

std::string entry(std::size_t index) {
    return prefixed(0x80, 7, index);
}

std::string block_of(Fields const& fields) {
    std::string block;
    for (auto const& [name, value] : fields)
        block += field(name, value);
    return block;
}

Fields lowered(Fields const& fields) {
    Fields result;
    for (auto const& [name, value] : fields)
        result.push_back({lower_case(name), value});
    return result;
}

Fields fields_of(Request const& request) {
    Fields fields{{":method", request.method}, {":scheme", "https"}};
    if (auto const host = request.fields.find("Host")) fields.push_back({":authority", *host});
    fields.push_back({":path", request.target});
    for (auto const& [name, value] : request.fields) {
        auto lower = lower_case(name);
        if (lower == "host" || is_of_connection(lower)) continue;
        fields.push_back({std::move(lower), value});
    }
    return fields;
}

} // namespace sallyport::test::http2

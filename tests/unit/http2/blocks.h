// Header blocks for tests, put together by hand, and what a decoder makes of them.
#pragma once

#include "gateway/http/rules.h"
#include "gateway/http2/head_block.h"
#include "gateway/http2/hpack_decoder.h"
#include "gateway/http2/request_head.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace header_blocks {

using namespace sallyport;

/// "82 86 84", with or without spaces.
inline std::string bytes_of(std::string_view hexadecimal) {
    std::string bytes;
    int digits = 0;
    unsigned value = 0;
    for (char const c : hexadecimal) {
        if (c == ' ') continue;
        value = value * 16 + static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10);
        if (++digits % 2 == 0) bytes.push_back(static_cast<char>(value & 0xFF));
    }
    return bytes;
}

/// RFC 7541, 5.1.
inline std::string integer(unsigned pattern, unsigned prefix, std::size_t value) {
    std::size_t const most = (std::size_t{1} << prefix) - 1;
    if (value < most) return {static_cast<char>(pattern | value)};
    std::string text{static_cast<char>(pattern | most)};
    for (value -= most; value >= 0x80; value >>= 7)
        text.push_back(static_cast<char>(0x80 | (value & 0x7F)));
    return text + static_cast<char>(value);
}

inline std::string string(std::string_view text) {
    return integer(0, 7, text.size()).append(text);
}

inline std::string indexed(std::size_t index) {
    return integer(0x80, 7, index);
}
inline std::string size_update(std::size_t size) {
    return integer(0x20, 5, size);
}
/// With incremental indexing.
inline std::string added(std::string_view name, std::string_view value) {
    return "\x40" + string(name) + string(value);
}
inline std::string added(std::size_t name, std::string_view value) {
    return integer(0x40, 6, name) + string(value);
}
/// Without indexing.
inline std::string plain(std::string_view name, std::string_view value) {
    return std::string(1, '\0') + string(name) + string(value);
}

/// A decoder with the memory of its blocks, filled with what no line may show.
struct Connection {
    http::HeadLimits limits;
    http2::HpackDecoder decoder;
    std::vector<char> memory;
    std::vector<char> stored_memory;
    http2::StoredHead stored;
    http::Refused refused = nullptr;
    std::string text; // the lines as they were decoded

    http2::HpackError decode(std::string_view block) {
        memory.assign(http2::HeadBlock::memory_for(limits), '?');
        http2::HeadBlock head{memory, limits};
        // An allocation of its own: reading past the end is an error for the sanitizer.
        std::vector<char> const exact{block.begin(), block.end()};
        auto const error = decoder.decode({exact.data(), exact.size()}, head);
        text = head.text();
        refused = head.refused();
        stored_memory.assign(head.stored_size(), '?');
        stored = head.store(stored_memory.data());
        return error;
    }
    /// The lines that were stored, crumbs joined.
    std::string lines() const { return {stored.bytes, stored.text_size}; }
    std::string rule() const { return std::string{refused == nullptr ? "" : refused->rule}; }
};

} // namespace header_blocks

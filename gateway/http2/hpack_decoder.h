// Decodes header blocks (RFC 7541). Its dynamic table holds finished lines with their verdicts, so
// that a repeated field costs one copy.
#pragma once

#include "gateway/http2/head_block.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sallyport::http2 {

/// Why a block cannot be decoded: an error of the connection, since the table is no longer that of
/// the client. COMPRESSION_ERROR (RFC 9113, 4.3), but for `too_much_text`: ENHANCE_YOUR_CALM.
enum class HpackError : std::uint8_t {
    none,
    incomplete,    // the block ends within a field
    integer,       // RFC 7541, 5.1: beyond 32 bits, or more than five octets behind the prefix
    index,         // RFC 7541, 2.3.3: 0, or beyond both tables
    huffman,       // RFC 7541, 5.2: EOS, padding of eight bits or more, or not of ones
    size_update,   // RFC 7541, 4.2 and 6.3: not in front, a third one, or beyond the announced size
    too_much_text, // more than HpackDecoder::most_text
};

/// As the log says it: the name of the enumerator.
[[nodiscard]] std::string_view name_of(HpackError error) noexcept;

/// The decoder of one connection. It allocates only for entries of its table, and for none of them
/// more than `most_memory` in all.
class HpackDecoder {
public:
    /// SETTINGS_HEADER_TABLE_SIZE: the value that holds without a setting (RFC 9113, 6.5.2).
    static constexpr std::size_t table_size = 4096;
    /// Decoded text of one block, in bytes of lines; beyond HeadLimits::head nothing is stored.
    static constexpr std::size_t most_text = std::size_t{64} * 1024;

    HpackDecoder() noexcept;
    ~HpackDecoder();
    HpackDecoder(HpackDecoder&&) noexcept;
    HpackDecoder& operator=(HpackDecoder&&) noexcept;

    /// Decodes one whole block: the payloads of HEADERS and its CONTINUATION frames in one piece,
    /// without padding and priority. `head` is new. After an error nothing more can be decoded.
    /// Throws std::bad_alloc.
    HpackError decode(std::string_view block, HeadBlock& head);

    /// Bytes allocated for the table.
    [[nodiscard]] std::size_t memory() const noexcept;
};

} // namespace sallyport::http2

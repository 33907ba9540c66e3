// Decodes header blocks (RFC 7541). Its dynamic table holds finished lines with their verdicts, so
// that a repeated field costs one copy.
#pragma once

#include "gateway/http2/dynamic_table.h"
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
    too_much_text, // more than HeadBlock allows
};

/// As the log says it: the name of the enumerator.
[[nodiscard]] std::string_view name_of(HpackError error) noexcept;

/// The decoder of one connection. It allocates for entries of its table alone.
class HpackDecoder {
public:
    /// Decodes one whole block: the payloads of HEADERS and its CONTINUATION frames in one piece,
    /// without padding and priority. `head` is new. After an error nothing more can be decoded.
    /// Throws std::bad_alloc.
    HpackError decode(std::string_view block, HeadBlock& head);

    /// Its memory is all that the decoder allocates.
    [[nodiscard]] DynamicTable const& table() const noexcept { return table_; }

private:
    struct Input;
    struct Literal;

    HpackError take_size_updates(Input& input) noexcept;
    HpackError take_indexed(Input& input, HeadBlock& head) noexcept;
    HpackError take_literal(Input& input, unsigned prefix, HeadBlock& head);
    HpackError take_name(Input& input, unsigned prefix, Literal& literal) noexcept;
    HpackError finish_literal(unsigned prefix, Literal const& literal, HeadBlock& head);
    [[nodiscard]] bool has_index(std::uint32_t index) const noexcept {
        return index != 0 && index <= static_table_size + table_.entries();
    }
    [[nodiscard]] TableField find(std::uint32_t index) const noexcept {
        return index <= static_table_size ? static_field(index)
                                          : table_.at(index - static_table_size - 1);
    }

    DynamicTable table_;
};

} // namespace sallyport::http2

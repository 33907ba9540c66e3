// Encodes the head of a response as a header block (RFC 7541): static names, no dynamic table, no
// Huffman coding, so that there is no state and nothing to learn from sizes.
#pragma once

#include "gateway/http/transport.h"

#include <cstddef>
#include <string_view>

namespace sallyport::http2 {

/// A bound of the block's size in bytes, and what encode_head() may write.
[[nodiscard]] std::size_t most_block_size(http::OutgoingHead const& head) noexcept;

/// Writes the block of `head` to `to` (of most_block_size(head) bytes); returns its size. Names are
/// lowered, values are written as they are; `head.reason` and `head.has_body` say nothing here. An
/// interim response is a head without fields, too.
std::size_t encode_head(http::OutgoingHead const& head, char* to) noexcept;

/// The same for trailers (RFC 9113, 8.1): valid lines, each ending in CR LF.
[[nodiscard]] std::size_t most_block_size(std::string_view lines) noexcept;
std::size_t encode_trailers(std::string_view lines, char* to) noexcept;

} // namespace sallyport::http2

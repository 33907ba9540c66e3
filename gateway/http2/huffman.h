// The Huffman code of HPACK (RFC 7541, 5.2 and appendix B): decoding alone.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace sallyport::http2 {

/// A bound of the decoded size in bytes: the shortest code has five bits.
[[nodiscard]] constexpr std::size_t most_huffman_decoded(std::size_t encoded) noexcept {
    return encoded * 8 / 5;
}

/// Bytes behind the result that decode_huffman() may overwrite: a step writes two, also where it
/// has decoded one.
inline constexpr std::size_t huffman_slack = 2;

/// Decodes to `to`, which has huffman_slack bytes more than the result, whose size is at most
/// most_huffman_decoded(); returns the end of the result. Null if the text has EOS, ends within a
/// code, or has padding of more than seven bits or of others than ones (RFC 7541, 5.2).
char* decode_huffman(std::string_view encoded, char* to) noexcept;

/// The size of the result in bytes; empty where decode_huffman() returns null. Writes nothing: for
/// texts that are not stored.
[[nodiscard]] std::optional<std::size_t> huffman_decoded_size(std::string_view encoded) noexcept;

} // namespace sallyport::http2

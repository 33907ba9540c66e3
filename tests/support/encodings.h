// Encodings used by tests: base64, digests, gzip and deflate, chunks.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sallyport::test {

std::string base64(std::string_view bytes);
/// Of base64url without padding (RFC 7515, 2); throws if it is invalid.
std::string base64url_decoded(std::string_view text);
std::string sha256_hex(std::string_view bytes);
std::string percent_encode_all(std::string_view bytes); // every byte as %XX

enum class Coding : std::uint8_t { gzip, zlib, raw_deflate };
std::string compress(std::string_view bytes, Coding coding);
std::string decompress_gzip(std::string_view bytes); // throws if it is invalid

/// The chunked form (RFC 9112, 7.1) in chunks of `chunk` bytes, with the last one and no trailers.
std::string chunked(std::string_view body, std::size_t chunk);

} // namespace sallyport::test

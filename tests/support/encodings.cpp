// The codings, by OpenSSL and zlib.
#include "tests/support/encodings.h"

#include <openssl/evp.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>

namespace sallyport::test {
namespace {

unsigned char const* octets(std::string_view bytes) {
    return reinterpret_cast<unsigned char const*>(bytes.data());
}

std::string hex(std::string_view bytes, std::string_view digits) {
    std::string text;
    for (char const c : bytes) {
        text += digits[static_cast<unsigned char>(c) >> 4];
        text += digits[static_cast<unsigned char>(c) & 15];
    }
    return text;
}

int window_bits(Coding coding) {
    switch (coding) {
    case Coding::gzip: return 15 + 16;
    case Coding::zlib: return 15;
    case Coding::raw_deflate: return -15;
    }
    return 15;
}

} // namespace

std::string base64(std::string_view bytes) {
    std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');
    auto const size = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()), octets(bytes),
                                      static_cast<int>(bytes.size()));
    text.resize(static_cast<std::size_t>(size));
    return text;
}

std::string base64url_decoded(std::string_view text) {
    std::string standard{text};
    std::replace(standard.begin(), standard.end(), '-', '+');
    std::replace(standard.begin(), standard.end(), '_', '/');
    auto const padding = (4 - standard.size() % 4) % 4;
    standard.append(padding, '=');
    std::string bytes(standard.size() / 4 * 3, '\0');
    auto const size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                      reinterpret_cast<unsigned char const*>(standard.data()),
                                      static_cast<int>(standard.size()));
    if (size < static_cast<int>(padding)) throw std::runtime_error("not base64url");
    bytes.resize(static_cast<std::size_t>(size) - padding);
    return bytes;
}

std::string sha256_hex(std::string_view bytes) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr);
    return hex({reinterpret_cast<char const*>(digest.data()), size}, "0123456789abcdef");
}

std::string percent_encode_all(std::string_view bytes) {
    std::string text;
    for (std::size_t index = 0; index < bytes.size(); ++index)
        text += "%" + hex(bytes.substr(index, 1), "0123456789ABCDEF");
    return text;
}

std::string compress(std::string_view bytes, Coding coding) {
    z_stream stream{};
    if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, window_bits(coding), 8,
                     Z_DEFAULT_STRATEGY)
        != Z_OK)
        throw std::runtime_error("deflateInit2");
    std::string out(deflateBound(&stream, static_cast<uLong>(bytes.size())) + 32, '\0');
    stream.next_in = const_cast<Bytef*>(octets(bytes));
    stream.avail_in = static_cast<uInt>(bytes.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    auto const result = deflate(&stream, Z_FINISH);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    if (result != Z_STREAM_END) throw std::runtime_error("deflate");
    return out;
}

std::string decompress_gzip(std::string_view bytes) {
    z_stream stream{};
    if (inflateInit2(&stream, window_bits(Coding::gzip)) != Z_OK)
        throw std::runtime_error("inflateInit2");
    stream.next_in = const_cast<Bytef*>(octets(bytes));
    stream.avail_in = static_cast<uInt>(bytes.size());
    std::string out;
    std::array<char, 16384> piece;
    int result = Z_OK;
    while (result == Z_OK) {
        stream.next_out = reinterpret_cast<Bytef*>(piece.data());
        stream.avail_out = piece.size();
        result = inflate(&stream, Z_NO_FLUSH);
        out.append(piece.data(), piece.size() - stream.avail_out);
    }
    inflateEnd(&stream);
    if (result != Z_STREAM_END) throw std::runtime_error("not gzip");
    return out;
}

std::string chunked(std::string_view body, std::size_t chunk) {
    std::string text;
    for (; !body.empty(); body.remove_prefix(std::min(chunk, body.size()))) {
        auto const piece = body.substr(0, chunk);
        std::array<char, 16> digits{};
        auto const end =
            std::to_chars(digits.data(), digits.data() + digits.size(), piece.size(), 16).ptr;
        text.append(digits.data(), end).append("\r\n").append(piece).append("\r\n");
    }
    return text + "0\r\n\r\n";
}

} // namespace sallyport::test

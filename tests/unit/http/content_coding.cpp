// Content codings: which are supported, and a decoder with limits.
#include "gateway/http/content_coding.h"

#include "heads.h"

#include <catch2/catch.hpp>
#include <zlib.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace content_coding {

namespace {

using namespace sallyport::http;
using sallyport::http::test::parse_request;

enum class Wrapper { gzip, zlib, none };

std::string compress(std::string_view text, Wrapper wrapper) {
    int const window_bits = wrapper == Wrapper::gzip   ? 15 + 16
                            : wrapper == Wrapper::zlib ? 15
                                                       : -15;
    z_stream stream{};
    REQUIRE(deflateInit2(&stream, 9, Z_DEFLATED, window_bits, 9, Z_DEFAULT_STRATEGY) == Z_OK);
    std::string out(deflateBound(&stream, text.size()) + 64, '\0');
    std::string in{text};
    stream.next_in = reinterpret_cast<Bytef*>(in.data());
    stream.avail_in = static_cast<uInt>(in.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
    out = out.substr(0, stream.total_out);
    deflateEnd(&stream);
    return out;
}

struct Decoded {
    std::string text;
    std::string_view rule = "fine";
    RefusalKind kind{};
    std::size_t max_step = 0;
};

// Feeds the input in pieces of `in` bytes into room of `out` bytes.
Decoded decode(ContentCoding coding, std::string_view input, DecodeLimits limits = {1 << 20},
               std::size_t in = 1 << 20, std::size_t out = 4096) {
    ContentDecoder decoder{coding, limits};
    Decoded decoded;
    auto const refuse = [&](Refused refused) {
        decoded.rule = refused->rule;
        decoded.kind = refused->kind;
        return decoded;
    };
    auto const room = std::make_unique<char[]>(out);
    while (!input.empty()) {
        auto piece = input.substr(0, in);
        input.remove_prefix(piece.size());
        while (true) {
            auto const step = decoder.step(piece, {room.get(), out});
            decoded.text.append(room.get(), step.produced);
            piece.remove_prefix(step.consumed);
            if (step.refused) return refuse(step.refused);
            if (piece.empty() && step.produced < out) break;
            REQUIRE(step.consumed + step.produced > 0);
        }
    }
    if (auto const refused = decoder.finish()) return refuse(refused);
    return decoded;
}

std::string_view judge_field(std::string_view lines, ContentCoding& coding) {
    auto const parsed =
        parse_request("GET / HTTP/1.1\r\nHost: a\r\n" + std::string{lines} + "\r\n");
    REQUIRE(!parsed.refused);
    auto const refused = parse_content_coding(parsed.head->fields, coding);
    if (refused) CHECK(refused->kind == RefusalKind::unsupported_media_type);
    return refused ? refused->rule : "fine";
}

std::string varied_text(std::size_t size) {
    std::string text;
    std::uint32_t state = 1;
    while (text.size() < size) {
        state = state * 1664525 + 1013904223;
        text += static_cast<char>('a' + (state >> 24) % 26);
    }
    return text;
}

} // namespace

TEST_CASE("unsupported content codings are refused") {
    ContentCoding coding{};
    for (auto const value :
         {"br", "zstd", "compress", "x-compress", "gzip, gzip", "gzip,deflate", "identity, gzip",
          "gzip;q=1", "", ",", "gzipx", "gzi", "*", "aws-chunked", "\"gzip\""}) {
        INFO(value);
        CHECK(judge_field("Content-Encoding: " + std::string{value} + "\r\n", coding)
              == "unsupported_coding");
    }
    CHECK(judge_field("Content-Encoding: gzip\r\nContent-Encoding: gzip\r\n", coding)
          == "unsupported_coding");
    CHECK(judge_field("Content-Encoding: gzip\r\nContent-Encoding: br\r\n", coding)
          == "unsupported_coding");
    CHECK(accepted_codings == "gzip, deflate");
}

TEST_CASE("gzip, x-gzip, deflate and identity are supported, case-insensitively") {
    ContentCoding coding{};
    CHECK(judge_field("", coding) == "fine");
    CHECK(coding == ContentCoding::identity);
    CHECK(judge_field("Content-Encoding: gzip\r\n", coding) == "fine");
    CHECK(coding == ContentCoding::gzip);
    CHECK(judge_field("Content-Encoding: X-GZip\r\n", coding) == "fine");
    CHECK(coding == ContentCoding::gzip);
    CHECK(judge_field("Content-Encoding: Deflate\r\n", coding) == "fine");
    CHECK(coding == ContentCoding::deflate);
    CHECK(judge_field("Content-Encoding: , identity,\r\n", coding) == "fine");
    CHECK(coding == ContentCoding::identity);
}

TEST_CASE("a coded body that is malformed, cut short or followed by anything is refused") {
    auto const gzip = compress("hello", Wrapper::gzip);
    auto const zlib = compress("hello", Wrapper::zlib);
    auto const check = [](ContentCoding coding, std::string const& bytes, std::string_view rule) {
        auto const decoded = decode(coding, bytes);
        CHECK(decoded.rule == rule);
        CHECK(decoded.kind == RefusalKind::malformed_body);
        CHECK(decode(coding, bytes, {1 << 20}, 1).rule == rule);
    };
    check(ContentCoding::gzip, "hello", "malformed_coding");
    check(ContentCoding::gzip, zlib, "malformed_coding");
    check(ContentCoding::deflate, gzip, "malformed_coding");
    check(ContentCoding::deflate, compress("hello", Wrapper::none), "malformed_coding");
    check(ContentCoding::gzip, "", "incomplete_coding");
    check(ContentCoding::gzip, gzip + gzip, "bytes_behind_coding");
    check(ContentCoding::gzip, gzip + std::string(1, '\0'), "bytes_behind_coding");
    check(ContentCoding::deflate, zlib + "x", "bytes_behind_coding");
    for (std::size_t size = 1; size < gzip.size(); ++size)
        check(ContentCoding::gzip, gzip.substr(0, size), "incomplete_coding");
    for (std::size_t size = 1; size < zlib.size(); ++size)
        check(ContentCoding::deflate, zlib.substr(0, size), "incomplete_coding");
    // The check values at the ends: CRC-32 and length of gzip, Adler-32 of zlib.
    auto wrong = gzip;
    wrong[gzip.size() - 8] = static_cast<char>(wrong[gzip.size() - 8] ^ 1);
    check(ContentCoding::gzip, wrong, "malformed_coding");
    wrong = gzip;
    wrong.back() = static_cast<char>(wrong.back() ^ 1);
    check(ContentCoding::gzip, wrong, "malformed_coding");
    wrong = zlib;
    wrong.back() = static_cast<char>(wrong.back() ^ 1);
    check(ContentCoding::deflate, wrong, "malformed_coding");
}

TEST_CASE("a preset dictionary is refused") {
    // RFC 1950, 2.2: FDICT set, a valid header check.
    CHECK(decode(ContentCoding::deflate, std::string{"\x78\xbb\x01\x02\x03\x04", 6}).rule
          == "malformed_coding");
}

TEST_CASE("the size of the output is limited") {
    auto const text = varied_text(10'000);
    auto const bytes = compress(text, Wrapper::gzip);
    CHECK(decode(ContentCoding::gzip, bytes, {10'000}).rule == "fine");
    auto const decoded = decode(ContentCoding::gzip, bytes, {9'999});
    CHECK(decoded.rule == "decoded_too_large");
    CHECK(decoded.kind == RefusalKind::body_too_large);
    CHECK(decode(ContentCoding::gzip, compress("a", Wrapper::gzip), {0}).rule
          == "decoded_too_large");
    CHECK(decode(ContentCoding::gzip, compress("", Wrapper::gzip), {0}).rule == "fine");
}

TEST_CASE("a compression bomb is refused before it is expanded") {
    auto const bomb = compress(std::string(10'000'000, ' '), Wrapper::gzip);
    auto const decoded = decode(ContentCoding::gzip, bomb, {1ULL << 40});
    CHECK(decoded.rule == "coding_ratio");
    CHECK(decoded.kind == RefusalKind::body_too_large);
    CHECK(decoded.text.size() <= 1'100'000);
    // A small text may be arbitrarily repetitive.
    CHECK(decode(ContentCoding::gzip, compress(std::string(64 * 1024, ' '), Wrapper::gzip)).rule
          == "fine");
    CHECK(decode(ContentCoding::gzip, compress(std::string(64 * 1024 + 1, ' '), Wrapper::gzip)).rule
          == "coding_ratio");
}

TEST_CASE("a refused decoder stays refused") {
    ContentDecoder decoder{ContentCoding::gzip, {100}};
    std::string room(100, '\0');
    REQUIRE(decoder.step("no gzip at all", room).refused);
    CHECK(decoder.step(compress("hello", Wrapper::gzip), room).refused);
    CHECK(decoder.finish());
}

TEST_CASE("a coded body is the same in pieces of every size and into room of every size") {
    auto const text = varied_text(300);
    for (auto const wrapper : {Wrapper::gzip, Wrapper::zlib}) {
        auto const coding = wrapper == Wrapper::gzip ? ContentCoding::gzip : ContentCoding::deflate;
        auto const bytes = compress(text, wrapper);
        for (std::size_t in = 1; in <= bytes.size(); ++in)
            for (std::size_t const out : {1U, 2U, 7U, 299U, 300U, 301U, 4096U})
                REQUIRE(decode(coding, bytes, {300}, in, out).text == text);
    }
}

TEST_CASE("a large body is decoded completely") {
    auto const text = varied_text(3'000'000);
    CHECK(decode(ContentCoding::gzip, compress(text, Wrapper::gzip), {3'000'000}, 16 * 1024,
                 64 * 1024)
              .text
          == text);
}

} // namespace content_coding

// The Huffman code: every byte both ways, and what is no text.
#include "gateway/http2/huffman.h"

#include "tests/unit/http2/huffman_codes.h"

#include <catch2/catch.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace huffman_test {

using namespace sallyport::http2;

namespace {

constexpr unsigned eos = 256;

// The codes of these symbols, and ones up to the end of the last octet (RFC 7541, 5.2).
struct Writer {
    std::string text;
    unsigned free = 0; // bits of the last octet

    void put(std::uint32_t bits, unsigned length) {
        while (length-- != 0) {
            if (free == 0) {
                text.push_back('\xFF');
                free = 8;
            }
            --free;
            if ((bits >> length & 1U) == 0)
                text.back() = static_cast<char>(text.back() & ~(1 << free));
        }
    }
    void put(unsigned symbol) {
        auto const& code = huffman_codes::codes[symbol];
        put(code.bits, code.length);
    }
};

std::string encode(std::string_view text) {
    Writer writer;
    for (char const c : text)
        writer.put(static_cast<unsigned char>(c));
    return writer.text;
}

std::optional<std::string> decode(std::string_view encoded) {
    // Allocations of their own: what is read or written beyond is an error for the sanitizer.
    std::vector<char> const input{encoded.begin(), encoded.end()};
    std::vector<char> output(most_huffman_decoded(encoded.size()) + huffman_slack);
    char const* const end = decode_huffman({input.data(), input.size()}, output.data());
    auto const size = huffman_decoded_size({input.data(), input.size()});
    // Both passes have the same result.
    REQUIRE(size.has_value() == (end != nullptr));
    if (end == nullptr) return {};
    REQUIRE(*size == static_cast<std::size_t>(end - output.data()));
    return std::string{output.data(), *size};
}

} // namespace

TEST_CASE("EOS is no symbol of a text") {
    Writer writer;
    writer.put(eos);
    CHECK(!decode(writer.text));
    Writer behind;
    behind.put('a');
    behind.put(eos);
    CHECK(!decode(behind.text));
    // Also where more than a word follows.
    for (int i = 0; i < 20; ++i)
        behind.put('a');
    CHECK(!decode(behind.text));
}

TEST_CASE("a text that ends within a code is not valid") {
    for (unsigned symbol = 0; symbol < eos; ++symbol) {
        INFO(symbol);
        auto const whole = encode(std::string(1, static_cast<char>(symbol)));
        for (std::size_t size = 1; size < whole.size(); ++size)
            CHECK(!decode(std::string_view{whole}.substr(0, size)));
    }
}

TEST_CASE("padding is of ones, and of at most seven bits") {
    // 'a' has five bits: three are left.
    CHECK(decode("\x1F") == "a");
    for (char const c : {'\x18', '\x1B', '\x1D', '\x1E'})
        CHECK(!decode(std::string(1, c)));
    // '&' has eight bits.
    CHECK(decode("\xF8") == "&");
    CHECK(!decode("\xF8\xFF"));
    CHECK(!decode("\xFF"));
    CHECK(!decode("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"));
    // Seven ones: '0' has five bits, and twice that is a bit more than an octet has with one left.
    auto const all = encode("0!");
    CHECK(decode(all) == "0!");
    CHECK(!decode(all + "\xFF"));
    // Each number of padding bits from 0 to 7, behind '0' (five bits) and '5' (six).
    for (std::size_t more = 0; more < 8; ++more) {
        auto const text = std::string(more, '0') + "5";
        CHECK(decode(encode(text)) == text);
        CHECK(!decode(encode(text) + "\xFF"));
    }
}

TEST_CASE("an empty text is one") {
    CHECK(decode("") == "");
}

TEST_CASE("every byte is decoded from its code") {
    for (unsigned symbol = 0; symbol < eos; ++symbol) {
        INFO(symbol);
        std::string const text(1, static_cast<char>(symbol));
        CHECK(decode(encode(text)) == text);
        // At each offset within an octet, and far from the end.
        for (std::size_t before = 1; before < 9; ++before) {
            auto const longer = std::string(before, '0') + text + std::string(20, 'z');
            CHECK(decode(encode(longer)) == longer);
        }
    }
}

TEST_CASE("every pair of bytes is decoded from its codes") {
    for (unsigned first = 0; first < eos; ++first) {
        std::string text;
        for (unsigned second = 0; second < eos; ++second) {
            text.push_back(static_cast<char>(first));
            text.push_back(static_cast<char>(second));
        }
        INFO(first);
        CHECK(decode(encode(text)) == text);
    }
}

TEST_CASE("a text of any length is decoded") {
    std::string text;
    for (std::size_t size = 0; size < 300; ++size) {
        CHECK(decode(encode(text)) == text);
        text.push_back(static_cast<char>(size * 7));
    }
    for (std::size_t size = 0; size < 300; ++size) {
        std::string const ordinary(size, 'e');
        CHECK(decode(encode(ordinary)) == ordinary);
    }
}

} // namespace huffman_test

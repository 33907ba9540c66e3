// Decodes the Huffman code of HPACK: ten bits and up to two symbols a step.
#include "gateway/http2/huffman.h"

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

namespace sallyport::http2 {

namespace {

constexpr std::size_t symbols = 257; // RFC 7541, appendix B: all bytes, and EOS
constexpr unsigned eos = 256;
constexpr unsigned longest = 30;
constexpr unsigned shortest = 5;

// RFC 7541, appendix B: the code of each symbol has so many bits. The code is canonical: of equal
// length, the codes follow the symbols; so the lengths define it.
constexpr std::array<std::uint8_t, symbols> lengths{
    13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, // 0x00
    28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28, // 0x10
    6,  10, 10, 12, 13, 6,  8,  11, 10, 10, 8,  11, 8,  6,  6,  6,  // 0x20
    5,  5,  5,  6,  6,  6,  6,  6,  6,  6,  7,  8,  15, 6,  12, 10, // 0x30
    13, 6,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  // 0x40
    7,  7,  7,  7,  7,  7,  7,  7,  8,  7,  8,  13, 19, 13, 14, 6,  // 0x50
    15, 5,  6,  5,  6,  5,  6,  6,  6,  5,  7,  7,  6,  6,  6,  5,  // 0x60
    6,  7,  6,  5,  5,  6,  7,  7,  7,  7,  7,  15, 11, 14, 13, 28, // 0x70
    20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23, // 0x80
    24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24, // 0x90
    22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23, // 0xa0
    21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23, // 0xb0
    26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, // 0xc0
    19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27, // 0xd0
    20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23, // 0xe0
    26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26, // 0xf0
    30};

// The codes of one length: `first` is the smallest of them, `begin` the place of its symbol.
struct CodesOfLength {
    std::uint32_t first = 0;
    std::uint16_t begin = 0;
    std::uint16_t count = 0;
};

struct Code {
    std::array<CodesOfLength, longest + 1> of_length{};
    std::array<std::uint16_t, symbols> order{}; // the symbols by their codes
    std::array<std::uint32_t, symbols> codes{};
};

consteval Code make_code() {
    Code code;
    std::uint32_t next = 0;
    std::size_t at = 0;
    for (unsigned length = shortest; length <= longest; ++length) {
        next <<= 1;
        auto& of_length = code.of_length[length];
        of_length.first = next;
        of_length.begin = static_cast<std::uint16_t>(at);
        for (std::size_t symbol = 0; symbol < symbols; ++symbol) {
            if (lengths[symbol] != length) continue;
            code.codes[symbol] = next++;
            code.order[at++] = static_cast<std::uint16_t>(symbol);
            ++of_length.count;
        }
    }
    return code;
}

constexpr Code code = make_code();
static_assert(code.codes[eos] == (1U << longest) - 1, "the code is complete");

constexpr unsigned step_bits = 10;

// What ten bits begin with: one or two whole codes, or none, where the first is longer.
struct Step {
    std::array<char, 2> decoded{};
    std::uint8_t bits = 0;
    std::uint8_t count = 0;
};

using Steps = std::array<Step, std::size_t{1} << step_bits>;

// For all steps that begin with this symbol, behind `before` bits whose value is `prefix`.
consteval void add_symbol(Steps& steps, std::uint32_t prefix, unsigned before, unsigned symbol) {
    unsigned const used = before + lengths[symbol];
    unsigned const free = step_bits - used;
    std::uint32_t const begin = (prefix << lengths[symbol] | code.codes[symbol]) << free;
    for (std::uint32_t i = begin; i < begin + (1U << free); ++i) {
        steps[i].decoded[steps[i].count++] = static_cast<char>(symbol);
        steps[i].bits = static_cast<std::uint8_t>(used);
    }
}

consteval Steps make_steps() {
    Steps steps{};
    for (unsigned first = 0; first < eos; ++first) {
        if (lengths[first] > step_bits) continue;
        add_symbol(steps, 0, 0, first);
        for (unsigned second = 0; second < eos; ++second)
            if (lengths[first] + lengths[second] <= step_bits)
                add_symbol(steps, code.codes[first], lengths[first], second);
    }
    return steps;
}

constexpr Steps steps = make_steps();

// The next bits of a text, the first of them in the highest place.
struct Bits {
    unsigned char const* at;
    unsigned char const* end;
    std::uint64_t window = 0;
    unsigned have = 0;

    explicit Bits(std::string_view text) noexcept
        : at{reinterpret_cast<unsigned char const*>(text.data())}, end{at + text.size()} {}

    [[nodiscard]] bool has_word() const noexcept { return end - at >= 8; }
    [[nodiscard]] Step const& step() const noexcept { return steps[window >> (64 - step_bits)]; }

    // Only with has_word(): afterwards there are at least 56 bits.
    void take_word() noexcept {
        std::uint64_t word;
        std::memcpy(&word, at, sizeof word);
        if constexpr (std::endian::native == std::endian::little) word = __builtin_bswap64(word);
        window |= word >> have;
        at += (63 - have) >> 3;
        have |= 56;
    }
    // Up to 63 bits: a shift by 64 is none.
    void take_rest() noexcept {
        for (; have < 56 && at != end; have += 8)
            window |= std::uint64_t{*at++} << (56 - have);
    }
    void drop(unsigned bits) noexcept {
        window <<= bits;
        have -= bits;
    }
};

struct LongCode {
    unsigned symbol;
    unsigned bits;
};

// A code of more than ten bits at the front; there always is one, since the code is complete.
LongCode find_long_code(std::uint64_t window) noexcept {
    for (unsigned length = step_bits + 1; length < longest; ++length) {
        auto const& of_length = code.of_length[length];
        auto const offset = static_cast<std::uint32_t>(window >> (64 - length)) - of_length.first;
        if (offset < of_length.count) return {code.order[of_length.begin + offset], length};
    }
    auto const& of_length = code.of_length[longest];
    auto const offset = static_cast<std::uint32_t>(window >> (64 - longest)) - of_length.first;
    return {code.order[of_length.begin + offset], longest};
}

// The last codes and the padding (RFC 7541, 5.2): false if they are not valid.
template <class Output>
bool decode_rest(Bits& bits, Output& output) noexcept {
    while (true) {
        bits.take_rest();
        // Ones behind the end: the beginning of EOS, which is no symbol's.
        std::uint64_t const padded = bits.window | ~std::uint64_t{0} >> bits.have;
        if (bits.have < 8 && padded == ~std::uint64_t{0}) return true;
        auto const& step = steps[padded >> (64 - step_bits)];
        if (step.count != 0 && step.bits <= bits.have) {
            output.put(step.decoded, step.count);
            bits.drop(step.bits);
            continue;
        }
        LongCode next{static_cast<unsigned char>(step.decoded[0]), 0};
        next.bits = lengths[next.symbol];
        if (step.count == 0) next = find_long_code(padded);
        if (next.bits > bits.have || next.symbol == eos) return false;
        output.put(static_cast<char>(next.symbol));
        bits.drop(next.bits);
    }
}

template <class Output>
bool decode(std::string_view encoded, Output& output) noexcept {
    Bits bits{encoded};
    while (bits.has_word()) {
        bits.take_word();
        do {
            auto const& step = bits.step();
            if (step.count != 0) [[likely]] {
                output.put(step.decoded, step.count);
                bits.drop(step.bits);
                continue;
            }
            if (bits.have < longest) break;
            auto const next = find_long_code(bits.window);
            if (next.symbol == eos) return false;
            output.put(static_cast<char>(next.symbol));
            bits.drop(next.bits);
        } while (bits.have >= step_bits);
    }
    return decode_rest(bits, output);
}

struct Text {
    char* to;
    void put(char c) noexcept { *to++ = c; }
    void put(std::array<char, 2> decoded, unsigned count) noexcept {
        std::memcpy(to, decoded.data(), decoded.size());
        to += count;
    }
};

struct Size {
    std::size_t size = 0;
    void put(char) noexcept { ++size; }
    void put(std::array<char, 2>, unsigned count) noexcept { size += count; }
};

} // namespace

char* decode_huffman(std::string_view encoded, char* to) noexcept {
    Text text{to};
    return decode(encoded, text) ? text.to : nullptr;
}

std::optional<std::size_t> huffman_decoded_size(std::string_view encoded) noexcept {
    Size size;
    if (!decode(encoded, size)) return {};
    return size.size;
}

} // namespace sallyport::http2

// Writes JSON strings from untrusted bytes, a run of plain ones at a time.
#include "gateway/observe/json_text.h"

#include "gateway/simd/blocks.h"
#include "gateway/text/utf8.h"

#include <algorithm>
#include <array>

namespace sallyport::observe {

namespace {

using simd::Block;
using simd::load_block;

Block block_at(std::string_view text, std::size_t at) {
    return load_block(text.data() + at);
}

// All bits set in each byte that a JSON string cannot contain unescaped, or that no text should
// contain: below 0x20, `"`, `\`, DEL, not ASCII.
Block special_bytes(Block block) {
    // As a signed number a byte that is not ASCII is below 0x20 too.
    return (block < 0x20) | (block == '"') | (block == '\\') | (block == 0x7f);
}

bool has_any(Block block) {
    return simd::mask_of(block) != 0;
}

constexpr bool is_special(unsigned char byte) {
    return byte < 0x20 || byte == '"' || byte == '\\' || byte >= 0x7f;
}

// Copies two words that may overlap and together are all of `text`, and returns them as one block.
template <class Word>
Block copy_short(char* to, std::string_view text) {
    std::array<std::uint64_t, 2> halves{};
    auto const last = text.size() - sizeof(Word);
    std::memcpy(&halves[0], text.data(), sizeof(Word));
    std::memcpy(&halves[1], text.data() + last, sizeof(Word));
    std::memcpy(to, &halves[0], sizeof(Word));
    std::memcpy(to + last, &halves[1], sizeof(Word));
    if constexpr (sizeof(Word) < sizeof(std::uint64_t)) {
        // The unused part of a word must not match a special byte.
        halves[0] |= halves[0] << 8 * sizeof(Word);
        halves[1] |= halves[1] << 8 * sizeof(Word);
    }
    Block block;
    std::memcpy(&block, halves.data(), sizeof block);
    return block;
}

// Copies and checks in one pass. False: the output is useless, because `text` contains a byte that
// a JSON string cannot contain unescaped.
bool copy_plain(char* to, std::string_view text) {
    auto const size = text.size();
    if (size < sizeof(std::uint32_t)) {
        auto found = false;
        for (std::size_t i = 0; i < size; ++i) {
            to[i] = text[i];
            found |= is_special(static_cast<unsigned char>(text[i]));
        }
        return !found;
    }
    if (size < sizeof(std::uint64_t))
        return !has_any(special_bytes(copy_short<std::uint32_t>(to, text)));
    if (size < sizeof(Block)) return !has_any(special_bytes(copy_short<std::uint64_t>(to, text)));
    auto found = Block{};
    auto const copy = [&](std::size_t at) {
        auto const block = block_at(text, at);
        std::memcpy(to + at, &block, sizeof block);
        found |= special_bytes(block);
    };
    for (std::size_t at = 0; at + sizeof(Block) < size; at += sizeof(Block))
        copy(at);
    // The last block may overlap the one before it.
    copy(size - sizeof(Block));
    return !has_any(found);
}

constexpr char hex_digit(unsigned value) {
    return "0123456789abcdef"[value & 0xF];
}

constexpr unsigned char byte_of(std::string_view text, std::size_t index) {
    return static_cast<unsigned char>(text[index]);
}

// The escaped form of one character, and how many bytes of the input it took.
struct Escaped {
    std::array<char, longest_written_character> bytes;
    std::size_t size;
    std::size_t taken;
};

Escaped unicode_escape(unsigned code, std::size_t taken) {
    return {{'\\', 'u', '0', '0', hex_digit(code >> 4), hex_digit(code)}, 6, taken};
}

// `text` begins with a special byte.
Escaped escape_first(std::string_view text) {
    auto const byte = byte_of(text, 0);
    switch (byte) {
    case '"': return {{'\\', '"'}, 2, 1};
    case '\\': return {{'\\', '\\'}, 2, 1};
    case '\n': return {{'\\', 'n'}, 2, 1};
    case '\r': return {{'\\', 'r'}, 2, 1};
    case '\t': return {{'\\', 't'}, 2, 1};
    default: break;
    }
    if (byte < 0x80) return unicode_escape(byte, 1);
    auto const size = text::utf8_length(text);
    if (size == 0) return {{'\xEF', '\xBF', '\xBD'}, 3, 1}; // U+FFFD
    // C1 controls: terminals interpret them.
    if (byte == 0xC2 && byte_of(text, 1) < 0xA0) return unicode_escape(byte_of(text, 1), 2);
    Escaped same{{}, size, size};
    for (std::size_t i = 0; i < size; ++i)
        same.bytes[i] = text[i];
    return same;
}

} // namespace

std::size_t plain_prefix(std::string_view text) noexcept {
    std::size_t at = 0;
    while (at + sizeof(Block) <= text.size() && !has_any(special_bytes(block_at(text, at)))) {
        at += sizeof(Block);
    }
    while (at < text.size() && !is_special(byte_of(text, at)))
        ++at;
    return at;
}

void JsonText::string(std::string_view text, std::size_t limit) noexcept {
    if (text.size() <= limit && text.size() + 2 <= room() && copy_plain(at_ + 1, text)) {
        *at_ = '"';
        at_[text.size() + 1] = '"';
        at_ += text.size() + 2;
        return;
    }
    escaped_string(text, limit);
}

std::size_t JsonText::written_size(std::string_view text, std::size_t characters) noexcept {
    std::size_t size = 0;
    while (characters > 0 && !text.empty()) {
        auto const plain = std::min(plain_prefix(text), characters);
        size += plain;
        text.remove_prefix(plain);
        characters -= plain;
        if (characters == 0 || text.empty()) break;
        auto const next = escape_first(text);
        size += next.size;
        text.remove_prefix(next.taken);
        --characters;
    }
    return size;
}

void JsonText::escaped_string(std::string_view text, std::size_t limit) noexcept {
    raw("\"");
    while (!text.empty()) {
        auto const plain = std::min(plain_prefix(text), limit);
        raw(text.substr(0, plain));
        text.remove_prefix(plain);
        limit -= plain;
        if (text.empty()) break;
        // A run of plain bytes ends here only because the limit is reached.
        auto const next = is_special(byte_of(text, 0)) ? escape_first(text) : Escaped{{}, 1, 1};
        if (next.size > limit) {
            raw(cut_mark);
            break;
        }
        raw(std::string_view{next.bytes.data(), next.size});
        text.remove_prefix(next.taken);
        limit -= next.size;
    }
    raw("\"");
}

} // namespace sallyport::observe

// Keeps the lines of one header block, joins cookie crumbs, and copies the result.
#include "gateway/http2/head_block.h"

#include "gateway/http/head.h"

#include <algorithm>
#include <cstring>

namespace sallyport::http2 {

namespace {

using http::FieldId;

// An entry of the decoder's table is decoded behind the stored lines even where storing has
// stopped; a step of the Huffman decoder writes a byte more than it says.
constexpr std::size_t room_behind_text = 4096 + 64;

constexpr std::size_t crumb_separator_size = 2; // RFC 9113, 8.2.3: "; "

std::size_t aligned(std::size_t size) noexcept {
    constexpr std::size_t alignment = alignof(FieldRecord);
    return (size + alignment - 1) / alignment * alignment;
}

std::size_t most_fields(http::HeadLimits const& limits) noexcept {
    return std::min(limits.fields, http::FieldTable::capacity);
}

char* put(char* to, std::string_view text) noexcept {
    std::memcpy(to, text.data(), text.size());
    return to + text.size();
}

} // namespace

std::span<FieldRecord const> StoredHead::records() const noexcept {
    return {reinterpret_cast<FieldRecord const*>(bytes + aligned(text_size)), fields};
}

std::size_t HeadBlock::memory_for(http::HeadLimits const& limits) noexcept {
    return most_fields(limits) * sizeof(FieldRecord) + limits.head + room_behind_text;
}

HeadBlock::HeadBlock(std::span<char> memory, http::HeadLimits const& limits) noexcept
    : limits_{&limits}, records_{reinterpret_cast<FieldRecord*>(memory.data())} {
    auto const records_size = most_fields(limits) * sizeof(FieldRecord);
    text_ = memory.data() + records_size;
    room_ = memory.size() - records_size;
}

std::span<FieldRecord const> HeadBlock::records() const noexcept {
    return {records_, count_};
}

std::size_t HeadBlock::stored_size() const noexcept {
    return aligned(text_size_) + count_ * sizeof(FieldRecord);
}

} // namespace sallyport::http2

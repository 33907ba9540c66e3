// Decodes the representations of a header block (RFC 7541, 6), each into a line.
#include "gateway/http2/hpack_decoder.h"

#include "gateway/http2/huffman.h"

#include <array>
#include <cstring>
#include <limits>

namespace sallyport::http2 {

namespace {

// RFC 7541, 6: the bits of an index or a size behind the pattern of a representation.
constexpr unsigned indexed_prefix = 7;
constexpr unsigned incremental_prefix = 6;
constexpr unsigned size_update_prefix = 5;
constexpr unsigned other_literal_prefix = 4; // without indexing, and never indexed
constexpr unsigned string_prefix = 7;

constexpr unsigned char indexed_pattern = 0x80;
constexpr unsigned char incremental_pattern = 0x40;
constexpr unsigned char size_update_pattern = 0x20;
constexpr unsigned char huffman_flag = 0x80; // RFC 7541, 5.2

// RFC 7541, 4.2: the smallest size since the last block, and the final one.
constexpr unsigned most_size_updates = 2;

constexpr std::size_t separator_size = 2; // colon and space; CR and LF

char* put_pair(char* to, char first, char second) noexcept {
    to[0] = first;
    to[1] = second;
    return to + separator_size;
}

} // namespace

std::string_view name_of(HpackError error) noexcept {
    static constexpr std::array<std::string_view, 7> names{
        "none", "incomplete", "integer", "index", "huffman", "size_update", "too_much_text"};
    return names[static_cast<std::size_t>(error)];
}

struct HpackDecoder::Input {
    unsigned char const* at;
    unsigned char const* end;

    explicit Input(std::string_view block) noexcept
        : at{reinterpret_cast<unsigned char const*>(block.data())}, end{at + block.size()} {}

    [[nodiscard]] std::size_t left() const noexcept { return static_cast<std::size_t>(end - at); }

    // RFC 7541, 5.1; there is at least one octet.
    HpackError take_integer(unsigned prefix, std::uint32_t& value) noexcept {
        std::uint32_t const most = (1U << prefix) - 1;
        value = *at++ & most;
        return value < most ? HpackError::none : take_rest_of_integer(value);
    }
    [[gnu::noinline]] HpackError take_rest_of_integer(std::uint32_t& value) noexcept {
        // Seven bits an octet: none behind the fifth belongs to a number of 32 bits.
        constexpr unsigned most_shift = 4 * 7;
        std::uint64_t sum = value;
        for (unsigned shift = 0; at != end; shift += 7) {
            if (shift > most_shift) return HpackError::integer;
            unsigned char const octet = *at++;
            sum += std::uint64_t{octet & 0x7FU} << shift;
            if ((octet & 0x80U) != 0) continue;
            if (sum > std::numeric_limits<std::uint32_t>::max()) return HpackError::integer;
            value = static_cast<std::uint32_t>(sum);
            return HpackError::none;
        }
        return HpackError::incomplete;
    }
    // RFC 7541, 5.2: `text` is the encoded string.
    HpackError take_string(std::string_view& text, bool& is_huffman) noexcept {
        if (at == end) return HpackError::incomplete;
        is_huffman = (*at & huffman_flag) != 0;
        std::uint32_t size = 0;
        if (auto const error = take_integer(string_prefix, size); error != HpackError::none)
            return error;
        if (size > left()) return HpackError::incomplete;
        text = {reinterpret_cast<char const*>(at), size};
        at += size;
        return HpackError::none;
    }
};

// A line while it is decoded into the memory behind the stored ones. `to` is null once there was no
// room: then the rest is only counted.
struct HpackDecoder::Literal {
    char* line;
    char* to;
    char* end; // of what the line may use
    JudgedField field;
    bool has_known_name = false;
    std::size_t name_size = 0;
    std::size_t value_size = 0;

    // Decodes a string to the end of the line, and returns its size by `size`.
    HpackError take(Input& input, std::size_t& size) noexcept {
        std::string_view text;
        bool is_huffman = false;
        if (auto const error = input.take_string(text, is_huffman); error != HpackError::none)
            return error;
        std::size_t const most = is_huffman ? most_huffman_decoded(text.size()) : text.size();
        if (!has_room(most)) [[unlikely]]
            if (auto const error = take_large(text, is_huffman, size);
                error != HpackError::none || to == nullptr)
                return error;
        if (!is_huffman) {
            if (!text.empty()) std::memcpy(to, text.data(), text.size());
            size = text.size();
        } else {
            char const* const decoded = decode_huffman(text, to);
            if (decoded == nullptr) return HpackError::huffman;
            size = static_cast<std::size_t>(decoded - to);
        }
        to += size;
        return HpackError::none;
    }
    [[nodiscard]] bool has_room(std::size_t size) const noexcept {
        // A separator may have been put behind the end.
        return to != nullptr && to <= end && static_cast<std::size_t>(end - to) >= size;
    }
    // A string that may not fit: its size by another pass.
    [[gnu::noinline]] HpackError take_large(std::string_view text, bool is_huffman,
                                            std::size_t& size) noexcept {
        size = text.size();
        if (is_huffman) {
            auto const decoded = huffman_decoded_size(text);
            if (!decoded) return HpackError::huffman;
            size = *decoded;
        }
        if (!has_room(size)) to = nullptr;
        return HpackError::none;
    }
};

HpackError HpackDecoder::take_size_updates(Input& input) noexcept {
    for (unsigned updates = 0; input.at != input.end; ++updates) {
        if ((*input.at & 0xE0U) != size_update_pattern) return HpackError::none;
        if (updates == most_size_updates) return HpackError::size_update;
        std::uint32_t size = 0;
        auto const error = input.take_integer(size_update_prefix, size);
        if (error != HpackError::none) return error;
        // RFC 7541, 6.3: beyond the limit of the protocol: a decoding error.
        if (size > DynamicTable::most_size) return HpackError::size_update;
        table_.resize(size);
    }
    return HpackError::none;
}

// RFC 7541, 6.1.
inline HpackError HpackDecoder::take_indexed(Input& input, HeadBlock& head) noexcept {
    std::uint32_t index = 0;
    if (auto const error = input.take_integer(indexed_prefix, index); error != HpackError::none)
        return error;
    if (!has_index(index)) return HpackError::index;
    auto const found = find(index);
    if (!head.count(found.field.record.line_size())) return HpackError::too_much_text;
    head.add(found.field, found.line);
    return HpackError::none;
}

// RFC 7541, 6.2: an index of a name, or 0 and the name.
inline HpackError HpackDecoder::take_name(Input& input, unsigned prefix,
                                          Literal& literal) noexcept {
    std::uint32_t index = 0;
    if (auto const error = input.take_integer(prefix, index); error != HpackError::none)
        return error;
    if (index == 0) return literal.take(input, literal.name_size);
    if (!has_index(index)) return HpackError::index;
    auto const found = find(index);
    // The name of a field that was refused may be the reason: it is judged again.
    literal.has_known_name = found.field.refused == nullptr;
    literal.field = found.field;
    literal.name_size = found.field.record.name_size;
    if (!literal.has_room(literal.name_size)) {
        literal.to = nullptr;
        return HpackError::none;
    }
    std::memcpy(literal.to, found.line, literal.name_size);
    literal.to += literal.name_size;
    return HpackError::none;
}

inline HpackError HpackDecoder::take_literal(Input& input, unsigned prefix, HeadBlock& head) {
    auto const room = head.room();
    Literal literal{room.data(), room.data(), room.data() + room.size(), {}};
    if (auto const error = take_name(input, prefix, literal); error != HpackError::none)
        return error;
    if (literal.to != nullptr) literal.to = put_pair(literal.to, ':', ' ');
    if (auto const error = literal.take(input, literal.value_size); error != HpackError::none)
        return error;
    if (literal.to != nullptr) put_pair(literal.to, '\r', '\n');
    return finish_literal(prefix, literal, head);
}

HpackError HpackDecoder::finish_literal(unsigned prefix, Literal const& literal, HeadBlock& head) {
    auto const line_size = literal.name_size + literal.value_size + 2 * separator_size;
    if (!head.count(line_size)) return HpackError::too_much_text;
    if (literal.to == nullptr) [[unlikely]] {
        // Larger than the limits, and than the table, which it empties (RFC 7541, 4.4).
        if (prefix == incremental_prefix) table_.clear();
        head.refuse_line(line_size);
        return HpackError::none;
    }
    auto field = literal.field;
    if (literal.has_known_name)
        judge_value(literal.line, literal.value_size, field);
    else
        judge_line(literal.line, literal.name_size, literal.value_size, field);
    if (prefix == incremental_prefix) table_.insert(field, literal.line);
    head.add_last(field);
    return HpackError::none;
}

HpackError HpackDecoder::decode(std::string_view block, HeadBlock& head) {
    Input input{block};
    auto error = take_size_updates(input);
    while (error == HpackError::none && input.at != input.end) {
        unsigned char const pattern = *input.at;
        if ((pattern & indexed_pattern) != 0)
            error = take_indexed(input, head);
        else if ((pattern & incremental_pattern) != 0)
            error = take_literal(input, incremental_prefix, head);
        else if ((pattern & size_update_pattern) == 0)
            error = take_literal(input, other_literal_prefix, head);
        else
            error = HpackError::size_update; // RFC 7541, 4.2: only in front
    }
    return error;
}

} // namespace sallyport::http2

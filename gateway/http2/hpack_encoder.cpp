// Encodes heads of responses: each field a literal without indexing, most with a static name.
#include "gateway/http2/hpack_encoder.h"

#include "gateway/http/characters.h"
#include "gateway/http2/static_table.h"
#include "gateway/simd/blocks.h"
#include "gateway/text/digits.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace sallyport::http2 {

namespace {

using simd::Block;

// RFC 7541, 6: the patterns of the representations that are written, and their prefixes.
constexpr unsigned indexed_pattern = 0x80;
constexpr unsigned without_indexing_pattern = 0x00;
constexpr unsigned never_indexed_pattern = 0x10;
constexpr unsigned literal_prefix = 4;
constexpr unsigned string_prefix = 7;

// RFC 7541, appendix A.
constexpr unsigned status_index = 8;
constexpr unsigned authorization_index = 23;
constexpr unsigned content_length_index = 28;
constexpr unsigned proxy_authorization_index = 49;
constexpr unsigned set_cookie_index = 55;

// The most that the block has beside kept and added fields: status and Content-Length; and what a
// name that is lowered in blocks may overwrite behind its end.
constexpr std::size_t most_around_fields = 64;

// The next octet of the block.
class BlockWriter {
public:
    explicit BlockWriter(char* to) noexcept : at_{to} {}

    [[nodiscard]] char* at() const noexcept { return at_; }

    void put(unsigned octet) noexcept { *at_++ = static_cast<char>(octet); }
    // RFC 7541, 5.1.
    void put_integer(unsigned pattern, unsigned prefix, std::size_t value) noexcept {
        std::size_t const most = (std::size_t{1} << prefix) - 1;
        if (value < most) return put(pattern | static_cast<unsigned>(value));
        put(pattern | static_cast<unsigned>(most));
        for (value -= most; value >= 0x80; value >>= 7)
            put(0x80U | static_cast<unsigned>(value & 0x7FU));
        put(static_cast<unsigned>(value));
    }
    // RFC 7541, 5.2, without Huffman coding.
    void put_string(std::string_view text) noexcept {
        put_integer(0, string_prefix, text.size());
        put_bytes(text);
    }
    void put_bytes(std::string_view text) noexcept {
        if (text.empty()) return;
        std::memcpy(at_, text.data(), text.size());
        at_ += text.size();
    }

private:
    char* at_;
};

// Copies the name in small letters (RFC 9113, 8.2.1). Overwrites less than a block behind it.
void put_lowered(char* to, std::string_view name) noexcept {
    std::memcpy(to, name.data(), name.size());
    for (std::size_t i = 0; i < name.size(); i += sizeof(Block)) {
        Block const block = simd::load_block(to + i);
        Block const lowered = block | ((block >= 'A') & (block <= 'Z') & 0x20);
        std::memcpy(to + i, &lowered, sizeof lowered);
    }
}

// RFC 7541, 7.1.3: values that are secrets and may be guessed, for those who encode it again.
bool is_secret(std::size_t index) noexcept {
    return index == set_cookie_index || index == authorization_index
           || index == proxy_authorization_index;
}

// RFC 7541, 6.2.2 and 6.2.3.
void put_field(BlockWriter& writer, std::string_view name, std::string_view value) noexcept {
    // A short name is lowered where it stays: behind the pattern and its length. A longer one has
    // room in front for any length.
    constexpr std::size_t short_name = (1U << string_prefix) - 1;
    std::size_t const place = name.size() < short_name ? 2 : 8;
    char* const lowered = writer.at() + place;
    put_lowered(lowered, name);
    auto const index = static_index_of({lowered, name.size()});
    if (index != 0) {
        writer.put_integer(is_secret(index) ? never_indexed_pattern : without_indexing_pattern,
                           literal_prefix, index);
    } else {
        writer.put(without_indexing_pattern);
        writer.put_integer(0, string_prefix, name.size());
        if (writer.at() != lowered) std::memmove(writer.at(), lowered, name.size());
        writer = BlockWriter{writer.at() + name.size()};
    }
    writer.put_string(value);
}

// Whole lines, each ending in CR LF: those of a head that passed the policy for responses.
void put_lines(BlockWriter& writer, std::string_view lines) noexcept {
    while (!lines.empty()) {
        auto const colon = lines.find(':');
        auto const end = lines.find('\r', colon);
        put_field(writer, lines.substr(0, colon),
                  http::trim_white_space(lines.substr(colon + 1, end - colon - 1)));
        lines.remove_prefix(end + 2);
    }
}

void put_status(BlockWriter& writer, unsigned status) noexcept {
    // RFC 7541, appendix A: the statuses that have an index, from status_index on.
    constexpr std::array indexed{200U, 204U, 206U, 304U, 400U, 404U, 500U};
    for (unsigned i = 0; i < indexed.size(); ++i)
        if (indexed[i] == status) return writer.put(indexed_pattern | (status_index + i));
    std::array<char, text::most_digits> digits{};
    auto const end = text::put_digits(digits.data(), std::uint64_t{status});
    writer.put(without_indexing_pattern | status_index);
    writer.put_string({digits.data(), static_cast<std::size_t>(end - digits.data())});
}

void put_content_length(BlockWriter& writer, std::uint64_t length) noexcept {
    std::array<char, text::most_digits> digits{};
    auto const end = text::put_digits(digits.data(), length);
    writer.put_integer(without_indexing_pattern, literal_prefix, content_length_index);
    writer.put_string({digits.data(), static_cast<std::size_t>(end - digits.data())});
}

// `text`: the bytes of the lines. A field has three bytes beside name and value, as the shortest
// line has; the length of a string takes more bytes only from 127 on, and never a sixteenth of it.
std::size_t most_size(std::size_t text) noexcept {
    return text + text / 16 + most_around_fields;
}

} // namespace

std::size_t most_block_size(http::OutgoingHead const& head) noexcept {
    std::size_t size = 0;
    for (auto const lines : head.kept)
        size += lines.size();
    for (auto const& field : head.added)
        size += field.name.size() + field.value.size() + 3;
    return most_size(size);
}

std::size_t most_block_size(std::string_view lines) noexcept {
    return most_size(lines.size());
}

std::size_t encode_head(http::OutgoingHead const& head, char* to) noexcept {
    BlockWriter writer{to};
    put_status(writer, head.status);
    for (auto const lines : head.kept)
        put_lines(writer, lines);
    for (auto const& field : head.added)
        put_field(writer, field.name, field.value);
    if (head.length) put_content_length(writer, *head.length);
    return static_cast<std::size_t>(writer.at() - to);
}

std::size_t encode_trailers(std::string_view lines, char* to) noexcept {
    BlockWriter writer{to};
    put_lines(writer, lines);
    return static_cast<std::size_t>(writer.at() - to);
}

} // namespace sallyport::http2

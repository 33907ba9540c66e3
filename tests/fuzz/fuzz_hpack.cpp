// Fuzzes header blocks. On one table after the other nghttp2 finds the same fields, or both refuse;
// the tables have the same entries; an entry keeps the verdict that its line gets.
//
// An input is a sequence of blocks on one table: an octet with the size of the next block, or 0xff
// for all that is left.
#include "check.h"

#include "gateway/http/head.h"
#include "gateway/http2/head_block.h"
#include "gateway/http2/hpack_decoder.h"

#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <string>
#include <vector>

namespace {

using namespace sallyport;
using fuzz::check;
using http2::HpackError;

// As much as is decoded, so that mostly the policy alone stops storing; and less than inputs have.
constexpr http::HeadLimits wide{1 << 16, 1 << 16, http::FieldTable::capacity};
constexpr http::HeadLimits narrow{256, 64, 8};

std::string_view text_of(std::uint8_t const* bytes, std::size_t size) {
    return {reinterpret_cast<char const*>(bytes), size};
}

std::string line_of(std::string_view name, std::string_view value) {
    return std::string{name}.append(": ").append(value).append("\r\n");
}

struct OtherDecoder {
    nghttp2_hd_inflater* inflater = nullptr;

    OtherDecoder() { check(nghttp2_hd_inflate_new(&inflater) == 0, "there is memory"); }
    ~OtherDecoder() { nghttp2_hd_inflate_del(inflater); }
    OtherDecoder(OtherDecoder const&) = delete;
    OtherDecoder& operator=(OtherDecoder const&) = delete;

    // Appends the lines; false if the block is refused.
    bool decode(std::string_view block, std::vector<std::string>& lines) const {
        auto const* at = reinterpret_cast<std::uint8_t const*>(block.data());
        auto left = block.size();
        while (true) {
            nghttp2_nv field{};
            int flags = 0;
            auto const used = nghttp2_hd_inflate_hd2(inflater, &field, &flags, at, left, 1);
            if (used < 0) return false;
            at += used;
            left -= static_cast<std::size_t>(used);
            if ((flags & NGHTTP2_HD_INFLATE_EMIT) != 0)
                lines.push_back(line_of(text_of(field.name, field.namelen),
                                        text_of(field.value, field.valuelen)));
            if ((flags & NGHTTP2_HD_INFLATE_FINAL) != 0) break;
        }
        return nghttp2_hd_inflate_end_headers(inflater) == 0;
    }
};

// RFC 7541, 4.2: how many changes of the size are in front. Ours are two at most, nghttp2's any.
std::size_t size_updates(std::string_view block) {
    std::size_t updates = 0;
    for (std::size_t at = 0; at < block.size() && (block[at] & 0xE0) == 0x20; ++updates) {
        bool const is_long = (block[at++] & 0x1F) == 0x1F;
        while (is_long && at < block.size() && (block[at++] & 0x80) != 0) {
        }
    }
    return updates;
}

void check_verdict(http2::JudgedField const& field, std::string const& line) {
    auto readable = line + std::string(16, '\r');
    http2::JudgedField judged;
    http2::judge_line(readable.data(), field.record.name_size, field.record.value_size, judged);
    check(judged.refused == field.refused, "a field has the verdict of its line");
    check(judged.record.id == field.record.id, "a field has the id of its name");
    check(judged.record.pseudo == field.record.pseudo, "a field is a pseudo field by its name");
}

void check_tables(http2::DynamicTable const& table, nghttp2_hd_inflater* other) {
    check(table.memory() <= 8 * 1024, "the memory of a table is bounded");
    check(table.size() == nghttp2_hd_inflate_get_dynamic_table_size(other),
          "tables are of the same size");
    auto const others = nghttp2_hd_inflate_get_num_table_entries(other);
    check(table.entries() + http2::static_table_size == others, "tables have as many entries");
    for (std::size_t age = 0; age < table.entries(); ++age) {
        auto const* const entry =
            nghttp2_hd_inflate_get_table_entry(other, age + http2::static_table_size + 1);
        auto const ours = table.at(age);
        std::string const line{ours.line, ours.field.record.line_size()};
        check(line
                  == line_of(text_of(entry->name, entry->namelen),
                             text_of(entry->value, entry->valuelen)),
              "tables have the same entries");
        check(ours.field.record.name_size == entry->namelen, "a name ends where it does");
        check_verdict(ours.field, line);
    }
}

// What was stored is what the other has found, up to the first field that is refused.
void check_lines(http2::HeadBlock const& head, std::vector<std::string> const& lines) {
    auto const text = head.text();
    std::size_t at = 0;
    std::size_t count = 0;
    for (auto const& record : head.records()) {
        check(count < lines.size(), "no more fields than the other finds");
        check(text.substr(at, record.line_size()) == lines[count], "the same field");
        check(lines[count][record.name_size] == ':', "the same name");
        at += record.line_size();
        ++count;
    }
    check(at == text.size(), "the lines are the text");
    check(head.refused() != nullptr || count == lines.size(), "all that the other finds");
    std::size_t decoded = 0;
    for (auto const& line : lines)
        decoded += line.size();
    check(decoded == head.decoded_size(), "as much text as the other finds");
}

void check_stored(http2::HeadBlock const& head) {
    std::vector<char> memory(head.stored_size());
    auto const stored = head.store(memory.data());
    std::size_t size = 0;
    for (auto const& record : stored.records())
        size += record.line_size();
    check(size == stored.text_size, "the stored records are those of the stored text");
    check(stored.refused == head.refused(), "the reason is stored");
}

// Both get the same blocks; `limits` decide what is stored, and nothing else.
void compare(std::string_view blocks, http::HeadLimits const& limits) {
    http2::HpackDecoder decoder;
    OtherDecoder const other;
    fuzz::Edge edge{http2::HeadBlock::memory_for(limits)};
    while (!blocks.empty()) {
        std::size_t const size = fuzz::take_byte(blocks);
        auto const taken = size == 0xFF ? blocks.size() : std::min(size, blocks.size());
        fuzz::Copy const block{blocks.substr(0, taken)};
        blocks.remove_prefix(taken);
        std::vector<std::string> lines;
        bool const is_valid = other.decode(block.view(), lines);
        http2::HeadBlock head{edge.room(http2::HeadBlock::memory_for(limits)), limits};
        auto const error = decoder.decode(block.view(), head);
        if (error == HpackError::too_much_text) return;
        if (error == HpackError::size_update && size_updates(block.view()) > 2) return;
        check((error == HpackError::none) == is_valid, "both decode a block, or both refuse it");
        if (!is_valid) return;
        check_tables(decoder.table(), other.inflater);
        check_lines(head, lines);
        check_stored(head);
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    auto const input = fuzz::view_of(data, size);
    compare(input, wide);
    compare(input, narrow);
    return 0;
}

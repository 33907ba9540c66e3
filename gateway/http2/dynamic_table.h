// The dynamic table of HPACK (RFC 7541, 2.3.2 and 4): finished lines with their verdicts.
#pragma once

#include "gateway/http2/field_rules.h"
#include "gateway/http2/static_table.h"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace sallyport::http2 {

/// The table of one connection: its memory grows with its entries, up to 8 KiB.
class DynamicTable {
public:
    /// SETTINGS_HEADER_TABLE_SIZE: the value that holds without a setting (RFC 9113, 6.5.2).
    static constexpr std::size_t most_size = 4096;
    /// RFC 7541, 4.1: what an entry counts beside its name and value, in bytes.
    static constexpr std::size_t entry_overhead = 32;

    /// The number of entries.
    [[nodiscard]] std::size_t entries() const noexcept { return count_; }
    /// As RFC 7541, 4.1 counts it, in bytes.
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    /// Bytes allocated.
    [[nodiscard]] std::size_t memory() const noexcept;

    /// `age`: 0 for the newest entry, below entries(). Valid until the next insert().
    [[nodiscard]] TableField at(std::size_t age) const noexcept;

    /// RFC 7541, 4.3: evicts what has no room any more. `size`: at most `most_size`.
    void resize(std::size_t size) noexcept;

    /// RFC 7541, 4.4: evicts the oldest entries until there is room. An entry that is larger than
    /// the table empties it. `line` is copied and must not be in the table. Throws std::bad_alloc.
    void insert(JudgedField const& field, char const* line);
    /// As insert() with an entry that is larger than the table.
    void clear() noexcept;

private:
    struct Entry {
        http::Refused refused = nullptr;
        FieldRecord record;
        std::uint16_t position = 0; // of its line, counted from the first line ever, modulo 2^16
    };
    static_assert(sizeof(Entry) == 16);
    // Lines have four bytes more than name and value, entries count 32 more, so that lines need
    // less than `most_size`; with half as much again they are moved once for several insertions.
    static constexpr std::size_t most_text = most_size + most_size / 2;
    static constexpr std::size_t least_text = 1024;
    static constexpr std::size_t most_entries = most_size / entry_overhead;
    static constexpr std::size_t least_entries = 16;
    static_assert(most_text < 0x10000 && (most_entries & (most_entries - 1)) == 0);

    [[nodiscard]] Entry& entry(std::size_t number) const noexcept {
        return entries_[number & (entries_room_ - 1)];
    }
    [[nodiscard]] char* line_of(Entry const& entry) const noexcept {
        return text_.get() + static_cast<std::uint16_t>(entry.position - origin_);
    }
    void evict_to(std::size_t size) noexcept;
    void make_room(std::size_t line_size);
    void make_room_for_entry();

    std::size_t limit_ = most_size;
    std::size_t size_ = 0;
    std::size_t count_ = 0;
    std::size_t next_ = 0;         // the number of the next entry; of the oldest: next_ - count_
    std::size_t text_room_ = 0;    // allocated bytes
    std::size_t text_end_ = 0;     // behind the newest line
    std::size_t entries_room_ = 0; // a power of two
    std::uint16_t origin_ = 0;     // the position of the first byte of the text
    std::unique_ptr<char[]> text_;
    std::unique_ptr<Entry[]> entries_;
};

} // namespace sallyport::http2

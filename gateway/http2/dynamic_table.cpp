// Keeps the lines of the table's entries one behind the other in one block of memory, and moves
// them to its front when it is used up.
#include "gateway/http2/dynamic_table.h"

#include <algorithm>
#include <cstring>

namespace sallyport::http2 {

namespace {

std::size_t size_of(FieldRecord const& record) noexcept {
    return std::size_t{record.name_size} + record.value_size + DynamicTable::entry_overhead;
}

} // namespace

std::size_t DynamicTable::memory() const noexcept {
    return text_room_ + entries_room_ * sizeof(Entry);
}

TableField DynamicTable::at(std::size_t age) const noexcept {
    auto const& found = entry(next_ - 1 - age);
    return {{found.refused, found.record}, line_of(found)};
}

void DynamicTable::evict_to(std::size_t size) noexcept {
    while (size_ > size) {
        size_ -= size_of(entry(next_ - count_).record);
        --count_;
    }
}

void DynamicTable::resize(std::size_t size) noexcept {
    limit_ = size;
    evict_to(size);
}

void DynamicTable::clear() noexcept {
    size_ = 0;
    count_ = 0;
}

void DynamicTable::insert(JudgedField const& field, char const* line) {
    auto const size = size_of(field.record);
    if (size > limit_) return clear();
    evict_to(limit_ - size);
    auto const line_size = field.record.line_size();
    if (text_room_ - text_end_ < line_size) make_room(line_size);
    if (count_ == entries_room_) make_room_for_entry();
    std::memcpy(text_.get() + text_end_, line, line_size);
    entry(next_) = {field.refused, field.record, static_cast<std::uint16_t>(origin_ + text_end_)};
    text_end_ += line_size;
    size_ += size;
    ++count_;
    ++next_;
}

// Moves the lines of the entries to the front, into a larger block if they need more than half of
// this one.
void DynamicTable::make_room(std::size_t line_size) {
    std::size_t const begin =
        count_ == 0 ? text_end_
                    : static_cast<std::size_t>(line_of(entry(next_ - count_)) - text_.get());
    auto const used = text_end_ - begin;
    auto room = std::max(text_room_, least_text);
    while (room < most_text && used + line_size > room / 2)
        room = std::min(2 * room, most_text);
    if (room == text_room_) {
        std::memmove(text_.get(), text_.get() + begin, used);
    } else {
        auto larger = std::make_unique_for_overwrite<char[]>(room);
        if (used != 0) std::memcpy(larger.get(), text_.get() + begin, used);
        text_ = std::move(larger);
        text_room_ = room;
    }
    origin_ = static_cast<std::uint16_t>(origin_ + begin);
    text_end_ = used;
}

void DynamicTable::make_room_for_entry() {
    auto const room = std::max(2 * entries_room_, least_entries);
    auto larger = std::make_unique<Entry[]>(room);
    for (std::size_t number = next_ - count_; number != next_; ++number)
        larger[number & (room - 1)] = entry(number);
    entries_ = std::move(larger);
    entries_room_ = room;
}

} // namespace sallyport::http2

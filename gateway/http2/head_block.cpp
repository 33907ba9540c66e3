// Keeps the lines of one header block, joins cookie crumbs, and copies the result.
#include "gateway/http2/head_block.h"

#include "gateway/http/head.h"
#include "gateway/http2/broken.h"
#include "gateway/http2/dynamic_table.h"

#include <algorithm>
#include <cstring>

namespace sallyport::http2 {

namespace {

using http::FieldId;

// Behind the stored lines there is room for an entry of the table, also where storing has stopped.
constexpr std::size_t room_behind_text = DynamicTable::most_size + HeadBlock::slack;

constexpr std::size_t longest_record = 0xffff; // it counts in 16 bits
constexpr std::size_t line_end = 2;            // CR, LF

constexpr std::string_view cookie = "cookie: ";
constexpr std::string_view crumb_separator = "; "; // RFC 9113, 8.2.3

std::size_t aligned(std::size_t size) noexcept {
    constexpr std::size_t alignment = alignof(FieldRecord);
    return (size + alignment - 1) / alignment * alignment;
}

std::size_t most_fields(http::HeadLimits const& limits) noexcept {
    return std::min(limits.fields, http::FieldTable::capacity);
}

// RFC 9113, 8.2.3: only of Cookie the value may be split. (Cookie2 has the same id.)
bool is_crumb(FieldRecord const& record) noexcept {
    return record.id == FieldId::cookie && record.name_size == cookie.size() - 2;
}

char* put(char* to, std::string_view text) noexcept {
    std::memcpy(to, text.data(), text.size());
    return to + text.size();
}

// Writes all values of crumbs among the lines, joined. An empty one adds nothing: a value does not
// end with white space.
char* put_joined(char* to, char const* line, std::span<FieldRecord const> records) noexcept {
    to = put(to, cookie);
    bool is_first = true;
    for (auto const& record : records) {
        if (is_crumb(record) && record.value_size != 0) {
            if (!is_first) to = put(to, crumb_separator);
            is_first = false;
            to = put(to, {line + cookie.size(), record.value_size});
        }
        line += record.line_size();
    }
    return put(to, "\r\n");
}

} // namespace

std::span<FieldRecord const> StoredHead::records() const noexcept {
    return {reinterpret_cast<FieldRecord const*>(bytes + aligned(text_size)), fields};
}

std::size_t HeadBlock::memory_for(http::HeadLimits const& limits) noexcept {
    return most_fields(limits) * sizeof(FieldRecord) + limits.head + room_behind_text;
}

HeadBlock::HeadBlock(std::span<char> memory, http::HeadLimits const& limits) noexcept
    : records_{reinterpret_cast<FieldRecord*>(memory.data())}, most_stored_{limits.head},
      most_text_{std::max(most_text, limits.head)},
      longest_line_{std::min(limits.line, longest_record)}, most_fields_{most_fields(limits)} {
    auto const records_size = most_fields_ * sizeof(FieldRecord);
    text_ = memory.data() + records_size;
    memory_size_ = memory.size() - records_size;
}

std::span<char> HeadBlock::room() const noexcept {
    auto const size = memory_size_ - text_size_ - slack;
    return {text_ + text_size_, std::min(size, longest_record)};
}

bool HeadBlock::accepts_crumb(FieldRecord const& record) noexcept {
    auto size = crumbs_ == 0 ? cookie.size() : joined_size_;
    if (record.value_size != 0)
        size += (size == cookie.size() ? 0 : crumb_separator.size()) + record.value_size;
    if (size > longest_line_) return false;
    joined_size_ = size;
    crumbs_size_ += record.line_size();
    ++crumbs_;
    return true;
}

// The limits in the order of HTTP/1: the line, the head, the field itself, their number.
inline bool HeadBlock::accepts(JudgedField const& field) noexcept {
    if (refused_ != nullptr) return false;
    auto const line_size = field.record.line_size();
    if (line_size - line_end > longest_line_)
        refused_ = broken(http::rules::line_too_long);
    else if (text_size_ + line_size > most_stored_)
        refused_ = broken(http::rules::head_too_large);
    else if (field.refused != nullptr)
        refused_ = field.refused;
    else if (count_ == most_fields_) // RFC 9110, 5.4: our own limit
        refused_ = broken(http::rules::too_many_fields);
    else if (is_crumb(field.record) && !accepts_crumb(field.record))
        refused_ = broken(http::rules::line_too_long);
    return refused_ == nullptr;
}

void HeadBlock::add(JudgedField const& field, char const* line) noexcept {
    if (!accepts(field)) return;
    std::memcpy(text_ + text_size_, line, field.record.line_size());
    push(field.record);
}

void HeadBlock::add_last(JudgedField const& field) noexcept {
    if (accepts(field)) push(field.record);
}

void HeadBlock::refuse_line(std::size_t line_size) noexcept {
    if (refused_ != nullptr) return;
    bool const is_too_long = line_size - line_end > longest_line_;
    refused_ = broken(is_too_long ? http::rules::line_too_long : http::rules::head_too_large);
}

std::size_t HeadBlock::stored_text_size() const noexcept {
    return crumbs_ < 2 ? text_size_ : text_size_ - crumbs_size_ + joined_size_ + line_end;
}

std::size_t HeadBlock::stored_count() const noexcept {
    return crumbs_ < 2 ? count_ : count_ - crumbs_ + 1;
}

std::size_t HeadBlock::stored_size() const noexcept {
    return aligned(stored_text_size()) + stored_count() * sizeof(FieldRecord);
}

// Line by line, with one for all crumbs.
void HeadBlock::store_joined(char* to, char* record_to) const noexcept {
    char const* line = text_;
    bool is_first = true;
    for (std::size_t i = 0; i < count_; ++i) {
        auto record = records_[i];
        auto const line_size = record.line_size();
        bool const is_joined = is_crumb(record);
        if (is_joined && is_first) {
            to = put_joined(to, line, records().subspan(i));
            record.value_size = static_cast<std::uint16_t>(joined_size_ - cookie.size());
        } else if (!is_joined) {
            to = put(to, {line, line_size});
        }
        if (!is_joined || is_first) {
            std::memcpy(record_to, &record, sizeof record);
            record_to += sizeof record;
        }
        if (is_joined) is_first = false;
        line += line_size;
    }
}

StoredHead HeadBlock::store(char* to) const noexcept {
    StoredHead const stored{to, static_cast<std::uint32_t>(stored_text_size()),
                            static_cast<std::uint32_t>(stored_count()), refused_};
    auto* const record_to = to + aligned(stored.text_size);
    if (crumbs_ >= 2) {
        store_joined(to, record_to);
    } else if (count_ != 0) {
        std::memcpy(to, text_, text_size_);
        std::memcpy(record_to, records_, count_ * sizeof(FieldRecord));
    }
    return stored;
}

} // namespace sallyport::http2

// Heads of requests and responses as views into their bytes, and the functions that parse them.
#pragma once

#include "gateway/http/authority.h"
#include "gateway/http/field_name.h"
#include "gateway/http/framing.h"
#include "gateway/http/method.h"
#include "gateway/http/protocol.h"
#include "gateway/http/refusal.h"
#include "gateway/http/target.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace sallyport::http {

struct FieldLine {
    FieldId id;
    std::string_view name;
    std::string_view value; // without the white space around it
    std::string_view line;  // with its CR LF: adjacent kept lines merge into one view
};

/// The field lines of one head, in order: offsets into its bytes, 16 bytes a line, no allocation.
/// Copyable; valid as long as those bytes do not move.
class FieldTable {
public:
    static constexpr std::size_t capacity = 256;

    /// Leaves the lines uninitialised: they are written before they are read.
    FieldTable() noexcept {}

    [[nodiscard]] std::size_t size() const noexcept { return count_; }
    FieldLine operator[](std::size_t i) const noexcept;

    [[nodiscard]] bool has(FieldId id) const noexcept { return (present_ & mask(id)) != 0; }
    /// The number of lines with this id.
    [[nodiscard]] std::size_t count(FieldId id) const noexcept;
    /// More than one line of it: `count(id) > 1`, in constant time.
    [[nodiscard]] bool is_repeated(FieldId id) const noexcept {
        return (repeated_ & mask(id)) != 0;
    }
    /// The value of the first line with that id. Check `is_repeated` where further lines matter.
    [[nodiscard]] std::optional<std::string_view> find(FieldId id) const noexcept;
    /// By name, case-insensitively: for fields that have no id.
    [[nodiscard]] std::optional<std::string_view> find(std::string_view name) const noexcept;

    class Iterator {
    public:
        FieldLine operator*() const noexcept { return (*table_)[i_]; }
        Iterator& operator++() noexcept {
            ++i_;
            return *this;
        }
        friend bool operator==(Iterator const&, Iterator const&) = default;

    private:
        friend FieldTable;
        Iterator(FieldTable const* table, std::size_t i) noexcept : table_{table}, i_{i} {}
        FieldTable const* table_;
        std::size_t i_;
    };
    [[nodiscard]] Iterator begin() const noexcept { return {this, 0}; }
    [[nodiscard]] Iterator end() const noexcept { return {this, count_}; }

    /// For parsers: removes all lines and refers to other bytes.
    void reset(char const* bytes) noexcept;
    /// For parsers: all views are within the bytes given to reset. The caller ensures `size() <
    /// capacity`.
    void append(FieldLine const& field) noexcept;

private:
    struct Entry {
        std::uint32_t line;
        std::uint32_t line_size;
        std::uint16_t name_size; // a name begins its line
        std::uint16_t value;     // the offset from the begin of the line
        std::uint16_t value_size;
        FieldId id;
    };
    [[nodiscard]] static constexpr std::uint64_t mask(FieldId id) noexcept {
        return std::uint64_t{1} << static_cast<unsigned>(id);
    }

    char const* bytes_ = nullptr;
    std::uint64_t present_ = 0;
    std::uint64_t repeated_ = 0;
    std::size_t count_ = 0;
    std::array<Entry, capacity> entries_;
};

/// The lines of a field that has no FieldId.
struct FoundLines {
    std::size_t count = 0;
    std::string_view value; // of the first
};

/// `lower_case`: the name.
[[nodiscard]] FoundLines find_lines(FieldTable const& fields, std::string_view lower_case) noexcept;

/// Called for each line of each head.
inline FieldLine FieldTable::operator[](std::size_t i) const noexcept {
    auto const& entry = entries_[i];
    char const* const line = bytes_ + entry.line;
    return {entry.id,
            {line, entry.name_size},
            {line + entry.value, entry.value_size},
            {line, entry.line_size}};
}

inline std::optional<std::string_view> FieldTable::find(FieldId id) const noexcept {
    if (!has(id)) return {};
    for (std::size_t i = 0; i < count_; ++i)
        if (entries_[i].id == id) return (*this)[i].value;
    return {};
}

inline void FieldTable::append(FieldLine const& field) noexcept {
    auto const line = field.line.data();
    // A value that is all white space is an empty view behind it: still within the line.
    entries_[count_++] = {static_cast<std::uint32_t>(line - bytes_),
                          static_cast<std::uint32_t>(field.line.size()),
                          static_cast<std::uint16_t>(field.name.size()),
                          static_cast<std::uint16_t>(field.value.data() - line),
                          static_cast<std::uint16_t>(field.value.size()),
                          field.id};
    repeated_ |= present_ & mask(field.id);
    present_ |= mask(field.id);
}

struct RequestHead {
    /// Not defaulted: `{}` must not clear the table of fields.
    RequestHead() noexcept {}

    /// For parsers: resets all members and refers to other bytes.
    void reset(char const* bytes) noexcept;

    Method method = Method::unknown;
    std::string_view method_text;
    std::string_view raw_target;
    Target target;
    Authority host; // from the only Host field
    Protocol protocol = Protocol::http_1_1;
    RequestFraming framing;
    /// How many more servers an OPTIONS may reach; empty: unlimited.
    std::optional<unsigned> max_forwards;
    SecondOpinion second_opinion = SecondOpinion::needed;
    std::size_t size = 0; // size of the head in bytes, its empty line included
    FieldTable fields;
};

struct ResponseHead {
    ResponseHead() noexcept {}

    void reset(char const* bytes) noexcept;

    unsigned status = 0;
    std::string_view reason;
    Protocol protocol = Protocol::http_1_1;
    ResponseFraming framing;
    SecondOpinion second_opinion = SecondOpinion::needed;
    std::size_t size = 0;
    FieldTable fields;
};

inline constexpr std::size_t no_end = static_cast<std::size_t>(-1);

/// The offset behind the empty line of the head at the beginning of `bytes`, or `no_end`. `from`:
/// how many bytes an earlier call has searched. A line feed without a carriage return counts as the
/// end, because no valid head can contain it: parsing refuses it. While there is no end the caller
/// compares the size with HeadLimits::head.
[[nodiscard]] std::size_t find_end_of_head(std::string_view bytes, std::size_t from) noexcept;

/// Parses the head at the beginning of `bytes`; ignores the bytes behind it. The framing policy
/// checks first; then, unless the head is unambiguous, Beast's parser must find the same lines in
/// it. Null: `head` is complete and valid, and ends at find_end_of_head(). Otherwise `head`
/// contains the parts before the error, for the log only; only find_end_of_head() decides whether
/// more bytes could complete it.
Refused parse_request_head(std::string_view bytes, HeadLimits const& limits, RequestHead& head);

/// The same for a response. Interim responses (1xx) are returned as heads of their own: at most
/// `max_interim_responses` of them are read before the final one. 101 is always refused: we never
/// forward `Upgrade`.
Refused parse_response_head(std::string_view bytes, HeadLimits const& limits, ResponseTo request,
                            ResponseHead& head);

inline constexpr unsigned max_interim_responses = 10;

} // namespace sallyport::http

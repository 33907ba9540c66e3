// What is decoded from one header block: lines as HTTP/1 has them, with a record for each, and the
// first reason to refuse them.
#pragma once

#include "gateway/http/field_name.h"
#include "gateway/http/framing.h"
#include "gateway/http/refusal.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace sallyport::http2 {

/// RFC 9113, 8.3.1, and RFC 8441, 4: the pseudo fields of a request. `unknown`: any other name that
/// begins with a colon.
enum class PseudoField : std::uint8_t { none, method, scheme, authority, path, protocol, unknown };

/// One line `name: value` CR LF of a head. Lines stand in order, without gaps.
struct FieldRecord {
    std::uint16_t name_size = 0;
    std::uint16_t value_size = 0;
    http::FieldId id = http::FieldId::unknown;
    PseudoField pseudo = PseudoField::none;

    /// In bytes: a colon, a space, CR and LF are added to name and value.
    [[nodiscard]] constexpr std::size_t line_size() const noexcept {
        return std::size_t{name_size} + value_size + 4;
    }
};

/// The fields of one header block in memory that a stream owns: the text of the lines, the cookie
/// crumbs joined, and behind it the records. Pseudo fields are lines too.
struct StoredHead {
    char const* bytes = nullptr; // of the lines, aligned as FieldRecord
    std::uint32_t text_size = 0; // their bytes
    std::uint32_t fields = 0;    // their number
    http::Refused refused = nullptr;

    [[nodiscard]] std::span<FieldRecord const> records() const noexcept;
};

/// A field with the verdict on it.
struct JudgedField {
    http::Refused refused = nullptr;
    FieldRecord record;
};

/// Where HpackDecoder writes. Used for one block at a time; its memory is the caller's, is not
/// cleared, and may be used again once the block was stored.
class HeadBlock {
public:
    /// Decoded text of one block, in bytes of lines, unless HeadLimits::head is more: beyond that
    /// limit nothing is stored, beyond this one nothing is decoded.
    static constexpr std::size_t most_text = std::size_t{64} * 1024;
    /// Bytes behind a line in room() that may be read and overwritten.
    static constexpr std::size_t slack = 32;

    /// The bytes of memory that a block needs, whatever it contains.
    [[nodiscard]] static std::size_t memory_for(http::HeadLimits const& limits) noexcept;

    /// `memory`: aligned for any type, of memory_for(limits) bytes at least.
    HeadBlock(std::span<char> memory, http::HeadLimits const& limits) noexcept;

    /// The first reason to refuse the head, null so far: a field that the policy refuses, or
    /// `head_too_large`, `line_too_long`, `too_many_fields`. What comes behind it is not stored.
    [[nodiscard]] http::Refused refused() const noexcept { return refused_; }
    /// Decoded text in bytes, counted as lines, with those that were not stored.
    [[nodiscard]] std::size_t decoded_size() const noexcept { return decoded_; }
    [[nodiscard]] std::span<FieldRecord const> records() const noexcept {
        return {records_, count_};
    }
    /// The lines of records(), crumbs not joined.
    [[nodiscard]] std::string_view text() const noexcept { return {text_, text_size_}; }

    /// The bytes that store() writes.
    [[nodiscard]] std::size_t stored_size() const noexcept;
    /// Copies the head to `to`, aligned as FieldRecord, of stored_size() bytes. RFC 9113, 8.2.3:
    /// cookie crumbs become one line, where the first of them stood; empty ones add nothing to it.
    [[nodiscard]] StoredHead store(char* to) const noexcept;

    /// For the decoder: where the next line may be decoded, of at most 2^16 - 1 bytes, and with
    /// `slack` bytes behind it. Every line that the dynamic table takes fits.
    [[nodiscard]] std::span<char> room() const noexcept;
    /// For the decoder: counts a line that is stored or not; false beyond the limit.
    [[nodiscard]] bool count(std::size_t line_size) noexcept {
        decoded_ += line_size;
        return decoded_ <= most_text_;
    }
    /// For the decoder: stores a line, unless it or a line before it is refused.
    void add(JudgedField const& field, char const* line) noexcept;
    /// For the decoder: the same for a line at the front of room().
    void add_last(JudgedField const& field) noexcept;
    /// For the decoder: refuses a line for which there is no room.
    void refuse_line(std::size_t line_size) noexcept;

private:
    [[nodiscard]] bool accepts(JudgedField const& field) noexcept;
    [[nodiscard]] bool accepts_crumb(FieldRecord const& record) noexcept;
    [[nodiscard]] std::size_t stored_text_size() const noexcept;
    [[nodiscard]] std::size_t stored_count() const noexcept;
    void store_joined(char* to, char* record_to) const noexcept;
    void push(FieldRecord const& record) noexcept {
        text_size_ += record.line_size();
        records_[count_++] = record;
    }

    FieldRecord* records_;
    char* text_;
    std::size_t memory_size_; // from text_ on
    std::size_t most_stored_;
    std::size_t most_text_;
    std::size_t longest_line_; // its end not included
    std::size_t most_fields_;
    std::size_t text_size_ = 0;
    std::size_t count_ = 0;
    std::size_t decoded_ = 0;
    std::size_t crumbs_ = 0;
    std::size_t crumbs_size_ = 0; // of their lines
    std::size_t joined_size_ = 0; // of the line that they become, its end not included
    http::Refused refused_ = nullptr;
};

} // namespace sallyport::http2

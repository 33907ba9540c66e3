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

/// RFC 9113, 8.3.1: the pseudo fields of a request. `unknown`: any other name that begins with a
/// colon.
enum class PseudoField : std::uint8_t { none, method, scheme, authority, path, unknown };

/// One line `name: value` CR LF of a head. Lines stand in order, without gaps.
struct FieldRecord {
    std::uint16_t name_size = 0;
    std::uint16_t value_size = 0;
    http::FieldId id = http::FieldId::unknown;
    PseudoField pseudo = PseudoField::none;

    /// In bytes: a colon, a space, CR and LF are added to name and value.
    [[nodiscard]] std::size_t line_size() const noexcept {
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

/// Where HpackDecoder writes. Used for one block at a time; its memory is the caller's, is not
/// cleared, and may be used again once the block was stored.
class HeadBlock {
public:
    /// The bytes of memory that a block needs, whatever it contains.
    [[nodiscard]] static std::size_t memory_for(http::HeadLimits const& limits) noexcept;

    /// `memory`: aligned for any type, of memory_for(limits) bytes at least.
    HeadBlock(std::span<char> memory, http::HeadLimits const& limits) noexcept;

    /// The first reason to refuse the head, null so far: a field that the policy refuses, or
    /// `head_too_large`, `line_too_long`, `too_many_fields`. What comes behind it is not stored.
    [[nodiscard]] http::Refused refused() const noexcept { return refused_; }
    /// Decoded text in bytes, counted as lines, with those that were not stored.
    [[nodiscard]] std::size_t decoded_size() const noexcept { return decoded_; }
    [[nodiscard]] std::span<FieldRecord const> records() const noexcept;
    /// The lines of records(), crumbs not joined.
    [[nodiscard]] std::string_view text() const noexcept { return {text_, text_size_}; }

    /// The bytes that store() writes.
    [[nodiscard]] std::size_t stored_size() const noexcept;
    /// Copies the head to `to`, aligned as FieldRecord, of stored_size() bytes. RFC 9113, 8.2.3:
    /// cookie crumbs become one line, where the first of them stood.
    [[nodiscard]] StoredHead store(char* to) const noexcept;

private:
    friend class HpackDecoder;

    http::HeadLimits const* limits_;
    char* text_;
    std::size_t room_;
    FieldRecord* records_;
    std::size_t text_size_ = 0;
    std::size_t count_ = 0;
    std::size_t decoded_ = 0;
    std::size_t crumbs_ = 0;
    http::Refused refused_ = nullptr;
};

} // namespace sallyport::http2

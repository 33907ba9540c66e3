// Writes the lines of a head as text, into a buffer of sufficient size.
#pragma once

#include "gateway/http/added_field.h"
#include "gateway/text/digits.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace sallyport::http {

class HeadWriter {
public:
    explicit HeadWriter(char* to) noexcept : begin_{to}, at_{to} {}

    HeadWriter& operator<<(std::string_view text) noexcept {
        // An empty view may be null, which memcpy() must not get (C17, 7.24.1).
        if (text.empty()) return *this;
        std::memcpy(at_, text.data(), text.size());
        at_ += text.size();
        return *this;
    }
    HeadWriter& operator<<(std::uint64_t number) noexcept {
        at_ = text::put_digits(at_, number);
        return *this;
    }
    /// Name and value are written unchanged: callers ensure that they are valid.
    void add(std::string_view name, std::string_view value) noexcept {
        *this << name << ": " << value << "\r\n";
    }
    void add(std::string_view name, std::uint64_t value) noexcept {
        *this << name << ": " << value << "\r\n";
    }
    void add(std::span<AddedField const> fields) noexcept {
        for (auto const& field : fields)
            add(field.name, field.value);
    }
    /// Adds whole lines, each ending in CR LF.
    void add(std::span<std::string_view const> runs) noexcept {
        for (auto const run : runs)
            *this << run;
    }

    [[nodiscard]] std::string_view written() const noexcept {
        return {begin_, static_cast<std::size_t>(at_ - begin_)};
    }

private:
    char* begin_;
    char* at_;
};

/// Their total size in bytes.
[[nodiscard]] inline std::size_t size_of(std::span<std::string_view const> runs) noexcept {
    std::size_t size = 0;
    for (auto const run : runs)
        size += run.size();
    return size;
}

[[nodiscard]] inline std::size_t size_of(std::span<AddedField const> fields) noexcept {
    constexpr std::size_t around_field = 4; // colon, space, CR LF
    std::size_t size = 0;
    for (auto const& field : fields)
        size += field.name.size() + field.value.size() + around_field;
    return size;
}

} // namespace sallyport::http

// UTF-8, strictly to RFC 3629, a byte at a time.
#pragma once

#include <cstdint>
#include <string_view>

namespace sallyport::http {

/// Takes bytes in order and says whether they can still be UTF-8.
class Utf8Checker {
public:
    /// False: that byte cannot stand here (overlong, a surrogate, beyond U+10FFFF, or stray).
    constexpr bool take(std::uint8_t byte) {
        if (left_ == 0) return begin(byte);
        // RFC 3629, 4: only the second byte has a range narrower than 80-BF.
        if (byte < low_ || byte > high_) return false;
        low_ = 0x80;
        high_ = 0xbf;
        --left_;
        return true;
    }

    /// Whether the last character is whole.
    constexpr bool is_complete() const { return left_ == 0; }

private:
    constexpr bool begin(std::uint8_t byte) {
        if (byte < 0x80) return true;
        if (byte < 0xc2 || byte > 0xf4) return false;
        left_ = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
        low_ = byte == 0xe0 ? 0xa0 : byte == 0xf0 ? 0x90 : 0x80;
        high_ = byte == 0xed ? 0x9f : byte == 0xf4 ? 0x8f : 0xbf;
        return true;
    }

    std::uint8_t left_ = 0;
    std::uint8_t low_ = 0x80;
    std::uint8_t high_ = 0xbf;
};

constexpr bool is_utf8(std::string_view text) {
    Utf8Checker checker;
    for (char const c : text)
        if (!checker.take(static_cast<std::uint8_t>(c))) return false;
    return checker.is_complete();
}

} // namespace sallyport::http

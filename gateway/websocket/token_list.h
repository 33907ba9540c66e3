// A few tokens of a head, in order.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace sallyport::websocket {

/// Views into the head that they were read from; no allocation.
class TokenList {
public:
    static constexpr std::size_t capacity = 32;

    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] bool is_empty() const noexcept { return size_ == 0; }
    [[nodiscard]] bool is_full() const noexcept { return size_ == capacity; }
    [[nodiscard]] std::string_view const* begin() const noexcept { return tokens_.data(); }
    [[nodiscard]] std::string_view const* end() const noexcept { return tokens_.data() + size_; }
    /// Case-sensitively.
    [[nodiscard]] bool has(std::string_view token) const noexcept {
        return std::find(begin(), end(), token) != end();
    }

    /// Not if it is full.
    void push(std::string_view token) noexcept { tokens_[size_++] = token; }
    /// What is behind it moves up.
    void remove(std::string_view const* token) noexcept {
        auto* const at = tokens_.data() + (token - begin());
        std::copy(at + 1, tokens_.data() + size_, at);
        --size_;
    }

private:
    std::array<std::string_view, capacity> tokens_{};
    std::size_t size_ = 0;
};

} // namespace sallyport::websocket

// Frames that wait to be written.
#pragma once

#include "gateway/net/buffers.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

namespace sallyport::http2 {

/// Of one connection: filled by everything that has something to send, and written at once.
class Output {
public:
    explicit Output(net::Buffers& buffers) noexcept : buffers_{buffers} {}

    [[nodiscard]] bool is_empty() const noexcept { return size_ == 0; }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    /// Of them, bytes of replies to the client's own frames.
    [[nodiscard]] std::size_t control_size() const noexcept { return control_; }

    /// Room for as many more bytes, valid until the next call. Throws std::bad_alloc.
    [[nodiscard]] char* room(std::size_t bytes) {
        auto const needed = size_ + bytes;
        if (!buffer_) {
            buffer_ = buffers_.take(needed);
        } else if (needed > buffer_.capacity()) {
            buffer_.grow(std::max(needed, 2 * buffer_.capacity()), size_);
        }
        return buffer_.data() + size_;
    }
    /// As many of them were written.
    void add(std::size_t bytes) noexcept { size_ += bytes; }
    void add_control(std::size_t bytes) noexcept {
        size_ += bytes;
        control_ += bytes;
    }

    /// Everything, as a block of its own; `size` is how much.
    net::Buffer take(std::size_t& size) noexcept {
        size = std::exchange(size_, 0);
        control_ = 0;
        return std::move(buffer_);
    }

    void drop() noexcept {
        size_ = control_ = 0;
        buffer_.release();
    }

private:
    net::Buffers& buffers_;
    net::Buffer buffer_;
    std::size_t size_ = 0;
    std::size_t control_ = 0;
};

} // namespace sallyport::http2

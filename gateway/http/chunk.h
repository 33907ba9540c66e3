// One chunk of a body that the gateway writes (RFC 9112, 7.1).
#pragma once

#include "gateway/http/body.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace sallyport::http {

/// Whether a write contains the last byte of a message: then its end is sent with it.
enum class Ends : std::uint8_t { no, yes };

/// The pieces of one write: none if there is nothing to send. It refers to the caller's bytes.
class Chunk {
public:
    Chunk(std::string_view bytes, Ends ends) noexcept : Chunk{{}, bytes, ends} {}
    /// The first chunk, sent together with a head.
    Chunk(std::string_view head, std::string_view bytes, Ends ends) noexcept
        : size_line_{bytes.size()} {
        if (!head.empty()) pieces_[count_++] = head;
        if (!bytes.empty()) {
            pieces_[count_++] = size_line_;
            pieces_[count_++] = bytes;
            pieces_[count_++] = chunk_end;
        }
        if (ends == Ends::yes) pieces_[count_++] = last_chunk;
    }
    Chunk(Chunk const&) = delete;
    Chunk& operator=(Chunk const&) = delete;

    [[nodiscard]] std::span<std::string_view const> pieces() const noexcept {
        return {pieces_.data(), count_};
    }

private:
    ChunkSizeLine size_line_;
    std::array<std::string_view, 5> pieces_;
    std::size_t count_ = 0;
};

} // namespace sallyport::http

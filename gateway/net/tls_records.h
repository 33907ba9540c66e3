// The data that a TLS stream has to send, one record at a time: for tls_stream.cpp only.
#pragma once

#include "gateway/net/tls_stream.h"

#include <algorithm>
#include <cstring>

namespace sallyport::net {

/// RFC 8446, 5.1: the plain text of one record. SSL_write never gets more, so that what it could
/// not send is always one whole record, which the next call with as many bytes completes.
inline constexpr std::size_t tls_record_size = 16 << 10;

/// The next bytes to send, joined where a single piece is smaller than a record.
class TlsStream::Records {
public:
    Records(std::span<std::string_view const> pieces, Buffers& buffers)
        : pieces_{pieces}, buffers_{buffers} {
        drop_empty();
    }

    [[nodiscard]] bool is_empty() const noexcept { return pieces_.empty(); }

    std::span<char const> next() {
        auto const first = pieces_.front().substr(offset_);
        if (first.size() >= tls_record_size || pieces_.size() == 1)
            return std::span(first).first(std::min(first.size(), tls_record_size));
        if (!scratch_) scratch_ = buffers_.take(tls_record_size);
        std::size_t used = 0;
        std::size_t offset = offset_;
        for (auto const piece : pieces_) {
            auto const part = piece.substr(offset).substr(0, tls_record_size - used);
            std::memcpy(scratch_.data() + used, part.data(), part.size());
            used += part.size();
            offset = 0;
            if (used == tls_record_size) break;
        }
        return {scratch_.data(), used};
    }

    /// Whether more than `size` bytes are left.
    [[nodiscard]] bool has_more_than(std::size_t size) const noexcept {
        auto left = size + offset_;
        for (auto const piece : pieces_) {
            if (piece.size() > left) return true;
            left -= piece.size();
        }
        return false;
    }

    void skip(std::size_t sent) noexcept {
        offset_ += sent;
        drop_empty();
    }

private:
    void drop_empty() noexcept {
        while (!pieces_.empty() && offset_ >= pieces_.front().size()) {
            offset_ -= pieces_.front().size();
            pieces_ = pieces_.subspan(1);
        }
    }

    std::span<std::string_view const> pieces_;
    std::size_t offset_ = 0;
    Buffers& buffers_;
    Buffer scratch_;
};

} // namespace sallyport::net

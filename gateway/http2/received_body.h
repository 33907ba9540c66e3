// The bytes of a request body that have come and wait for their reader.
#pragma once

#include "gateway/net/budget.h"
#include "gateway/net/buffers.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace sallyport::http2 {

/// Of one stream. Its memory is granted by the budget of bodies before it is used.
class ReceivedBody {
public:
    ReceivedBody(net::Buffers& buffers, net::Reservation reservation) noexcept
        : buffers_{buffers}, reservation_{std::move(reservation)} {}

    /// `no`: the budget has refused the memory, and nothing was added. Throws std::bad_alloc.
    [[nodiscard]] net::Granted append(std::string_view bytes);
    /// Bytes that wait.
    [[nodiscard]] std::size_t waiting() const noexcept { return size_; }
    /// Gives all of them to the reader: valid until the next call, with net::Buffer::slack bytes
    /// behind them.
    std::string_view take() noexcept;
    /// Takes back what take() gave; how many bytes that were.
    std::size_t take_back() noexcept;
    /// Throws away what waits, but not what the reader has; how many bytes that were.
    std::size_t drop() noexcept;

    /// Reserves as much for bytes that the client is about to be allowed to send.
    [[nodiscard]] net::Granted promise(std::size_t bytes) noexcept {
        // Never all of it: a window makes an upload faster, a body that waits must find room.
        return reservation_.grow_to(bytes, net::Claim::first_half);
    }

private:
    net::Buffers& buffers_;
    net::Reservation reservation_;
    net::Buffer came_; // and waits
    std::size_t size_ = 0;
    net::Buffer given_; // the reader's
    std::size_t given_size_ = 0;
};

} // namespace sallyport::http2

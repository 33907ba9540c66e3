// The bytes of a request body that have come and wait for their reader.
#include "gateway/http2/received_body.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace sallyport::http2 {

net::Granted ReceivedBody::append(std::string_view bytes) {
    if (bytes.empty()) return net::Granted::yes;
    auto const needed = size_ + bytes.size();
    if (needed > came_.capacity()) {
        // Doubled, so that a body that comes in small frames is not copied for each of them.
        auto const wanted =
            net::Buffers::rounded(came_ ? std::max(needed, 2 * came_.capacity()) : needed);
        if (reservation_.grow_to(given_.capacity() + wanted) == net::Granted::no)
            return net::Granted::no;
        if (came_) {
            came_.grow(wanted, size_);
        } else {
            came_ = buffers_.take(wanted);
        }
    }
    std::memcpy(came_.data() + size_, bytes.data(), bytes.size());
    size_ = needed;
    return net::Granted::yes;
}

std::string_view ReceivedBody::take() noexcept {
    given_ = std::move(came_);
    given_size_ = std::exchange(size_, 0);
    return given_.view(given_size_);
}

std::size_t ReceivedBody::take_back() noexcept {
    given_.release();
    return std::exchange(given_size_, 0);
}

std::size_t ReceivedBody::drop() noexcept {
    came_.release();
    return std::exchange(size_, 0);
}

} // namespace sallyport::http2

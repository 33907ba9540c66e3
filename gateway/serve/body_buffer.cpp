// A body in memory that grows as its bytes arrive.
#include "gateway/serve/body_buffer.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace sallyport::serve {

net::Granted BodyBuffer::make_room(std::size_t at_least) {
    if (buffer_ && buffer_.capacity() - size_ >= at_least) return net::Granted::yes;
    // Grows to the next class, beyond the classes by half: a client that declares much and sends
    // little occupies little more than it sent, and a body is not copied too often.
    auto const capacity = buffer_.capacity();
    bool const has_class = capacity < net::Buffers::sizes.back();
    auto const ahead = std::min(has_class ? capacity + 1 : capacity + capacity / 2, most_);
    auto const wanted = net::Buffers::rounded(std::max(size_ + at_least, ahead));
    if (reservation_.grow_to(wanted, claim_) == net::Granted::no) return net::Granted::no;
    if (buffer_) {
        buffer_.grow(wanted, size_);
    } else {
        buffer_ = buffers_.take(wanted);
    }
    return net::Granted::yes;
}

net::Granted BodyBuffer::append(std::string_view bytes) {
    if (bytes.empty()) return net::Granted::yes;
    if (make_room(bytes.size()) == net::Granted::no) return net::Granted::no;
    std::memcpy(buffer_.data() + size_, bytes.data(), bytes.size());
    size_ += bytes.size();
    return net::Granted::yes;
}

void BodyBuffer::drop(std::size_t count) {
    if (count == 0) return;
    size_ -= count;
    std::memmove(buffer_.data(), buffer_.data() + count, size_);
}

BodyBuffer::Decoded BodyBuffer::decode(http::ContentDecoder& decoder, std::string_view bytes) {
    constexpr std::size_t least_room = 4 * 1024;
    for (bool filled = false; !bytes.empty() || filled;) {
        if (make_room(least_room) == net::Granted::no) return {net::Granted::no, nullptr};
        auto const room = buffer_.span().subspan(size_);
        auto const step = decoder.step(bytes, room);
        if (step.refused != nullptr) return {net::Granted::yes, step.refused};
        size_ += step.produced;
        bytes.remove_prefix(step.consumed);
        filled = step.produced == room.size();
    }
    return {};
}

void BodyBuffer::release() {
    buffer_.release();
    reservation_.release();
    size_ = 0;
}

void BodyBuffer::move_to(net::Buffer& buffer, net::Reservation& reservation) {
    buffer = std::move(buffer_);
    reservation = std::move(reservation_);
}

} // namespace sallyport::serve

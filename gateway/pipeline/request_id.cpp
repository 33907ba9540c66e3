// The identifier of an exchange: in the answer, in the log, and towards the upstream.
#include "gateway/pipeline/request_id.h"

#include <openssl/rand.h>

#include <stdexcept>

namespace sallyport::pipeline {

RequestId RequestIds::next() {
    constexpr std::size_t size = 16;
    if (used_ + size > random_.size()) {
        if (RAND_bytes(random_.data(), static_cast<int>(random_.size())) != 1) {
            throw std::runtime_error{"OpenSSL has no random numbers"};
        }
        used_ = 0;
    }
    std::uint8_t* const bytes = random_.data() + used_;
    used_ += size;
    // RFC 9562, 5.4: version 4, variant 10.
    bytes[6] = static_cast<std::uint8_t>((bytes[6] & 0x0FU) | 0x40U);
    bytes[8] = static_cast<std::uint8_t>((bytes[8] & 0x3FU) | 0x80U);

    constexpr std::string_view digits = "0123456789abcdef";
    RequestId id;
    std::size_t at = 0;
    for (std::size_t i = 0; i < size; ++i) {
        if (i == 4 || i == 6 || i == 8 || i == 10) id.text_[at++] = '-';
        id.text_[at++] = digits[bytes[i] >> 4U];
        id.text_[at++] = digits[bytes[i] & 0x0FU];
    }
    return id;
}

} // namespace sallyport::pipeline

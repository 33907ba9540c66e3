// The identifier of an exchange: in the response, in the log, and towards the upstream.
#include "gateway/pipeline/request_id.h"

#include <openssl/rand.h>

#include <cstring>
#include <stdexcept>
#include <string_view>

namespace sallyport::pipeline {

namespace {

consteval std::array<std::array<char, 2>, 256> make_hexadecimal() {
    constexpr std::string_view digits = "0123456789abcdef";
    std::array<std::array<char, 2>, 256> table{};
    for (std::size_t byte = 0; byte < table.size(); ++byte)
        table[byte] = {digits[byte >> 4U], digits[byte & 0x0FU]};
    return table;
}

constexpr auto hexadecimal = make_hexadecimal();

} // namespace

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

    // RFC 9562, 4: the position of each byte's two digits, between four hyphens.
    constexpr std::array<std::uint8_t, size> places{0,  2,  4,  6,  9,  11, 14, 16,
                                                    19, 21, 24, 26, 28, 30, 32, 34};
    RequestId id;
    for (std::size_t i = 0; i < size; ++i)
        std::memcpy(id.text_.data() + places[i], hexadecimal[bytes[i]].data(), 2);
    for (std::size_t const hyphen : {8U, 13U, 18U, 23U})
        id.text_[hyphen] = '-';
    return id;
}

} // namespace sallyport::pipeline

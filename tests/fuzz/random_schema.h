// Schemas and values built from the bytes of a fuzzer: few names and small numbers, so that they
// coincide.
#pragma once

#include "tests/fuzz/plain_value.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sallyport::fuzz {

class Bytes {
public:
    Bytes(std::uint8_t const* data, std::size_t size) : data_{data}, size_{size} {}
    /// Below `limit`; 0 once nothing is left.
    [[nodiscard]] unsigned below(unsigned limit) {
        if (at_ == size_) return 0;
        return data_[at_++] % limit;
    }
    [[nodiscard]] bool is_empty() const noexcept { return at_ == size_; }

private:
    std::uint8_t const* data_;
    std::size_t size_;
    std::size_t at_ = 0;
};

[[nodiscard]] Value random_value(Bytes& bytes, unsigned depth);
/// With `$defs` of three schemas, to which any `$ref` in it may refer.
[[nodiscard]] Value random_schema(Bytes& bytes);

} // namespace sallyport::fuzz

// What fuzz targets share: an assertion that no build leaves out, and inputs in allocations of
// their own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string_view>

namespace sallyport::fuzz {

inline void check(bool holds, char const* what) {
    if (holds) return;
    std::fprintf(stderr, "does not hold: %s\n", what);
    std::abort();
}

/// A copy of exactly these bytes, so that AddressSanitizer sees a read past them.
class Copy {
public:
    explicit Copy(std::string_view bytes)
        : bytes_{std::make_unique<char[]>(bytes.size())}, size_{bytes.size()} {
        bytes.copy(bytes_.get(), size_);
    }
    std::string_view view() const { return {bytes_.get(), size_}; }

private:
    std::unique_ptr<char[]> bytes_;
    std::size_t size_;
};

/// Takes one byte off the front of the input, for a choice; 0 where there is none.
inline std::uint8_t take_byte(std::string_view& input) {
    if (input.empty()) return 0;
    auto const byte = static_cast<std::uint8_t>(input.front());
    input.remove_prefix(1);
    return byte;
}

inline std::string_view view_of(std::uint8_t const* data, std::size_t size) {
    return {reinterpret_cast<char const*>(data), size};
}

} // namespace sallyport::fuzz

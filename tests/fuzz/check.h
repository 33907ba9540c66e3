// Shared by fuzz targets: an assertion that is active in every build, and inputs in allocations of
// their own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <span>
#include <string_view>

namespace sallyport::fuzz {

inline void check(bool holds, char const* what) {
    if (holds) return;
    std::fprintf(stderr, "does not hold: %s\n", what);
    std::abort();
}

/// A copy of exactly these bytes, so that AddressSanitizer detects a read past them.
class Copy {
public:
    explicit Copy(std::string_view bytes) : bytes_{new char[bytes.size()]}, size_{bytes.size()} {
        bytes.copy(bytes_.get(), size_);
    }
    std::string_view view() const { return {bytes_.get(), size_}; }

private:
    std::unique_ptr<char[]> bytes_;
    std::size_t size_;
};

/// One allocation at whose end pieces are put, one after the other: AddressSanitizer detects a read
/// or a write past each of them, and none costs an allocation of its own.
class Edge {
public:
    explicit Edge(std::size_t capacity) : bytes_{new char[capacity]}, capacity_{capacity} {}

    std::span<char> room(std::size_t size) {
        check(size <= capacity_, "there is room for the piece");
        return {bytes_.get() + (capacity_ - size), size};
    }
    std::string_view put(std::string_view piece) {
        auto const place = room(piece.size());
        piece.copy(place.data(), place.size());
        return {place.data(), place.size()};
    }

private:
    std::unique_ptr<char[]> bytes_;
    std::size_t capacity_;
};

/// Takes one byte from the front of the input, for a choice; 0 if it is empty.
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

// Blocks of memory for bytes in transit: free lists in size classes, one set per loop, no locks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

namespace sallyport::net {

class Buffers;

/// One block, owned. Returned to the free lists of its loop on destruction, on the loop's thread.
class Buffer {
public:
    /// Readable bytes behind the usable ones: simdjson reads this far past the end of its
    /// input.
    static constexpr std::size_t slack = 64;

    Buffer() = default;
    ~Buffer() { release(); }
    Buffer(Buffer&& other) noexcept
        : home_{std::exchange(other.home_, nullptr)}, data_{std::exchange(other.data_, nullptr)},
          capacity_(std::exchange(other.capacity_, 0)) {}
    Buffer& operator=(Buffer&& other) noexcept {
        if (this != &other) {
            release();
            home_ = std::exchange(other.home_, nullptr);
            data_ = std::exchange(other.data_, nullptr);
            capacity_ = std::exchange(other.capacity_, 0);
        }
        return *this;
    }

    explicit operator bool() const noexcept { return data_ != nullptr; }
    char* data() noexcept { return data_; }
    [[nodiscard]] char const* data() const noexcept { return data_; }
    /// Usable bytes, without the slack.
    [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
    std::span<char> span() noexcept { return {data_, capacity_}; }
    [[nodiscard]] std::string_view view(std::size_t used) const noexcept { return {data_, used}; }

    /// Returns the block to the free lists; no effect on an empty one.
    void release() noexcept {
        if (data_ != nullptr) give_back();
    }

    /// Moves to a block of at least `at_least` bytes (no-op if this one is large enough) and keeps
    /// the first `used` bytes. Addresses change. Throws std::bad_alloc.
    void grow(std::size_t at_least, std::size_t used);

private:
    friend class Buffers;
    Buffer(Buffers& home, char* data, std::size_t capacity)
        : home_{&home}, data_{data}, capacity_{capacity} {}

    void give_back() noexcept;

    Buffers* home_ = nullptr;
    char* data_ = nullptr;
    std::size_t capacity_ = 0;
};

class Buffers {
public:
    /// From 64 KiB on each is at most half as large again as the one before, so that a body that
    /// outgrows its block leaves little of the next one unused.
    static constexpr std::array<std::size_t, 11> sizes{4 << 10,   16 << 10,  64 << 10,  96 << 10,
                                                       128 << 10, 192 << 10, 256 << 10, 384 << 10,
                                                       512 << 10, 768 << 10, 1 << 20};
    static constexpr std::size_t default_cache_limit = 8 << 20;

    /// Caches at most `cache_limit` bytes of free blocks; blocks returned beyond that are freed.
    explicit Buffers(std::size_t cache_limit = default_cache_limit) : cache_limit_{cache_limit} {}
    ~Buffers();
    Buffers(Buffers const&) = delete;
    Buffers& operator=(Buffers const&) = delete;

    /// The capacity of the block that take() returns for this size, in bytes.
    [[nodiscard]] static std::size_t rounded(std::size_t at_least) noexcept;

    /// A block of at least `at_least` bytes, rounded up to a size class; beyond the largest class
    /// exactly that size, and not cached afterwards. Its bytes are not cleared. Throws
    /// std::bad_alloc.
    [[nodiscard]] Buffer take(std::size_t at_least);

    /// Frees as many cached bytes as were not needed since the last call, the largest blocks first.
    /// Returns how many.
    std::size_t trim() noexcept;

    [[nodiscard]] std::size_t cached_bytes() const noexcept { return cached_; }
    /// Blocks in use, those beyond the largest class included.
    [[nodiscard]] std::size_t in_use() const noexcept { return in_use_; }

private:
    friend class Buffer;
    struct Free {
        Free* next;
    };

    void give_back(char* data, std::size_t capacity) noexcept;

    std::array<Free*, sizes.size()> free_{};
    std::size_t cache_limit_;
    std::size_t cached_ = 0;
    std::size_t least_cached_ = 0; // since the last trim()
    std::size_t in_use_ = 0;
};

} // namespace sallyport::net

// Free lists of memory blocks in size classes.
#include "gateway/net/buffers.h"

#include <cstring>
#include <new>

// Free blocks are poisoned, so that AddressSanitizer reports a use after release.
#if defined(__SANITIZE_ADDRESS__)
#define SALLYPORT_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SALLYPORT_ADDRESS_SANITIZER 1
#endif
#endif

#if defined(SALLYPORT_ADDRESS_SANITIZER)
#include <sanitizer/asan_interface.h>
#endif

namespace sallyport::net {

namespace {

std::size_t class_of(std::size_t bytes) noexcept {
    // Small sizes are requested most often.
    std::size_t index = 0;
    while (index < Buffers::sizes.size() && Buffers::sizes[index] < bytes)
        ++index;
    return index;
}

// Not aligned beyond what malloc guarantees: glibc 2.36 splits an aligned block when it is freed,
// the rest does not fit the next one of the same size, and the heap grows without bound.
char* allocate(std::size_t capacity) {
    return static_cast<char*>(::operator new(capacity + Buffer::slack));
}

void poison([[maybe_unused]] char* data, [[maybe_unused]] std::size_t capacity) noexcept {
#if defined(SALLYPORT_ADDRESS_SANITIZER)
    ASAN_POISON_MEMORY_REGION(data, capacity + Buffer::slack);
#endif
}

void unpoison([[maybe_unused]] char* data, [[maybe_unused]] std::size_t capacity) noexcept {
#if defined(SALLYPORT_ADDRESS_SANITIZER)
    ASAN_UNPOISON_MEMORY_REGION(data, capacity + Buffer::slack);
#endif
}

} // namespace

void Buffer::give_back() noexcept {
    home_->give_back(data_, capacity_);
    home_ = nullptr;
    data_ = nullptr;
    capacity_ = 0;
}

void Buffer::grow(std::size_t at_least, std::size_t used) {
    if (at_least <= capacity_) return;
    Buffer larger = home_->take(at_least);
    std::memcpy(larger.data_, data_, used);
    *this = std::move(larger);
}

Buffers::~Buffers() {
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        while (Free* block = free_[i]) {
            unpoison(reinterpret_cast<char*>(block), sizes[i]);
            free_[i] = block->next;
            ::operator delete(block);
        }
    }
}

std::size_t Buffers::trim() noexcept {
    std::size_t freed = 0;
    for (std::size_t i = sizes.size(); i-- > 0;) {
        while (free_[i] != nullptr && freed + sizes[i] <= least_cached_) {
            Free* const block = free_[i];
            unpoison(reinterpret_cast<char*>(block), sizes[i]);
            free_[i] = block->next;
            ::operator delete(block);
            freed += sizes[i];
        }
    }
    cached_ -= freed;
    least_cached_ = cached_;
    return freed;
}

std::size_t Buffers::rounded(std::size_t at_least) noexcept {
    std::size_t const index = class_of(at_least);
    return index < sizes.size() ? sizes[index] : at_least;
}

Buffer Buffers::take(std::size_t at_least) {
    std::size_t const index = class_of(at_least);
    std::size_t const capacity = index < sizes.size() ? sizes[index] : at_least;
    char* data = nullptr;
    if (index < sizes.size() && free_[index] != nullptr) {
        data = reinterpret_cast<char*>(free_[index]);
        unpoison(data, capacity);
        free_[index] = free_[index]->next;
        cached_ -= capacity;
        least_cached_ = std::min(least_cached_, cached_);
    } else {
        if (capacity > SIZE_MAX - Buffer::slack) throw std::bad_alloc();
        data = allocate(capacity);
    }
    ++in_use_;
    return {*this, data, capacity};
}

void Buffers::give_back(char* data, std::size_t capacity) noexcept {
    --in_use_;
    std::size_t const index = class_of(capacity);
    if (index == sizes.size() || cached_ + capacity > cache_limit_) {
        ::operator delete(data);
        return;
    }
    free_[index] = new (data) Free{free_[index]};
    cached_ += capacity;
    poison(data, capacity);
}

} // namespace sallyport::net

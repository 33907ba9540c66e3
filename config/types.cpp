// Secrets that wipe themselves, and problems at a remembered place: see types.h.
#include "config/types.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace sallyport::config {

Secret::Secret(std::string_view value)
    : bytes_{std::make_unique<char[]>(value.size())}, size_{value.size()} {
    std::copy(value.begin(), value.end(), bytes_.get());
}

Secret::Secret(Secret&& other) noexcept
    : bytes_{std::move(other.bytes_)}, size_{std::exchange(other.size_, 0)} {}

Secret& Secret::operator=(Secret&& other) noexcept {
    if (this != &other) {
        wipe();
        bytes_ = std::move(other.bytes_);
        size_ = std::exchange(other.size_, 0);
    }
    return *this;
}

void Secret::wipe() noexcept {
    // explicit_bzero: a plain memset of memory that is freed next may be left out by the compiler.
    if (bytes_) ::explicit_bzero(bytes_.get(), size_);
    bytes_.reset();
    size_ = 0;
}

void wipe(std::string& text) noexcept {
    text.resize(text.capacity()); // within the capacity: neither allocates nor moves
    ::explicit_bzero(text.data(), text.size());
    text.clear();
}

yaml::Problem problem_at(Origin const& origin, std::string what, std::string hint,
                         yaml::Severity severity) {
    return {origin.mark, origin.path, std::move(what), std::move(hint), severity};
}

} // namespace sallyport::config

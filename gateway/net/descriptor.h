// A file descriptor, owned.
#pragma once

#include <unistd.h>

#include <utility>

namespace sallyport::net {

class FileDescriptor {
public:
    FileDescriptor() = default;
    explicit FileDescriptor(int value) noexcept : value_{value} {}
    ~FileDescriptor() { reset(); }
    FileDescriptor(FileDescriptor&& other) noexcept : value_{other.release()} {}
    FileDescriptor& operator=(FileDescriptor&& other) noexcept {
        if (this != &other) {
            reset();
            value_ = other.release();
        }
        return *this;
    }

    explicit operator bool() const noexcept { return value_ >= 0; }
    [[nodiscard]] int get() const noexcept { return value_; }
    int release() noexcept { return std::exchange(value_, -1); }
    void reset() noexcept {
        if (value_ >= 0) ::close(release());
    }

private:
    int value_ = -1;
};

} // namespace sallyport::net

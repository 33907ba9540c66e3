// Counts what is done during an activity.
#pragma once

#include <cstddef>

namespace sallyport::contract {

/// The increase of a counter while at least one activity of a kind is open.
class Meter {
public:
    void begin(std::size_t count) noexcept {
        if (open_++ == 0) start_ = count;
    }
    void end(std::size_t count) noexcept {
        if (--open_ == 0) spent_ += count - start_;
    }
    [[nodiscard]] std::size_t spent(std::size_t count) const noexcept {
        return spent_ + (open_ != 0 ? count - start_ : 0);
    }

private:
    std::size_t spent_ = 0;
    std::size_t start_ = 0;
    std::size_t open_ = 0;
};

} // namespace sallyport::contract

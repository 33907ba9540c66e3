// Flow control (RFC 9113, 5.2 and 6.9): how much may be sent, and how much a client may send.
#pragma once

#include <algorithm>
#include <cstdint>

namespace sallyport::http2 {

/// RFC 9113, 6.9.1.
inline constexpr std::int64_t most_window = 0x7FFF'FFFF;
/// RFC 9113, 6.9.2: without SETTINGS_INITIAL_WINDOW_SIZE, and always for the connection.
inline constexpr std::uint32_t initial_window = 65'535;

enum class WindowChange : std::uint8_t { done, overflow };

/// What the client lets us send.
class SendWindow {
public:
    explicit SendWindow(std::uint32_t size = initial_window) noexcept : left_{size} {}

    /// Bytes that may be sent now.
    [[nodiscard]] std::uint32_t left() const noexcept {
        return static_cast<std::uint32_t>(std::max<std::int64_t>(left_, 0));
    }
    void take(std::uint32_t bytes) noexcept { left_ -= bytes; }
    /// WINDOW_UPDATE. `overflow`: FLOW_CONTROL_ERROR (RFC 9113, 6.9.1).
    WindowChange widen(std::uint32_t increment) noexcept { return change(increment); }
    /// RFC 9113, 6.9.2: the initial size of all streams has changed, which may leave less than
    /// nothing.
    WindowChange change_initial(std::uint32_t before, std::uint32_t after) noexcept {
        return change(std::int64_t{after} - before);
    }

private:
    WindowChange change(std::int64_t by) noexcept {
        if (left_ + by > most_window) return WindowChange::overflow;
        left_ += by;
        return WindowChange::done;
    }

    std::int64_t left_;
};

/// What we let the client send. A byte that has come is held until it is given back; what is given
/// back is promised again by WINDOW_UPDATE, once it is worth a frame.
class ReceiveWindow {
public:
    explicit ReceiveWindow(std::uint32_t size = initial_window) noexcept
        : size_{size}, left_{size} {}

    /// Bytes that the client may send and that are not given back, at most.
    [[nodiscard]] std::int64_t size() const noexcept { return size_; }
    [[nodiscard]] std::int64_t left() const noexcept { return left_; }

    /// A frame of that size has come. `overflow`: FLOW_CONTROL_ERROR (RFC 9113, 6.9.1).
    [[nodiscard]] WindowChange take(std::uint32_t bytes) noexcept {
        if (bytes > left_) return WindowChange::overflow;
        left_ -= bytes;
        return WindowChange::done;
    }
    void give_back(std::uint64_t bytes) noexcept { returned_ += static_cast<std::int64_t>(bytes); }
    /// Changes the size. What is promised already stays promised: a smaller size holds once as many
    /// bytes were given back.
    void resize(std::int64_t size) noexcept {
        size = std::min(size, most_window);
        returned_ += size - size_;
        size_ = size;
    }
    /// Whether the client has sent all that it was promised before the last increment, which may
    /// not have reached it.
    [[nodiscard]] bool is_dry() const noexcept { return left_ <= last_; }
    /// The increment to be announced now; 0: none. At half a window, or sooner if less than a
    /// quarter is left: the rest may be held until more has come.
    [[nodiscard]] std::uint32_t take_increment() noexcept {
        if (returned_ <= 0 || (returned_ < size_ / 2 && left_ >= size_ / 4)) return 0;
        auto const increment = std::min(returned_, most_window - left_);
        left_ += increment;
        returned_ -= increment;
        last_ = increment;
        return static_cast<std::uint32_t>(increment);
    }

private:
    std::int64_t size_;
    std::int64_t left_;
    std::int64_t last_ = 0;     // increment
    std::int64_t returned_ = 0; // given back and not announced; below 0 after a window has shrunk
};

} // namespace sallyport::http2

// How many connections there may be, in all and from one address.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>

namespace sallyport::accept {

enum class Admission : std::uint8_t { admitted, too_many, too_many_from_address };

/// Shared by acceptors and workers. Asked when a connection comes and when it goes, never by a
/// request.
class ConnectionLimits {
public:
    ConnectionLimits(std::uint32_t all, std::uint32_t per_address)
        : all_{all}, per_address_{per_address} {}

    /// What is open beyond a lower limit stays open.
    void set(std::uint32_t all, std::uint32_t per_address);

    /// An admitted connection is counted until release() with the same address. IPv6 addresses
    /// count by their network of 64 bits.
    Admission admit(std::string const& address);
    void release(std::string const& address) noexcept;

    /// Any thread.
    std::uint64_t refused() const noexcept { return refused_.load(std::memory_order_relaxed); }

private:
    Admission judge(std::string const& address);

    std::mutex mutex_;
    std::uint32_t all_;
    std::uint32_t per_address_;
    std::uint32_t open_ = 0;
    std::atomic<std::uint64_t> refused_{0};
    std::unordered_map<std::string, std::uint32_t> open_by_address_;
};

} // namespace sallyport::accept

// The limits on connections, in total and per address.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

namespace sallyport::accept {

enum class Admission : std::uint8_t { admitted, too_many, too_many_from_address };

/// Shared by acceptors and workers. Used when a connection is opened or closed, never by a
/// request.
class ConnectionLimits {
public:
    ConnectionLimits(std::uint32_t all, std::uint32_t per_address)
        : all_{all}, per_address_{per_address} {}

    /// Open connections beyond a lower limit stay open.
    void set(std::uint32_t all, std::uint32_t per_address);

    /// Counts an admitted connection until release() with the same address. IPv6 addresses count by
    /// their 64-bit network. The limit of the address is checked first. Without an address (the
    /// connection of a trusted proxy, which carries many clients) it only counts in total.
    Admission admit(std::string const& address);
    /// Counts a connection that was admitted without an address as one from `address`, if its limit
    /// allows; then release() it with that address.
    Admission attribute(std::string const& address);
    /// The same in place of a connection from `leaving`, which is closed and no longer counted,
    /// whatever the result.
    Admission replace(std::string const& leaving, std::string const& address);
    /// Ends the count of an admitted connection.
    void release(std::string const& address) noexcept;

    /// A connection beyond a limit that waits while the workers search for an idle one. Null: too
    /// many are waiting already, and it is refused. Any thread.
    class Search {
    public:
        Search(Search&& other) noexcept : searches_{std::exchange(other.searches_, nullptr)} {}
        Search& operator=(Search&&) = delete;
        ~Search() {
            if (searches_ != nullptr) searches_->fetch_sub(1, std::memory_order_relaxed);
        }

    private:
        friend class ConnectionLimits;
        explicit Search(std::atomic<std::uint32_t>& searches) : searches_{&searches} {}
        std::atomic<std::uint32_t>* searches_;
    };
    std::optional<Search> begin_search() noexcept;

    /// Any thread.
    void count_refused() noexcept { refused_.fetch_add(1, std::memory_order_relaxed); }
    /// Of an address that the listener does not take.
    void count_denied() noexcept { denied_.fetch_add(1, std::memory_order_relaxed); }
    [[nodiscard]] std::uint64_t denied() const noexcept {
        return denied_.load(std::memory_order_relaxed);
    }
    [[nodiscard]] std::uint64_t refused() const noexcept {
        return refused_.load(std::memory_order_relaxed);
    }

private:
    [[nodiscard]] bool has_most_of(std::string const& address) const;
    Admission judge(std::string const& address);
    void forget(std::string const& address) noexcept;

    std::mutex mutex_;
    std::uint32_t all_;
    std::uint32_t per_address_;
    std::uint32_t open_ = 0;
    std::atomic<std::uint64_t> refused_{0};
    std::atomic<std::uint64_t> denied_{0};
    std::atomic<std::uint32_t> searches_{0};
    std::unordered_map<std::string, std::uint32_t> open_by_address_;
};

} // namespace sallyport::accept

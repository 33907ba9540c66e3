// The keys of stateless session tickets (RFC 5077, RFC 8446 4.6.1): shared by all workers, and
// rotated.
#pragma once

#include "gateway/net/executor.h"

#include <array>
#include <cstddef>
#include <mutex>
#include <optional>
#include <span>

struct ssl_ctx_st;

namespace sallyport::net {

// Three generations: new tickets under the first, older tickets accepted under all. The oldest key
// that still opens a ticket is three periods old, then it is gone: that bounds what a stolen key
// gives away. Thread-safe; asked once or twice a handshake, so a mutex is nothing beside the
// handshake itself.
class TicketKeys {
public:
    static constexpr Clock::duration default_period = std::chrono::hours(8);
    static constexpr std::size_t generations = 3;

    explicit TicketKeys(Clock::duration period = default_period) : period_(period) {}
    ~TicketKeys();
    TicketKeys(TicketKeys const&) = delete;
    TicketKeys& operator=(TicketKeys const&) = delete;

    struct Key {
        std::array<unsigned char, 16> name{};
        std::array<unsigned char, 32> cipher{}; // AES-256-CBC
        std::array<unsigned char, 32> mac{};    // HMAC-SHA-256
        Clock::time_point made{};
        ~Key();
    };
    enum class Age { current, older };
    struct Found {
        Key key;
        Age age;
    };

    // The key for a new ticket; rotates first where the period is over. Nothing where the system
    // has no random bytes: then no ticket is made.
    std::optional<Key> current(Clock::time_point now);
    std::optional<Found> find(std::span<unsigned char const, 16> name, Clock::time_point now);

    // Makes `context` ask these keys. They must outlive it.
    void install(ssl_ctx_st* context);

private:
    bool rotate(Clock::time_point now);

    std::mutex mutex_;
    Clock::duration period_;
    std::array<std::optional<Key>, generations> keys_;
};

} // namespace sallyport::net

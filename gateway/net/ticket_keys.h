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

/// Three generations: new tickets are made with the first, older tickets accepted with all.
/// The oldest accepted key is three periods old, then it is deleted: that bounds what a
/// stolen key reveals. A ticket is valid for two periods, so that its key exists for as
/// long. Thread-safe; used once or twice a handshake, so the cost of a mutex does not
/// matter.
class TicketKeys {
public:
    static constexpr std::size_t generations = 3;
    static constexpr std::chrono::seconds default_period = std::chrono::hours(1);
    static constexpr std::chrono::seconds ticket_lifetime = (generations - 1) * default_period;
    using Now = Clock::time_point (*)();

    /// `clock`: the clock that rotation uses.
    explicit TicketKeys(Clock::duration period = default_period, Now clock = Clock::now)
        : period_{period}, now_{clock} {}
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
    /// All keys as bytes, cleared on destruction: for a successor process on the same machine.
    struct Packed {
        static constexpr std::size_t size = 8 + generations * (1 + 16 + 32 + 32 + 8);
        std::array<unsigned char, size> bytes{};
        ~Packed();
    };
    enum class Age { current, older };
    struct Found {
        Key key;
        Age age;
    };

    /// The key for a new ticket; rotates first if the period is over. Empty if the system has no
    /// random bytes: then no ticket is made.
    std::optional<Key> current(Clock::time_point now);
    /// The key with this name, and its age; empty if it has been deleted, or is unknown. `name`:
    /// the first 16 bytes of a ticket (RFC 5077, 4).
    std::optional<Found> find(std::span<unsigned char const, 16> name, Clock::time_point now);

    /// All current keys, for unpack() in a successor.
    Packed pack();
    /// Continues with the keys of a predecessor. False if the bytes are not those of `pack`: then
    /// nothing has changed.
    bool unpack(std::span<unsigned char const> bytes);

    [[nodiscard]] Clock::time_point now() const { return now_(); }

    /// Makes `context` use these keys, which must outlive it.
    void install(ssl_ctx_st* context);

private:
    bool rotate(Clock::time_point now);

    std::mutex mutex_;
    Clock::duration period_;
    Now now_;
    std::array<std::optional<Key>, generations> keys_;
};

} // namespace sallyport::net

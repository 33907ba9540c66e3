// Resolves the names of endpoints to addresses, off the path of requests: in a thread of its own,
// every 30 s.
#pragma once

#include "gateway/net/look_up.h"
#include "gateway/upstream/balance.h"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace sallyport::upstream {

using net::literal_address;
using net::look_up;
using net::Name;
using net::unix_address;

/// One for all workers; outlives them. The last successful result of a name is kept.
class Resolver {
public:
    /// Called on the resolver's thread when a name stops resolving, and when it resolves again
    /// (empty error).
    using OnChange = std::function<void(std::string const& name, std::string const& error)>;
    using LookUp = std::function<net::Result<std::vector<Address>>(Name const& name)>;

    static constexpr std::chrono::milliseconds default_period = std::chrono::seconds{30};

    explicit Resolver(OnChange on_change);
    /// For tests.
    Resolver(OnChange on_change, LookUp look_up, std::chrono::milliseconds period);
    /// Ends at once, even during a lookup of the system; nothing is called afterwards.
    ~Resolver();
    Resolver(Resolver const&) = delete;
    Resolver& operator=(Resolver const&) = delete;

    /// Receives the addresses of a name, on a loop's thread.
    class Subscriber {
    public:
        /// The first result, and each that differs from the one before: addresses in the order of
        /// the system's preference (RFC 6724). Empty: the first lookup failed.
        virtual void resolved(std::size_t index, std::vector<Address> const& addresses) = 0;

    protected:
        ~Subscriber() = default;
    };

    /// A subscription, ended by its destruction on the loop's thread.
    class Subscription {
    public:
        Subscription() = default;
        ~Subscription();
        Subscription(Subscription&& other) noexcept;
        Subscription& operator=(Subscription&& other) noexcept;

    private:
        friend class Resolver;
        struct Delivery;
        std::shared_ptr<Delivery> delivery_;
    };

    /// Calls `subscriber` by posting to `executor`; `index` is the subscriber's own number for the
    /// name. A known result is posted at once.
    [[nodiscard]] Subscription subscribe(Name name, net::Executor executor, Subscriber& subscriber,
                                         std::size_t index);

    /// Looks up all names now.
    void refresh();

    /// Ends all notifications: called before the loops of the subscribers are destroyed.
    void stop();

private:
    struct State;
    struct Entry;
    static void run(std::shared_ptr<State> state);

    std::shared_ptr<State> state_;
};

} // namespace sallyport::upstream

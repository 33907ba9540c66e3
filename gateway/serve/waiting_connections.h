// The connections of a worker that wait for their client, ordered by how long they have waited.
#pragma once

#include "gateway/net/executor.h"
#include "gateway/net/list_link.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace sallyport::serve {

class Connection;

/// The key by which connections are counted together: an IPv4 address, or the 64-bit network of an
/// IPv6 address. RFC 4291, 2.5.4: a host has all addresses of it.
[[nodiscard]] std::string counted_as(std::string const& address);

enum class WaitsFor : std::uint8_t {
    handshake, // it has begun, and is not complete
    request,   // none has begun, and no byte of one was read: the connection is idle
};

/// Selects the connection to close when there are too many: all of a worker in the order in which
/// they began to wait, and those of each address likewise. Owned by a worker, on its thread.
class WaitingConnections {
    struct Link : net::ListLink {
        Connection* connection = nullptr; // null: the list itself
    };
    struct List {
        net::ListLink first;
        std::size_t size = 0;
    };
    using Lists = std::array<List, 2>; // by WaitsFor
    struct Address {
        Lists lists;
        std::size_t places = 0;
    };
    using Addresses = std::unordered_map<std::string, Address>;

public:
    /// A connection's place in the lists, removed on destruction.
    class Place {
    public:
        Place(WaitingConnections& all, std::string const& address, Connection& connection);
        ~Place();
        Place(Place const&) = delete;
        Place& operator=(Place const&) = delete;

        /// It waits since `now`, behind all that wait already.
        void begin(WaitsFor what, net::Clock::time_point now);
        /// The connection waits no more.
        void end() noexcept;
        /// How many connections of its address wait, and the one that has waited longest, as for
        /// all of them.
        [[nodiscard]] std::size_t count_of_address(WaitsFor what) const noexcept {
            return list_of(address_.second.lists, what).size;
        }
        [[nodiscard]] Connection* longest_of_address(WaitsFor what) const {
            return longest(list_of(address_.second.lists, what));
        }
        [[nodiscard]] net::Clock::time_point since() const noexcept { return since_; }

    private:
        WaitingConnections& all_;
        Addresses::value_type& address_; // an element of all_, which exists while it has places
        Link in_all_;
        Link in_address_;
        WaitsFor what_ = WaitsFor::handshake;
        net::Clock::time_point since_;
    };

    WaitingConnections() = default;
    WaitingConnections(WaitingConnections const&) = delete;
    WaitingConnections& operator=(WaitingConnections const&) = delete;

    [[nodiscard]] std::size_t count(WaitsFor what) const noexcept {
        return list_of(all_, what).size;
    }

    /// The connection that has waited longest, of all or of `address`, unless bytes are known to
    /// have arrived for it. Null: none.
    [[nodiscard]] Connection* longest(WaitsFor what) const;
    [[nodiscard]] Connection* longest(WaitsFor what, std::string const& address) const;

private:
    static List& list_of(Lists& lists, WaitsFor what) noexcept {
        return lists[static_cast<std::size_t>(what)];
    }
    [[nodiscard]] static List const& list_of(Lists const& lists, WaitsFor what) noexcept {
        return lists[static_cast<std::size_t>(what)];
    }
    [[nodiscard]] static Connection* longest(List const& list);

    Lists all_;
    Addresses addresses_;
};

} // namespace sallyport::serve

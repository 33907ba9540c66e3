// The connections of a worker that wait for their client, ordered by how long they have waited.
#include "gateway/serve/waiting_connections.h"

#include "gateway/serve/connection.h"

#include <arpa/inet.h>

#include <utility>

namespace sallyport::serve {

namespace {

// How many are examined: bytes may have arrived for the first ones that were not reported yet.
constexpr int most_looked_at = 32;

} // namespace

std::string counted_as(std::string const& address) {
    std::array<char, sizeof(in6_addr)> bytes{};
    constexpr std::size_t network = 8;
    if (::inet_pton(AF_INET6, address.c_str(), bytes.data()) != 1) return address;
    return ':' + std::string{bytes.data(), network}; // an IPv4 address cannot begin like this
}

WaitingConnections::Place::Place(WaitingConnections& all, std::string const& address,
                                 Connection& connection)
    : all_{all}, address_{*all.addresses_.try_emplace(counted_as(address)).first} {
    ++address_.second.places;
    in_all_.connection = in_address_.connection = &connection;
}

WaitingConnections::Place::~Place() {
    end();
    if (--address_.second.places == 0) all_.addresses_.erase(all_.addresses_.find(address_.first));
}

void WaitingConnections::Place::begin(WaitsFor what, net::Clock::time_point now) {
    end();
    what_ = what;
    since_ = now;
    auto& all = list_of(all_.all_, what);
    auto& of_address = list_of(address_.second.lists, what);
    in_all_.link_before(all.first);
    in_address_.link_before(of_address.first);
    ++all.size;
    ++of_address.size;
}

void WaitingConnections::Place::end() noexcept {
    if (!in_all_.is_linked()) return;
    in_all_.unlink();
    in_address_.unlink();
    --list_of(all_.all_, what_).size;
    --list_of(address_.second.lists, what_).size;
}

Connection* WaitingConnections::longest(WaitsFor what) const {
    return longest(list_of(all_, what));
}

Connection* WaitingConnections::longest(WaitsFor what, std::string const& address) const {
    auto const found = addresses_.find(counted_as(address));
    return found == addresses_.end() ? nullptr : longest(list_of(found->second.lists, what));
}

Connection* WaitingConnections::longest(List const& list) {
    auto const* link = list.first.next;
    for (int looked_at = 0; link != &list.first && looked_at < most_looked_at; ++looked_at) {
        auto* const connection = static_cast<Link const*>(link)->connection;
        if (!connection->stream().has_pending()) return connection;
        link = link->next;
    }
    return nullptr;
}

} // namespace sallyport::serve

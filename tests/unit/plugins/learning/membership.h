// A plugin of the tests that learns over the network: whether a caller is a member of a group,
// which a server has. It shows what an authenticator or a limit that needs a server is built
// on.
#pragma once

#include "gateway/pipeline/plugin.h"
#include "gateway/pipeline/single_flight.h"

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace sallyport::plugins::test {

/// The result of the server; `unknown`: it could not be reached, or its response is unclear.
enum class Membership : std::uint8_t { unknown, member, non_member };

/// What outlives exchanges and snapshots: one per worker.
struct MembershipService {
    MembershipService(net::Loop& its_loop, std::uint16_t its_port)
        : loop{its_loop}, port{its_port}, flights{its_loop} {}

    /// Sends the server one request over a connection of its own.
    net::Task<Membership> operator()(std::string_view name);

    net::Loop& loop;
    std::uint16_t port;
    std::chrono::milliseconds fetch_time{15000}; // bounds a request to the server
    std::chrono::milliseconds wait_time{15000};  // bounds how long an exchange waits for it
    pipeline::SingleFlight<Membership> flights;
    std::map<std::string, Membership, std::less<>> known;
};

/// In the phase that authorizes.
std::unique_ptr<pipeline::Plugin> make_membership(MembershipService& service);

} // namespace sallyport::plugins::test

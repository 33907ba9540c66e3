// How many connections there may be, in all and from one address.
#include "gateway/accept/connection_limits.h"

#include <arpa/inet.h>

#include <array>
#include <cstddef>
#include <utility>

namespace sallyport::accept {

namespace {

/// Whose connections are counted together: an IPv4 address, or the network of 64 bits that an IPv6
/// address is in. RFC 4291, 2.5.4: a host has all of the addresses there.
std::string counted_as(std::string const& address) {
    std::array<char, sizeof(in6_addr)> bytes{};
    constexpr std::size_t network = 8;
    if (::inet_pton(AF_INET6, address.c_str(), bytes.data()) != 1) return address;
    return ':' + std::string{bytes.data(), network}; // no IPv4 address is written so
}

} // namespace

void ConnectionLimits::set(std::uint32_t all, std::uint32_t per_address) {
    std::lock_guard const lock{mutex_};
    all_ = all;
    per_address_ = per_address;
}

Admission ConnectionLimits::admit(std::string const& address) {
    auto const admission = judge(address);
    if (admission != Admission::admitted) refused_.fetch_add(1, std::memory_order_relaxed);
    return admission;
}

Admission ConnectionLimits::judge(std::string const& address) {
    std::lock_guard const lock{mutex_};
    if (open_ >= all_) return Admission::too_many;
    auto key = counted_as(address);
    auto const found = open_by_address_.find(key);
    if (found == open_by_address_.end()) {
        open_by_address_.emplace(std::move(key), 1);
    } else {
        if (found->second >= per_address_) return Admission::too_many_from_address;
        ++found->second;
    }
    ++open_;
    return Admission::admitted;
}

void ConnectionLimits::release(std::string const& address) noexcept {
    std::lock_guard const lock{mutex_};
    --open_;
    auto const found = open_by_address_.find(counted_as(address));
    if (found != open_by_address_.end() && --found->second == 0) open_by_address_.erase(found);
}

} // namespace sallyport::accept

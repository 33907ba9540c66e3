// The limits on connections, in total and per address.
#include "gateway/accept/connection_limits.h"

#include "gateway/serve/waiting_connections.h"

#include <cstddef>
#include <utility>

namespace sallyport::accept {

using serve::counted_as;

namespace {

// Each is a descriptor beyond the limits.
constexpr std::uint32_t most_searches = 256;

} // namespace

void ConnectionLimits::set(std::uint32_t all, std::uint32_t per_address) {
    std::lock_guard const lock{mutex_};
    all_ = all;
    per_address_ = per_address;
}

Admission ConnectionLimits::admit(std::string const& address) {
    std::lock_guard const lock{mutex_};
    return judge(address);
}

Admission ConnectionLimits::attribute(std::string const& address) {
    std::lock_guard const lock{mutex_};
    if (has_most_of(address)) return Admission::too_many_from_address;
    ++open_by_address_[counted_as(address)];
    return Admission::admitted;
}

Admission ConnectionLimits::replace(std::string const& leaving, std::string const& address) {
    std::lock_guard const lock{mutex_};
    forget(leaving);
    return judge(address);
}

void ConnectionLimits::release(std::string const& address) noexcept {
    std::lock_guard const lock{mutex_};
    forget(address);
}

std::optional<ConnectionLimits::Search> ConnectionLimits::begin_search() noexcept {
    Search search{searches_};
    if (searches_.fetch_add(1, std::memory_order_relaxed) >= most_searches) return std::nullopt;
    return search;
}

bool ConnectionLimits::has_most_of(std::string const& address) const {
    auto const found = open_by_address_.find(counted_as(address));
    return found != open_by_address_.end() && found->second >= per_address_;
}

Admission ConnectionLimits::judge(std::string const& address) {
    bool const has_address = !address.empty();
    if (has_address && has_most_of(address)) return Admission::too_many_from_address;
    if (open_ >= all_) return Admission::too_many;
    if (has_address) ++open_by_address_[counted_as(address)];
    ++open_;
    return Admission::admitted;
}

void ConnectionLimits::forget(std::string const& address) noexcept {
    --open_;
    if (address.empty()) return;
    auto const found = open_by_address_.find(counted_as(address));
    if (found != open_by_address_.end() && --found->second == 0) open_by_address_.erase(found);
}

} // namespace sallyport::accept

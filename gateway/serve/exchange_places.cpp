// The limit of requests at once that the connections of HTTP/2 share.
#include "gateway/serve/exchange_places.h"

#include <algorithm>
#include <exception>
#include <utility>

namespace sallyport::serve {

namespace {

constexpr std::uint32_t at_once = 8;

std::uint32_t left(std::uint32_t limit, std::uint32_t taken) noexcept {
    return limit > taken ? limit - taken : 0;
}

} // namespace

std::string_view name_of(PlaceLimit limit) noexcept {
    switch (limit) {
    case PlaceLimit::streams: return "streams";
    case PlaceLimit::exchanges: return "exchanges";
    case PlaceLimit::exchanges_per_address: break;
    }
    return "exchanges_per_address";
}

void ExchangeLimits::set(std::uint32_t all, std::uint32_t per_address) {
    std::lock_guard const lock{mutex_};
    all_ = all;
    per_address_ = per_address;
}

ExchangeLimits::Taken ExchangeLimits::take(std::optional<pipeline::CallerKey> address,
                                           std::uint32_t wanted) noexcept {
    std::lock_guard const lock{mutex_};
    wanted = std::min(wanted, left(all_, taken_));
    if (wanted == 0) return {0, PlaceLimit::exchanges};
    if (address) {
        try {
            auto& of_address = taken_by_address_[*address];
            wanted = std::min(wanted, left(per_address_, of_address));
            of_address += wanted;
        } catch (std::exception const&) {
            return {0, PlaceLimit::exchanges};
        } // no memory
    }
    taken_ += wanted;
    return {wanted, PlaceLimit::exchanges_per_address};
}

void ExchangeLimits::give_back(std::optional<pipeline::CallerKey> address,
                               std::uint32_t places) noexcept {
    if (places == 0) return;
    std::lock_guard const lock{mutex_};
    taken_ -= places;
    if (!address) return;
    auto const found = taken_by_address_.find(*address);
    found->second -= places;
    if (found->second == 0) taken_by_address_.erase(found);
}

ExchangePlaces::~ExchangePlaces() {
    all_.give_back(address_, held_);
}

bool ExchangePlaces::take() noexcept {
    if (used_ > held_) {
        auto const taken = all_.take(address_, at_once);
        held_ += taken.places;
        if (taken.places == 0) {
            note_refused(taken.limit);
            return false;
        }
    }
    ++used_;
    return true;
}

void ExchangePlaces::give_back() noexcept {
    --used_;
    if (used_ <= 1) {
        all_.give_back(address_, std::exchange(held_, 0));
    } else if (held_ - (used_ - 1) >= 2 * at_once) {
        held_ -= at_once;
        all_.give_back(address_, at_once);
    }
}

} // namespace sallyport::serve

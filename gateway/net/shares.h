// How much of something that all need one owner may hold.
#pragma once

#include <algorithm>
#include <cstddef>

namespace sallyport::net {

/// Of `all`, places or bytes, one owner may use everything but the last eighth, which is for owners
/// within their share: what is not needed by others is not kept from it, and others never wait for
/// it. Of that eighth an owner gets no more than it leaves, so that many of them find a place. An
/// owner whose share is everything is not limited.
struct Shares {
    std::size_t all = 0;
    std::size_t share = 0; // of one owner

    /// What owners beyond their share leave to others.
    [[nodiscard]] std::size_t reserve() const noexcept {
        if (share >= all) return 0;
        return std::min(all - share, std::max<std::size_t>(all / 8, 1));
    }
    /// Up to how much of all may be in use when an owner that holds `held` has got `more`.
    [[nodiscard]] std::size_t most_in_use(std::size_t held, std::size_t more) const noexcept {
        bool const is_within = held <= share && more <= share - held;
        return all - std::min(all, is_within ? std::min(held, reserve()) : reserve());
    }
    [[nodiscard]] bool grants(std::size_t in_use, std::size_t held,
                              std::size_t more = 1) const noexcept {
        auto const most = most_in_use(held, more);
        return in_use <= most && more <= most - in_use;
    }
};

} // namespace sallyport::net

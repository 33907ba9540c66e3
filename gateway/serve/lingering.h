// How long a connection is read after its last response: so that a client that sends a whole body
// before it reads still gets that response (RFC 9112, 9.6).
#pragma once

#include "gateway/net/stream.h"
#include "gateway/pipeline/caller.h"

#include <cstddef>
#include <unordered_map>

namespace sallyport::serve {

/// The connections of a worker that are read for nothing, by address. On the worker's thread.
class LingeringConnections {
public:
    /// One of them, as long as it lives.
    class One {
    public:
        One(LingeringConnections& all, pipeline::CallerKey address)
            : all_{all}, address_{address}, is_among_first_{++all.by_address_[address] <= most} {}
        ~One() {
            auto const here = all_.by_address_.find(address_);
            if (--here->second == 0) all_.by_address_.erase(here);
        }
        One(One const&) = delete;
        One& operator=(One const&) = delete;

        /// Time is what bounds it: a client on a fast network sends much in it. Of an address that
        /// has many already little more is read than what is on its way.
        [[nodiscard]] net::LingerLimits limits() const noexcept {
            if (is_among_first_) return {.bytes = std::size_t{1} << 30};
            return {.bytes = std::size_t{1} << 20, .time = std::chrono::seconds{1}};
        }

    private:
        LingeringConnections& all_;
        pipeline::CallerKey address_;
        bool is_among_first_;
    };

    /// Of one address, with the whole time.
    static constexpr std::size_t most = 64;

private:
    std::unordered_map<pipeline::CallerKey, std::size_t> by_address_;
};

} // namespace sallyport::serve

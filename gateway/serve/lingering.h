// How long a connection is read after its last response: so that a client that sends a whole body
// before it reads still gets that response (RFC 9112, 9.6).
#pragma once

#include "gateway/net/stream.h"
#include "gateway/pipeline/caller.h"

#include <cstddef>
#include <unordered_map>

namespace sallyport::serve {

/// The connections of a worker that are only drained, by address. On the worker's thread.
class LingeringConnections {
public:
    /// A lingering connection, counted during its lifetime.
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

        /// Bounded by time: a client on a fast network may send much within it. For an address with
        /// many such connections little more is read than the data in flight.
        [[nodiscard]] net::LingerLimits limits() const noexcept {
            if (is_among_first_) return {.bytes = std::size_t{1} << 30};
            return {.bytes = std::size_t{1} << 20, .time = std::chrono::seconds{1}};
        }

    private:
        LingeringConnections& all_;
        pipeline::CallerKey address_;
        bool is_among_first_;
    };

    /// Connections of one address that get the whole time.
    static constexpr std::size_t most = 64;

private:
    std::unordered_map<pipeline::CallerKey, std::size_t> by_address_;
};

} // namespace sallyport::serve

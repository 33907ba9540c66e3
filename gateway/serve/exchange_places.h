// The limit of requests at once that the connections of HTTP/2 share.
#pragma once

#include "gateway/http2/stream_places.h"
#include "gateway/observe/metrics.h"
#include "gateway/pipeline/caller.h"

#include <cstdint>
#include <mutex>
#include <optional>
#include <string_view>
#include <unordered_map>

namespace sallyport::serve {

/// The limit for which a request was refused. As in metrics: the name of its key.
enum class PlaceLimit : std::uint8_t { streams, exchanges, exchanges_per_address };
[[nodiscard]] std::string_view name_of(PlaceLimit limit) noexcept;

/// `limits.exchanges`, and those of one address. Shared by all workers; used when a connection
/// needs more places than it holds, not by each request.
class ExchangeLimits {
public:
    ExchangeLimits(std::uint32_t all, std::uint32_t per_address)
        : all_{all}, per_address_{per_address} {}

    /// Places beyond a lower limit stay taken.
    void set(std::uint32_t all, std::uint32_t per_address);

    struct Taken {
        std::uint32_t places = 0;
        PlaceLimit limit = PlaceLimit::exchanges; // if there is none
    };
    /// How many of `wanted` places there are: they are taken. Without an address (the connection of
    /// a trusted proxy, which carries many clients) they count in total only.
    [[nodiscard]] Taken take(std::optional<pipeline::CallerKey> address,
                             std::uint32_t wanted) noexcept;
    void give_back(std::optional<pipeline::CallerKey> address, std::uint32_t places) noexcept;

private:
    std::mutex mutex_;
    std::uint32_t all_;
    std::uint32_t per_address_;
    std::uint32_t taken_ = 0;
    std::unordered_map<pipeline::CallerKey, std::uint32_t> taken_by_address_;
};

/// The places of one connection. Its first request needs none: it counts as the connection. More
/// are taken and given back by eights, all of them once there is no second request.
class ExchangePlaces final : public http2::StreamPlaces {
public:
    /// `refused` counts requests without a place, by the limit.
    ExchangePlaces(ExchangeLimits& all, std::optional<pipeline::CallerKey> address,
                   observe::RefusedByLimit& refused)
        : all_{all}, address_{address}, refused_{refused} {}
    ~ExchangePlaces();
    ExchangePlaces(ExchangePlaces const&) = delete;
    ExchangePlaces& operator=(ExchangePlaces const&) = delete;

    [[nodiscard]] bool take() noexcept override;
    void give_back() noexcept override;
    void note_beyond_streams() noexcept override { note_refused(PlaceLimit::streams); }

private:
    void note_refused(PlaceLimit limit) noexcept { refused_.add(name_of(limit)); }

    ExchangeLimits& all_;
    std::optional<pipeline::CallerKey> address_;
    observe::RefusedByLimit& refused_;
    std::uint32_t used_ = 0; // requests
    std::uint32_t held_ = 0; // places
};

} // namespace sallyport::serve

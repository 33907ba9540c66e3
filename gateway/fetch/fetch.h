// One request of the gateway's own, on a connection of its own, from its name to the last byte of
// its response.
#pragma once

#include "gateway/fetch/names.h"
#include "gateway/fetch/request.h"
#include "gateway/net/loop.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace sallyport::fetch {

/// How many fetches had which end, by Cause. Any thread reads it.
using Counts = std::array<std::atomic<std::uint64_t>, cause_words.size()>;

/// What fetches of one thread share. On its thread; outlives them.
struct Environment {
    net::Loop& loop;
    Names& names;
    Counts& counts;
    std::size_t running = 0;
    std::size_t most_at_once = 256;
};

/// Never more than one connection and `Limits::body` bytes of memory, never longer than
/// `Limits::total`. Redirects are not followed, nothing is retried; of several addresses four at
/// most are tried. Only a complete response with status 200, one of the media types, no content
/// coding and a length that is certain is a result.
[[nodiscard]] net::Task<Result> fetch(Environment& environment, Request request);

} // namespace sallyport::fetch

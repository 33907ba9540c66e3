// The configuration of an upstream, in the form that forwarding uses.
#pragma once

#include "config/types.h"

#include <chrono>
#include <optional>
#include <string>

namespace sallyport::upstream {

struct Timeouts {
    std::chrono::milliseconds connect{3'000};
    std::chrono::milliseconds first_byte{60'000};
    std::chrono::milliseconds idle{30'000};
    std::chrono::milliseconds total{310'000};
};

/// Immutable, owned by the snapshot.
struct Settings {
    std::string name;
    Timeouts timeouts;
    /// The value of Authorization for this upstream ("Basic ..."); none: the client's own
    /// credentials are forwarded.
    std::optional<config::Secret> authorization;
};

} // namespace sallyport::upstream

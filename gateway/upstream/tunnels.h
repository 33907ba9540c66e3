// The tunnels of one worker: counted, and closed when the gateway drains.
#pragma once

#include "gateway/net/list_link.h"
#include "gateway/observe/counter.h"

namespace sallyport::upstream {

class Tunnel;

/// Used on its worker's thread only. Outlives its tunnels.
class Tunnels {
public:
    /// `gauge` says how many there are, to any thread.
    explicit Tunnels(observe::Gauge& gauge) noexcept : gauge_{gauge} {}

    /// Closes all of them in order; and those that begin later, at once.
    void drain();

private:
    friend class Tunnel;
    void add(Tunnel& tunnel);
    void remove(Tunnel& tunnel) noexcept;

    observe::Gauge& gauge_;
    net::ListLink list_;
    bool is_draining_ = false;
};

} // namespace sallyport::upstream

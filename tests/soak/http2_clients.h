// Clients of HTTP/2, each with several requests at once on its connection.
#pragma once

#include "tests/soak/clients.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace sallyport::soak {

/// On threads of its own. `settings.connections`: the requests at once, all connections together.
class Http2Clients {
public:
    explicit Http2Clients(ClientSettings settings);
    ~Http2Clients();
    Http2Clients(Http2Clients const&) = delete;
    Http2Clients& operator=(Http2Clients const&) = delete;

    /// Requests per second, all together; 0: without a limit.
    void set_rate(double rate) { rate_ = rate; }
    /// Begins no more requests, and waits for those under way.
    void stop();
    /// Requests that have begun so far.
    std::uint64_t requests() const { return requests_; }
    /// After stop().
    ClientCounts const& counts() const { return counts_; }

private:
    class Session;
    void run(std::uint64_t seed);

    ClientSettings settings_;
    std::atomic<double> rate_{0};
    std::atomic<bool> stopped_{false};
    std::atomic<std::uint64_t> requests_{0};
    std::mutex mutex_; // of counts_
    ClientCounts counts_;
    std::vector<std::thread> threads_;
};

} // namespace sallyport::soak

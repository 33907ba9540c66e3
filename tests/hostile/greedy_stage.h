// The gateway with short deadlines, a probe that must be served all the time, and the kernel's data
// of the process.
#pragma once

#include "tests/support/gateway.h"
#include "tests/support/raw_client.h"
#include "tests/support/recording_upstream.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace sallyport::test {

/// A number of clients: all of them with SALLYPORT_HOSTILE_SCALE=1, otherwise a tenth.
std::size_t scaled(std::size_t number);
bool is_at_full_scale();
/// At full scale, and without a sanitizer, which keeps freed memory.
bool measures_memory();

/// Polls the predicate until it is true or 15 seconds have passed.
bool comes_true(std::function<bool()> const& predicate);

/// The middle one of several values, in any order; of an even number the larger of the two.
template <class T>
[[nodiscard]] T median_of(std::vector<T> values) {
    auto const middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

/// The kernel's data of a process.
std::size_t resident_bytes(pid_t process);
std::size_t open_descriptors(pid_t process);
std::chrono::milliseconds processor_time(pid_t process);

/// Sends requests all the time, alternating new connections and a kept one, until it is stopped or
/// destroyed.
class Probe {
public:
    explicit Probe(std::uint16_t port);
    Probe(std::uint16_t port, std::string request);
    Probe(Probe const&) = delete;
    Probe& operator=(Probe const&) = delete;
    ~Probe();

    /// Stops it and CHECKs that each request got its response, half of them within a second.
    void stop_and_check();
    /// Stops it and CHECKs that each request got its response; the median of their times. Slower
    /// ones may compete with the clients of an attack for the processors.
    std::chrono::milliseconds stop_and_measure();
    /// Stops it and CHECKs that each request got its response; the sorted times.
    std::vector<std::chrono::milliseconds> stop_and_list();

private:
    void send_until_stopped();
    std::string send_once(std::unique_ptr<RawClient>& kept, bool on_new_connection) const;

    std::uint16_t port_;
    std::string request_;
    Event stop_;
    std::vector<std::chrono::milliseconds> times_;
    std::size_t sent_ = 0;
    std::string problem_;
    std::thread thread_;
};

/// The gateway for tests with greedy clients. At the end all resources must have been released.
struct GreedyStage {
    /// Lines of `limits`, the script of the upstream (empty: a small response), and the limits of
    /// connections to it.
    explicit GreedyStage(std::string const& limits, RecordingUpstream::Script script = {},
                         std::string const& connections = "max: 600, per_caller: 600");

    [[nodiscard]] std::uint16_t port() const { return gateway.port("plain"); }
    [[nodiscard]] std::size_t buffered_bytes() const; // of bodies, by the gateway's metric

    /// Sends requests until buffers and pools are allocated, and stores the resources in use.
    void warm_up();
    /// CHECKs that memory is within 4 MB of that and every descriptor closed, then stops the
    /// gateway.
    void finish();

    RecordingUpstream upstream;
    Gateway gateway;
    std::size_t resident_before = 0;
    std::size_t descriptors_before = 0;
};

} // namespace sallyport::test

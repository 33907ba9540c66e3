// The gateway with short deadlines, a probe that is served all the while, and what the kernel says
// of the process.
#pragma once

#include "tests/support/gateway.h"
#include "tests/support/raw_client.h"
#include "tests/support/recording_upstream.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace sallyport::test {

// A number of clients: the whole number with SALLYPORT_HOSTILE_SCALE=1, a tenth without.
std::size_t scaled(std::size_t number);
bool is_at_full_scale();
// At full scale, and where no sanitizer keeps what was given back.
bool measures_memory();

// Looks now and then, until it is true or the time is over.
bool comes_true(std::function<bool()> const& predicate);

// What the kernel knows of a process.
std::size_t resident_bytes(pid_t process);
std::size_t open_descriptors(pid_t process);
std::chrono::milliseconds processor_time(pid_t process);

// Asks all the time, on new connections and on a kept one in turn, until it is destroyed or
// stopped.
class Probe {
public:
    explicit Probe(std::uint16_t port);
    Probe(std::uint16_t port, std::string request);
    Probe(Probe const&) = delete;
    Probe& operator=(Probe const&) = delete;
    ~Probe();

    // Ends it and CHECKs that each got its response, half of them within a second.
    void stop_and_check();
    // Ends it and CHECKs that each got its response; half of them took no longer than this. The
    // other half may meet the clients of an attack, which are busy on the same processors.
    std::chrono::milliseconds stop_and_measure();
    // Ends it and CHECKs that each was answered; how long each took, the shortest first.
    std::vector<std::chrono::milliseconds> stop_and_list();

private:
    void ask_until_stopped();
    std::string ask_once(std::unique_ptr<RawClient>& kept, bool on_new_connection) const;

    std::uint16_t port_;
    std::string request_;
    Event stop_;
    std::vector<std::chrono::milliseconds> times_;
    std::size_t asked_ = 0;
    std::string problem_;
    std::thread thread_;
};

// A gateway as those who are greedy find it. At the end everything that they took must be back.
struct GreedyStage {
    // Lines of `limits`, the script of the upstream (empty: a small answer), and how many
    // connections to it there may be.
    explicit GreedyStage(std::string const& limits, RecordingUpstream::Script script = {},
                         std::string const& connections = "max: 600, per_caller: 600");

    [[nodiscard]] std::uint16_t port() const { return gateway.port("plain"); }
    [[nodiscard]] std::size_t buffered_bytes() const; // that the gateway says it holds of bodies

    // Asks as often as it takes for buffers and pools to be there; then remembers.
    void warm_up();
    // CHECKs that memory is back to within 4 MB and every descriptor closed, then ends.
    void finish();

    RecordingUpstream upstream;
    Gateway gateway;
    std::size_t resident_before = 0;
    std::size_t descriptors_before = 0;
};

} // namespace sallyport::test

// The one thread that writes the access log: from the rings of all workers to a file, standard
/// output or standard error.
#pragma once

#include "gateway/observe/log_ring.h"
#include "gateway/observe/rate_cap.h"

#include <boost/system/result.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace sallyport::observe {

/// What the operator has to know, told on the writer's thread. A run of failures is told once when
/// it begins and once when it ends; lines that an output was too slow for, every 10 s at most.
/// Standard output and standard error are never reopened, and
/// nothing is told of it.
struct LogIncident {
    enum class Kind : std::uint8_t {
        write_failed,
        recovered,
        lines_dropped, // though nothing failed: the output is too slow
        reopened,
        reopen_failed
    };
    Kind kind;
    std::error_code error;
    std::uint64_t dropped_lines; // so far
};

struct LogWriterOptions {
    std::string output = "stdout";                 // a path, stdout or stderr
    std::size_t rings = 1;                         // one a producer: the workers, and the acceptor
    std::size_t ring_bytes = std::size_t{1} << 20; // a power of two
    std::chrono::milliseconds interval{100};       // a line waits at most this long
    std::chrono::milliseconds stop_limit{5000};    // for a reader that does not read
    std::function<void(LogIncident const&)> on_incident;
};

/// What the rings were full for.
enum class WhyDropped : std::uint8_t {
    too_slow,     // the output takes less than what comes
    not_read,     // nobody reads the pipe or terminal
    write_failed, // the disk is full, the reader gone
};

struct LogStatistics {
    std::uint64_t bytes_written = 0;
    std::uint64_t write_errors = 0; // attempts to open it anew that failed, too
    std::uint64_t dropped_lines =
        0; // did not fit into a ring, or could not be written before the stop
    /// Of those the ones that did not fit, by WhyDropped; known within LogWriterOptions::interval.
    std::array<std::uint64_t, 3> dropped{};
    bool is_losing = false;       // a line was dropped within the last ten seconds
    std::error_code failing_with; // of the last write, if that failed
};

/// Owned by whoever runs the workers, and outlives them. While nothing can be written (disk full, a
/// reader that sleeps) lines wait in the rings, then are dropped and counted; a worker never waits.
class LogWriter {
public:
    /// Opens the output and starts the thread.
    [[nodiscard]] static boost::system::result<std::unique_ptr<LogWriter>, std::error_code>
    start(LogWriterOptions options);

    LogWriter(LogWriter const&) = delete;
    LogWriter& operator=(LogWriter const&) = delete;
    ~LogWriter();

    LogRing& ring(std::size_t index) noexcept { return *rings_[index]; }

    /// Opens the path anew, for after a rename; if that fails the old file stays in use. Any
    /// thread, signal handlers too.
    void reopen() noexcept;

    /// Writes what waits (for stop_limit at most) and ends the thread. Producers must be done.
    void stop();

    /// Any thread. Whether lines are being lost depends on `now`.
    [[nodiscard]] LogStatistics statistics(std::chrono::steady_clock::time_point now =
                                               std::chrono::steady_clock::now()) const noexcept;

private:
    enum class Output : std::uint8_t { file, stream };
    enum class Progress : std::uint8_t { written, stalled, failed };

    LogWriter(LogWriterOptions options, int event_descriptor, int output_descriptor);

    void run();
    void wait(std::chrono::milliseconds limit) noexcept;
    Progress drain() noexcept;
    Progress write_ring(LogRing& ring) noexcept;
    void reopen_now();
    void adopt(int descriptor) noexcept;
    void settle(Progress progress);
    void find_dropped(Progress progress) noexcept;
    void tell_of_dropped_lines();
    void tell(LogIncident::Kind kind, std::error_code error) const;
    [[nodiscard]] bool is_empty() const noexcept;
    void count_left_over() noexcept;

    LogWriterOptions options_;
    int event_descriptor_;
    int output_descriptor_;
    Output output_ = Output::file;
    LogWakeUp wake_up_;
    std::vector<std::unique_ptr<LogRing>> rings_;

    /// The writer's thread alone.
    std::size_t current_ = 0;      // the ring whose line may be half written
    std::size_t in_this_turn_ = 0; // bytes, since the last pause
    std::size_t half_line_ = 0;    // bytes of that ring's first line that are in the file already
    Progress progress_ = Progress::written;
    bool told_failure_ = false;
    std::uint64_t told_dropped_lines_ = 0;
    RateCap incident_cap_{
        1, std::chrono::seconds{10}}; // a disk at its brink fails and recovers all the time
    RateCap dropped_cap_{1, std::chrono::seconds{10}};
    std::error_code last_error_;
    std::uint64_t found_dropped_ = 0;

    std::atomic<bool> reopen_{false};
    std::atomic<bool> stop_{false};
    std::atomic<std::uint64_t> bytes_written_{0};
    std::atomic<std::uint64_t> write_errors_{0};
    std::atomic<std::uint64_t> left_over_lines_{0};
    static constexpr std::int64_t never = INT64_MIN;
    std::array<std::atomic<std::uint64_t>, 3> dropped_{}; // by WhyDropped
    std::atomic<std::int64_t> last_dropped_ms_{never};
    std::atomic<int> failing_with_{0};
    std::thread thread_;
};

} // namespace sallyport::observe

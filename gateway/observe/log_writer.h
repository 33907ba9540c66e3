// The one thread that writes the access log: from the rings of all workers to a file, standard
// output or standard error.
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

/// An event for the operator, reported on the writer's thread. A series of failures is reported
/// once when it begins and once when it ends; lines dropped because an output is too slow, at most
/// every 10 s. Standard output and standard error are never reopened, and a request to do so is not
/// reported.
struct LogIncident {
    enum class Kind : std::uint8_t {
        write_failed,
        recovered,
        lines_dropped, // without a failure: the output is too slow
        reopened,
        reopen_failed
    };
    Kind kind;
    std::error_code error;
    std::uint64_t dropped_lines; // so far
};

struct LogWriterOptions {
    std::string output = "stdout";                 // a path, stdout or stderr
    std::size_t rings = 1;                         // one per producer: the workers, and the
                                                   // acceptor
    std::size_t ring_bytes = std::size_t{1} << 20; // a power of two
    std::chrono::milliseconds interval{100};       // the longest time that a line is held back
    std::chrono::milliseconds stop_limit{5000};    // how long a stop waits for a blocked reader
    std::function<void(LogIncident const&)> on_incident;
};

/// The reason why the rings were full.
enum class WhyDropped : std::uint8_t {
    too_slow,     // the output is slower than the log
    not_read,     // the reader of the pipe or terminal is blocked
    write_failed, // the disk is full, or the reader has closed
};

struct LogStatistics {
    std::uint64_t bytes_written = 0;
    std::uint64_t write_errors = 0; // including failed attempts to reopen it
    std::uint64_t dropped_lines =
        0; // did not fit into a ring, or could not be written before the stop
    /// The lines that did not fit, by WhyDropped; up to date within LogWriterOptions::interval.
    std::array<std::uint64_t, 3> dropped{};
    bool is_losing = false;       // a line was dropped within the last ten seconds
    std::error_code failing_with; // of the last write, if it failed
};

/// Owned by the server, outlives the workers. While the output cannot be written (disk full,
/// blocked reader) lines stay in the rings, then are dropped and counted; a worker never waits.
class LogWriter {
public:
    /// Opens the output and starts the thread.
    [[nodiscard]] static boost::system::result<std::unique_ptr<LogWriter>, std::error_code>
    start(LogWriterOptions options);

    LogWriter(LogWriter const&) = delete;
    LogWriter& operator=(LogWriter const&) = delete;
    ~LogWriter();

    LogRing& ring(std::size_t index) noexcept { return *rings_[index]; }

    /// Reopens the path after a rename; if that fails the old file stays in use. Any thread, and
    /// signal handlers.
    void reopen() noexcept;

    /// Writes the remaining lines (for stop_limit at most) and ends the thread. Producers must have
    /// ended.
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
    void report_dropped_lines();
    void report(LogIncident::Kind kind, std::error_code error) const;
    [[nodiscard]] bool is_empty() const noexcept;
    void count_left_over() noexcept;

    LogWriterOptions options_;
    int event_descriptor_;
    int output_descriptor_;
    Output output_ = Output::file;
    LogWakeUp wake_up_;
    std::vector<std::unique_ptr<LogRing>> rings_;

    /// Used only by the writer's thread.
    std::size_t current_ = 0;      // the ring whose line may be half written
    std::size_t in_this_turn_ = 0; // bytes, since the last pause
    std::size_t half_line_ = 0;    // bytes of that ring's first line that have been written
    Progress progress_ = Progress::written;
    bool failure_reported_ = false;
    std::uint64_t reported_dropped_lines_ = 0;
    RateCap incident_cap_{
        1, std::chrono::seconds{10}}; // a nearly full disk alternates between failure and success
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

// The writer thread of the access log: whole lines, one output, no failure that stops the service.
#include "gateway/observe/log_writer.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

namespace sallyport::observe {

namespace {

// A pipe that poll(2) calls writable takes this much without blocking (POSIX: PIPE_BUF, pipe(7)).
constexpr std::size_t stream_chunk = 4096;
// What is written at once: some 40 us of a processor that a worker may be waiting for, which gets
// it back for a pause. Of a ring that fills up it is more, so that the writer keeps up.
constexpr std::size_t turn = std::size_t{64} << 10;
constexpr std::size_t turns = 16;
constexpr std::chrono::microseconds pause_between_turns{500};
// How long lines are said to be lost after the last that was.
constexpr std::int64_t losing_for_ms = 10'000;

std::error_code last_error() {
    return {errno, std::system_category()};
}

bool is_standard(std::string_view output) {
    return output == "stdout" || output == "stderr";
}

// A descriptor of our own for each output, so that closing it is always right. O_NONBLOCK: opening
// a FIFO that nobody reads must not hang the start; for files it means nothing.
int open_output(std::string const& output) {
    if (is_standard(output)) {
        auto const standard = output == "stdout" ? STDOUT_FILENO : STDERR_FILENO;
        return ::fcntl(standard, F_DUPFD_CLOEXEC, 3);
    }
    constexpr int flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
    auto const created = ::open(output.c_str(), flags | O_EXCL, 0640);
    if (created >= 0) {
        // A file that we make has this mode whatever the umask; one that exists keeps its own.
        ::fchmod(created, 0640);
        return created;
    }
    return errno == EEXIST ? ::open(output.c_str(), flags, 0640) : created;
}

bool is_regular_file(int descriptor) {
    struct stat status {};
    return ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

bool is_same_file(int one, int other) {
    struct stat a {};
    struct stat b {};
    return ::fstat(one, &a) == 0 && ::fstat(other, &b) == 0 && a.st_dev == b.st_dev
           && a.st_ino == b.st_ino;
}

bool is_writable(int descriptor) {
    pollfd entry{descriptor, POLLOUT, 0};
    // POLLERR and POLLHUP too: the write will say what is wrong.
    return ::poll(&entry, 1, 0) > 0;
}

using Parts = std::array<std::string_view, 2>;

Parts without_first(Parts parts, std::size_t bytes) {
    auto const first = std::min(bytes, parts[0].size());
    parts[0].remove_prefix(first);
    parts[1].remove_prefix(bytes - first);
    return parts;
}

Parts only_first(Parts parts, std::size_t bytes) {
    parts[0] = parts[0].substr(0, bytes);
    parts[1] = parts[1].substr(0, bytes - parts[0].size());
    return parts;
}

// The length of the whole lines that `text` begins with.
std::size_t whole_lines(std::string_view text) {
    // memrchr() looks at many bytes at once, rfind() at one.
    auto const* const end =
        text.empty() ? nullptr
                     : static_cast<char const*>(::memrchr(text.data(), '\n', text.size()));
    return end == nullptr ? 0 : static_cast<std::size_t>(end - text.data()) + 1;
}

std::size_t whole_lines(Parts const& parts) {
    auto const in_second = whole_lines(parts[1]);
    return in_second != 0 ? parts[0].size() + in_second : whole_lines(parts[0]);
}

std::uint64_t count_lines(Parts const& parts) {
    auto const lines = std::count(parts[0].begin(), parts[0].end(), '\n')
                       + std::count(parts[1].begin(), parts[1].end(), '\n');
    return static_cast<std::uint64_t>(lines);
}

std::int64_t in_ms(std::chrono::steady_clock::time_point time) {
    using namespace std::chrono;
    return duration_cast<milliseconds>(time.time_since_epoch()).count();
}

ssize_t write_parts(int descriptor, Parts const& parts) {
    std::array<iovec, 2> vectors{};
    for (std::size_t i = 0; i < parts.size(); ++i) {
        vectors[i] = {const_cast<char*>(parts[i].data()), parts[i].size()};
    }
    ssize_t written;
    do {
        written = ::writev(descriptor, vectors.data(), static_cast<int>(vectors.size()));
    } while (written < 0 && errno == EINTR);
    return written;
}

} // namespace

boost::system::result<std::unique_ptr<LogWriter>, std::error_code>
LogWriter::start(LogWriterOptions options) {
    auto const output = open_output(options.output);
    if (output < 0) return last_error();
    auto const event = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (event < 0) {
        auto const error = last_error();
        ::close(output);
        return error;
    }
    std::unique_ptr<LogWriter> writer{new LogWriter{std::move(options), event, output}};
    // Signals belong to the main thread; SIGPIPE of a log that nobody reads must be an error, not
    // an end.
    sigset_t all;
    sigset_t before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    writer->thread_ = std::thread{&LogWriter::run, writer.get()};
    ::pthread_setname_np(writer->thread_.native_handle(), "access log");
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return writer;
}

LogWriter::LogWriter(LogWriterOptions options, int event_descriptor, int output_descriptor)
    : options_{std::move(options)}, event_descriptor_{event_descriptor},
      output_descriptor_{-1}, wake_up_{event_descriptor} {
    adopt(output_descriptor);
    rings_.reserve(options_.rings);
    for (std::size_t i = 0; i < options_.rings; ++i) {
        rings_.push_back(std::make_unique<LogRing>(options_.ring_bytes, wake_up_));
    }
}

LogWriter::~LogWriter() {
    stop();
    ::close(output_descriptor_);
    ::close(event_descriptor_);
}

void LogWriter::reopen() noexcept {
    reopen_.store(true, std::memory_order_release);
    wake_up_.signal();
}

void LogWriter::stop() {
    if (!thread_.joinable()) return;
    stop_.store(true, std::memory_order_release);
    wake_up_.signal();
    thread_.join();
}

LogStatistics LogWriter::statistics(std::chrono::steady_clock::time_point now) const noexcept {
    LogStatistics statistics;
    statistics.bytes_written = bytes_written_.load(std::memory_order_relaxed);
    statistics.write_errors = write_errors_.load(std::memory_order_relaxed);
    statistics.dropped_lines = left_over_lines_.load(std::memory_order_relaxed);
    for (auto const& ring : rings_)
        statistics.dropped_lines += ring->dropped();
    for (std::size_t i = 0; i < dropped_.size(); ++i)
        statistics.dropped[i] = dropped_[i].load(std::memory_order_relaxed);
    auto const last = last_dropped_ms_.load(std::memory_order_relaxed);
    statistics.is_losing = last != never && in_ms(now) - last < losing_for_ms;
    auto const error = failing_with_.load(std::memory_order_relaxed);
    if (error != 0) statistics.failing_with = {error, std::system_category()};
    return statistics;
}

void LogWriter::run() {
    using Clock = std::chrono::steady_clock;
    while (!stop_.load(std::memory_order_acquire)) {
        wait(options_.interval);
        // What waits was logged before the rename: it belongs into the old file.
        settle(drain());
        if (reopen_.exchange(false, std::memory_order_acquire)) reopen_now();
    }
    // Everything that was pushed before the stop is visible now.
    auto const deadline = Clock::now() + options_.stop_limit;
    settle(drain());
    while (progress_ == Progress::stalled && Clock::now() < deadline) {
        wait(std::min(options_.interval,
                      std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now())));
        settle(drain());
    }
    count_left_over();
}

// Until a producer or a caller wakes us, the output can be written again after a stall, or `limit`
// has passed.
void LogWriter::wait(std::chrono::milliseconds limit) noexcept {
    std::array<pollfd, 2> entries{pollfd{event_descriptor_, POLLIN, 0},
                                  pollfd{output_descriptor_, POLLOUT, 0}};
    nfds_t const count = progress_ == Progress::stalled ? 2 : 1;
    ::poll(entries.data(), count, static_cast<int>(limit.count()));
    std::uint64_t signals;
    [[maybe_unused]] auto const read = ::read(event_descriptor_, &signals, sizeof signals);
    // While nothing can be written the request stays pending: full rings must not wake us again and
    // again.
    if (progress_ == Progress::written) wake_up_.accept();
}

// Writes what waits in all rings, beginning with the one whose line is half written.
LogWriter::Progress LogWriter::drain() noexcept {
    for (std::size_t i = 0; i < rings_.size(); ++i) {
        auto const progress = write_ring(*rings_[current_]);
        if (progress != Progress::written) return progress;
        current_ = (current_ + 1) % rings_.size();
    }
    return Progress::written;
}

// Writes what one ring holds now. Only whole lines are given back to the ring, so that a half
// written one can be begun anew in another file.
LogWriter::Progress LogWriter::write_ring(LogRing& ring) noexcept {
    auto waiting = ring.readable();
    while (!waiting[0].empty() || !waiting[1].empty()) {
        auto const all = without_first(waiting, half_line_);
        if (output_ == Output::stream && !is_writable(output_descriptor_)) return Progress::stalled;
        auto const size = all[0].size() + all[1].size();
        auto const most = std::max(turn, size / turns);
        auto parts = only_first(all, output_ == Output::stream ? stream_chunk : most);
        // Whole lines where they fit: other processes may write to the same output.
        if (auto const whole = whole_lines(parts); whole != 0) parts = only_first(parts, whole);
        auto const written = write_parts(output_descriptor_, parts);
        if (written < 0) {
            if (errno == EAGAIN) return Progress::stalled;
            last_error_ = last_error();
            return Progress::failed;
        }
        auto const bytes = static_cast<std::size_t>(written);
        bytes_written_.fetch_add(bytes, std::memory_order_relaxed);
        half_line_ += bytes;
        auto const done = whole_lines(only_first(waiting, half_line_));
        ring.release(done);
        half_line_ -= done;
        waiting = without_first(waiting, done);
        in_this_turn_ += bytes;
        if (in_this_turn_ < turn || stop_.load(std::memory_order_relaxed)) continue;
        in_this_turn_ = 0;
        std::this_thread::sleep_for(pause_between_turns);
    }
    return Progress::written;
}

void LogWriter::reopen_now() {
    if (is_standard(options_.output)) return;
    auto const descriptor = open_output(options_.output);
    if (descriptor < 0) {
        write_errors_.fetch_add(1, std::memory_order_relaxed);
        return tell(LogIncident::Kind::reopen_failed, last_error());
    }
    adopt(descriptor);
    tell(LogIncident::Kind::reopened, {});
}

// A line that is half written is finished in its own file, but begun anew in another one.
void LogWriter::adopt(int descriptor) noexcept {
    if (output_descriptor_ >= 0) {
        if (!is_same_file(output_descriptor_, descriptor)) half_line_ = 0;
        ::close(output_descriptor_);
    }
    output_descriptor_ = descriptor;
    output_ = is_regular_file(descriptor) ? Output::file : Output::stream;
}

// Why the lines were lost that were dropped since the last look.
void LogWriter::find_dropped(Progress progress) noexcept {
    failing_with_.store(progress == Progress::failed ? last_error_.value() : 0,
                        std::memory_order_relaxed);
    std::uint64_t all = 0;
    for (auto const& ring : rings_)
        all += ring->dropped();
    if (all == found_dropped_) return;
    // What kept the rings full is what was found before this look.
    auto const why = progress_ == Progress::failed    ? WhyDropped::write_failed
                     : progress_ == Progress::stalled ? WhyDropped::not_read
                                                      : WhyDropped::too_slow;
    auto& count = dropped_[static_cast<std::size_t>(why)];
    count.fetch_add(all - found_dropped_, std::memory_order_relaxed);
    found_dropped_ = all;
    last_dropped_ms_.store(in_ms(std::chrono::steady_clock::now()), std::memory_order_relaxed);
}

void LogWriter::settle(Progress progress) {
    find_dropped(progress);
    progress_ = progress;
    if (progress == Progress::failed) {
        write_errors_.fetch_add(1, std::memory_order_relaxed);
        if (told_failure_ || incident_cap_.take(RateCap::Clock::now()) == Pass::no) return;
        told_failure_ = true;
        tell(LogIncident::Kind::write_failed, last_error_);
    } else if (progress == Progress::written && told_failure_) {
        told_failure_ = false;
        told_dropped_lines_ = statistics().dropped_lines;
        tell(LogIncident::Kind::recovered, {});
    } else if (progress == Progress::written) {
        tell_of_dropped_lines();
    }
}

void LogWriter::tell_of_dropped_lines() {
    auto const dropped = statistics().dropped_lines;
    if (dropped == told_dropped_lines_ || dropped_cap_.take(RateCap::Clock::now()) == Pass::no) {
        return;
    }
    told_dropped_lines_ = dropped;
    tell(LogIncident::Kind::lines_dropped, {});
}

void LogWriter::tell(LogIncident::Kind kind, std::error_code error) const {
    if (options_.on_incident) options_.on_incident({kind, error, statistics().dropped_lines});
}

void LogWriter::count_left_over() noexcept {
    for (auto const& ring : rings_) {
        auto const lines = count_lines(ring->readable());
        left_over_lines_.fetch_add(lines, std::memory_order_relaxed);
    }
}

} // namespace sallyport::observe

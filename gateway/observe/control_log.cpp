// The control plane's log over spdlog: each event one write of one line.
#include "gateway/observe/control_log.h"

#include "gateway/observe/loggable.h"

#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <mutex>
#include <string>

namespace sallyport::observe {

namespace {

constexpr std::size_t longest_value = 1024;

// Whether a line can be written without waiting for long. poll(2) calls a pipe writable that has
// room for PIPE_BUF bytes, which then go in as one (pipe(7)).
bool is_writable(int descriptor, int milliseconds) {
    pollfd entry{descriptor, POLLOUT, 0};
    // POLLERR and POLLHUP too: the write will say what is wrong.
    return ::poll(&entry, 1, milliseconds) > 0;
}

// The descriptor is shared with other processes: it must not become non-blocking for them.
bool write_now(int descriptor, std::string_view line) {
    auto written = ::send(descriptor, line.data(), line.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (written < 0 && errno == ENOTSOCK) written = ::write(descriptor, line.data(), line.size());
    return written == static_cast<ssize_t>(line.size());
}

// One write a line, so that lines of several processes do not mix.
class DescriptorSink final : public spdlog::sinks::base_sink<std::mutex> {
public:
    explicit DescriptorSink(int descriptor) : descriptor_{descriptor} {}

    std::uint64_t lost_lines() const noexcept { return all_lost_.load(std::memory_order_relaxed); }

private:
    void sink_it_(spdlog::details::log_msg const& message) override {
        bool const was_written = (lost_ == 0 || tell_of_lost_lines()) && put(message);
        if (was_written) return;
        ++lost_;
        all_lost_.fetch_add(1, std::memory_order_relaxed);
    }
    void flush_() override {}

    bool tell_of_lost_lines() {
        auto const text = "control_lines_lost lines=" + std::to_string(lost_);
        spdlog::details::log_msg message{"control", spdlog::level::warn, text};
        if (!put(message)) return false;
        lost_ = 0;
        return true;
    }

    bool put(spdlog::details::log_msg const& message) {
        spdlog::memory_buf_t line;
        formatter_->format(message, line);
        std::string_view text{line.data(), line.size()};
        std::string cut;
        if (text.size() > PIPE_BUF) {
            cut = std::string{text.substr(0, PIPE_BUF - 1)} + '\n';
            text = cut;
        }
        bool const was_written =
            is_writable(descriptor_, patience(message.level)) && write_now(descriptor_, text);
        is_stuck_ = !was_written;
        return was_written;
    }

    // What strangers can cause is told as info: that never waits.
    int patience(spdlog::level::level_enum level) const {
        return is_stuck_ || level == spdlog::level::info ? 0 : longest_wait;
    }

    static constexpr int longest_wait = 100; // ms

    int descriptor_;
    bool is_stuck_ = false;
    std::uint64_t lost_ = 0; // and not told yet
    std::atomic<std::uint64_t> all_lost_{0};
};

spdlog::level::level_enum level_of(Severity severity) {
    switch (severity) {
    case Severity::info: return spdlog::level::info;
    case Severity::warning: return spdlog::level::warn;
    case Severity::error: return spdlog::level::err;
    }
    return spdlog::level::err;
}

bool needs_quotes(std::string_view value) {
    constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                       "0123456789-_.:/@+,[]";
    return value.empty() || value.find_first_not_of(plain) != std::string_view::npos;
}

} // namespace

class ControlLog::Writer {
public:
    explicit Writer(int descriptor)
        : sink_{std::make_shared<DescriptorSink>(descriptor)}, logger_{"control", sink_} {
        logger_.set_formatter(std::make_unique<spdlog::pattern_formatter>(
            "%Y-%m-%dT%H:%M:%S.%eZ %l %v", spdlog::pattern_time_type::utc));
    }

    void write(Severity severity, std::string_view line) {
        logger_.log(level_of(severity), spdlog::string_view_t{line.data(), line.size()});
    }
    std::uint64_t lost_lines() const noexcept { return sink_->lost_lines(); }

private:
    std::shared_ptr<DescriptorSink> sink_;
    spdlog::logger logger_;
};

ControlLog::ControlLog() : ControlLog{STDERR_FILENO} {}
ControlLog::ControlLog(int descriptor) : writer_{std::make_unique<Writer>(descriptor)} {}
ControlLog::~ControlLog() = default;

std::uint64_t ControlLog::lost_lines() const noexcept {
    return writer_->lost_lines();
}

void ControlLog::write(Severity severity, std::string_view event,
                       std::initializer_list<EventField> fields) {
    std::string line{event};
    for (auto const& field : fields) {
        line += ' ';
        line += field.name;
        line += '=';
        auto const quote = needs_quotes(field.value) ? "\"" : "";
        line += quote;
        line += loggable(field.value, longest_value);
        line += quote;
    }
    writer_->write(severity, line);
}

} // namespace sallyport::observe

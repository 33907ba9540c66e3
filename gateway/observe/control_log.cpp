// The control log over spdlog: each event is one write of one line.
#include "gateway/observe/control_log.h"

#include "gateway/observe/json_text.h"
#include "gateway/observe/loggable.h"

#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <mutex>
#include <string>

namespace sallyport::observe {

namespace {

constexpr std::size_t longest_value = 1024;
// Follows the time and the severity of a JSON line, so that the whole line is one write.
constexpr std::size_t longest_json = PIPE_BUF - 128;

constexpr char const* text_pattern = "%Y-%m-%dT%H:%M:%S.%eZ %l %v";
// The message ends in the closing brace itself; its first byte tells the two formats apart.
constexpr char const* json_pattern = R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l",%v)";
constexpr std::string_view json_beginning = "\"event\":";

// Whether a line can be written without blocking for long. poll(2) reports a pipe as writable if it
// has room for PIPE_BUF bytes, which are then written atomically (pipe(7)).
bool is_writable(int descriptor, int milliseconds) {
    pollfd entry{descriptor, POLLOUT, 0};
    // POLLERR and POLLHUP too: the write then returns the error.
    return ::poll(&entry, 1, milliseconds) > 0;
}

// The descriptor is shared with other processes: it must not become non-blocking for them.
bool write_now(int descriptor, std::string_view line) {
    auto written = ::send(descriptor, line.data(), line.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (written < 0 && errno == ENOTSOCK) written = ::write(descriptor, line.data(), line.size());
    return written == static_cast<ssize_t>(line.size());
}

bool needs_quotes(std::string_view value) {
    constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                       "0123456789-_.:/@+,[]";
    return value.empty() || value.find_first_not_of(plain) != std::string_view::npos;
}


// Escaped for a place between two quotes.
void put_quoted(std::string& line, std::string_view value) {
    line += '"';
    auto const cut = value.substr(0, longest_value);
    for (std::size_t at = 0; at < cut.size(); ++at) {
        bool const is_escaped = cut[at] == '"' || cut[at] == '\\';
        if (is_escaped) line += '\\';
        line += is_escaped ? std::string(1, cut[at]) : loggable(cut.substr(at, 1));
    }
    if (cut.size() < value.size()) line += cut_mark;
    line += '"';
}

std::string format_text(std::string_view event, std::initializer_list<EventField> fields) {
    std::string line{event};
    for (auto const& field : fields) {
        line += ' ';
        line += field.name;
        line += '=';
        if (needs_quotes(field.value)) {
            put_quoted(line, field.value);
        } else {
            line += loggable(field.value, longest_value);
        }
    }
    return line;
}

// Values are cut so that the object ends within a line.
std::string format_json(std::string_view event, std::initializer_list<EventField> fields) {
    std::array<char, longest_json> memory;
    JsonText out{memory.data(), memory.data() + memory.size()};
    out.raw(json_beginning);
    out.string(event, longest_value);
    auto overhead = std::size_t{1}; // of the remaining fields, without their values
    for (auto const& field : fields)
        overhead += field.name.size() + cut_mark.size() + 6;
    for (auto const& field : fields) {
        out.raw(",");
        out.string(field.name, longest_value);
        out.raw(":");
        auto const left = memory.size() - out.text().size();
        out.string(field.value, std::min(longest_value, left - std::min(left, overhead)));
        overhead -= field.name.size() + cut_mark.size() + 6;
    }
    out.raw("}");
    return std::string{out.text()};
}

std::string format_event(LineFormat format, std::string_view event,
                         std::initializer_list<EventField> fields) {
    return format == LineFormat::json ? format_json(event, fields) : format_text(event, fields);
}

LineFormat format_of(spdlog::details::log_msg const& message) {
    std::string_view const text{message.payload.data(), message.payload.size()};
    return text.starts_with(json_beginning) ? LineFormat::json : LineFormat::text;
}

// One write a line, so that lines of several processes do not mix.
class DescriptorSink final : public spdlog::sinks::base_sink<std::mutex> {
public:
    explicit DescriptorSink(int descriptor) : descriptor_{descriptor} {}

    std::uint64_t lost_lines() const noexcept { return all_lost_.load(std::memory_order_relaxed); }

private:
    void sink_it_(spdlog::details::log_msg const& message) override {
        bool const was_written =
            (lost_ == 0 || report_lost_lines(format_of(message))) && put(message);
        if (was_written) return;
        ++lost_;
        all_lost_.fetch_add(1, std::memory_order_relaxed);
    }
    void flush_() override {}

    bool report_lost_lines(LineFormat format) {
        auto const lines = std::to_string(lost_);
        auto const text = format_event(format, "control_lines_lost", {{"lines", lines}});
        spdlog::details::log_msg message{"control", spdlog::level::warn, text};
        if (!put(message)) return false;
        lost_ = 0;
        return true;
    }

    bool put(spdlog::details::log_msg const& message) {
        spdlog::memory_buf_t line;
        auto& formatter = format_of(message) == LineFormat::json ? json_ : text_;
        formatter.format(message, line);
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

    // Events that clients can cause are logged as info, which never waits.
    int patience(spdlog::level::level_enum level) const {
        return is_stuck_ || level == spdlog::level::info ? 0 : longest_wait;
    }

    static constexpr int longest_wait = 100; // ms

    int descriptor_;
    spdlog::pattern_formatter text_{text_pattern, spdlog::pattern_time_type::utc};
    spdlog::pattern_formatter json_{json_pattern, spdlog::pattern_time_type::utc};
    bool is_stuck_ = false;
    std::uint64_t lost_ = 0; // and not reported yet
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

} // namespace

class ControlLog::Writer {
public:
    explicit Writer(int descriptor)
        : sink_{std::make_shared<DescriptorSink>(descriptor)}, logger_{"control", sink_} {
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

void ControlLog::configure(LineFormat format, Severity least) noexcept {
    format_.store(format, std::memory_order_relaxed);
    least_.store(least, std::memory_order_relaxed);
}

void ControlLog::write(Severity severity, std::string_view event,
                       std::initializer_list<EventField> fields) {
    if (severity < least_.load(std::memory_order_relaxed)) return;
    writer_->write(severity,
                   format_event(format_.load(std::memory_order_relaxed), event, fields));
}

} // namespace sallyport::observe

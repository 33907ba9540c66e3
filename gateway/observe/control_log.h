// The log of the control plane on standard error: start, reload, drain, trouble; never on the path
/// of a request.
#pragma once

#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string_view>

namespace sallyport::observe {

enum class Severity : std::uint8_t { info, warning, error };

/// Of a line: `time severity event name=value ...`, or one JSON object.
enum class LineFormat : std::uint8_t { text, json };

/// A value of an event; it is escaped when written. Never a secret: secrets are a type that does
/// not convert to a view.
struct EventField {
    std::string_view name;
    std::string_view value;
};

/// Nobody waits for a reader that sleeps: what cannot be written is lost, and told as
/// `control_lines_lost` with the next line that can. Only the first warning or error that meets a
/// full pipe waits, for 100 ms.
///
/// One event one line: `2026-01-31T23:59:59.123Z warning log_write_failed output="/var/log/a b"
/// error="No space left on device"`, or {"time":...,"level":"warning","event":"log_write_failed",
/// "output":...} with all values as texts. Any thread.
class ControlLog {
public:
    ControlLog();                        // standard error
    explicit ControlLog(int descriptor); // a test's own; stays open
    ~ControlLog();
    ControlLog(ControlLog const&) = delete;
    ControlLog& operator=(ControlLog const&) = delete;

    /// For the lines from here on. What is less severe than `least` is not written.
    void configure(LineFormat format, Severity least) noexcept;

    /// `event`: one word of ours, snake_case. A line has at most 4096 bytes (PIPE_BUF), so that
    /// those of several processes do not mix.
    void write(Severity severity, std::string_view event,
               std::initializer_list<EventField> fields = {});

    /// Events that were not written, since the start.
    [[nodiscard]] std::uint64_t lost_lines() const noexcept;

private:
    class Writer;
    std::unique_ptr<Writer> writer_;
    std::atomic<LineFormat> format_{LineFormat::text};
    std::atomic<Severity> least_{Severity::info};
};

} // namespace sallyport::observe

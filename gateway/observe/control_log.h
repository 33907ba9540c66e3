// The control log on standard error: start, reload, drain, problems; never used on the path of a
// request.
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

/// A value of an event; it is escaped when written. Never a secret: secrets have a type that does
/// not convert to a view.
struct EventField {
    std::string_view name;
    std::string_view value;
};

/// A write never waits for a blocked reader: lines that cannot be written are lost, and their
/// number is reported as `control_lines_lost` with the next line that can. Only the first warning
/// or error that finds the pipe full waits, for 100 ms.
///
/// One event is one line: `2026-01-31T23:59:59.123Z warning log_write_failed output="/var/log/a b"
/// error="No space left on device"`, or {"time":...,"level":"warning","event":"log_write_failed",
/// "output":...} with all values as texts. Any thread.
class ControlLog {
public:
    ControlLog();                        // standard error
    explicit ControlLog(int descriptor); // for tests; stays open
    ~ControlLog();
    ControlLog(ControlLog const&) = delete;
    ControlLog& operator=(ControlLog const&) = delete;

    /// For later lines. Events less severe than `least` are not written.
    void configure(LineFormat format, Severity least) noexcept;

    /// `event`: one of our words, snake_case. A line has at most 4096 bytes (PIPE_BUF), so that
    /// lines of several processes do not mix.
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

// The log of the control plane on standard error: start, reload, drain, trouble; never on the path
/// of a request.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string_view>

namespace sallyport::observe {

enum class Severity : std::uint8_t { info, warning, error };

/// A value of an event; it is escaped when written. Never a secret: secrets are a type that does
/// not convert to a view.
struct EventField {
    std::string_view name;
    std::string_view value;
};

/// One event one line: `2026-01-31T23:59:59.123Z warning log_write_failed output="/var/log/a b"
/// error="No space left on device"`. Any thread.
class ControlLog {
public:
    ControlLog();                        // standard error
    explicit ControlLog(int descriptor); // a test's own; stays open
    ~ControlLog();
    ControlLog(ControlLog const&) = delete;
    ControlLog& operator=(ControlLog const&) = delete;

    /// `event`: one word of ours, snake_case.
    void write(Severity severity, std::string_view event,
               std::initializer_list<EventField> fields = {});

private:
    class Writer;
    std::unique_ptr<Writer> writer_;
};

} // namespace sallyport::observe

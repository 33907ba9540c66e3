// The control plane's log over spdlog: each event one write of one line.
#include "gateway/observe/control_log.h"

#include "gateway/observe/loggable.h"

#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>

#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <string>

namespace sallyport::observe {

namespace {

constexpr std::size_t longest_value = 1024;

// One write(2) a line, so that lines of several processes do not mix. What cannot be written is
// lost: there is nobody left to tell.
class DescriptorSink final : public spdlog::sinks::base_sink<std::mutex> {
public:
    explicit DescriptorSink(int descriptor) : descriptor_{descriptor} {}

private:
    void sink_it_(spdlog::details::log_msg const& message) override {
        spdlog::memory_buf_t line;
        formatter_->format(message, line);
        [[maybe_unused]] auto const written = ::write(descriptor_, line.data(), line.size());
    }
    void flush_() override {}

    int descriptor_;
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
        : logger_{"control", std::make_shared<DescriptorSink>(descriptor)} {
        logger_.set_formatter(std::make_unique<spdlog::pattern_formatter>(
            "%Y-%m-%dT%H:%M:%S.%eZ %l %v", spdlog::pattern_time_type::utc));
    }

    void write(Severity severity, std::string_view line) {
        logger_.log(level_of(severity), spdlog::string_view_t{line.data(), line.size()});
    }

private:
    spdlog::logger logger_;
};

ControlLog::ControlLog() : ControlLog{STDERR_FILENO} {}
ControlLog::ControlLog(int descriptor) : writer_{std::make_unique<Writer>(descriptor)} {}
ControlLog::~ControlLog() = default;

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

// The control log: one line per event, whatever its values contain.
#include "gateway/observe/control_log.h"

#include <catch2/catch.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <climits>
#include <csignal>
#include <regex>
#include <string>

namespace control_log_test {

using namespace sallyport::observe;

namespace {

class Pipe {
public:
    Pipe() { REQUIRE(::pipe2(ends_.data(), O_CLOEXEC | O_NONBLOCK) == 0); }
    Pipe(Pipe const&) = delete;
    Pipe& operator=(Pipe const&) = delete;
    ~Pipe() {
        ::close(ends_[0]);
        ::close(ends_[1]);
    }

    int writer() const { return ends_[1]; }
    void fill() const {
        std::array<char, 4096> const full{};
        REQUIRE(::fcntl(ends_[1], F_SETFL, O_NONBLOCK) == 0);
        while (::write(ends_[1], full.data(), full.size()) > 0) {
        }
        REQUIRE(::fcntl(ends_[1], F_SETFL, 0) == 0); // as at the start of a program: writes would
                                                     // wait
    }
    void empty() {
        while (!read().empty()) {
        }
    }
    void stop_reading() {
        ::close(ends_[0]);
        ends_[0] = -1;
    }
    std::string read() {
        std::array<char, 65536> memory;
        auto const size = ::read(ends_[0], memory.data(), memory.size());
        return size > 0 ? std::string{memory.data(), static_cast<std::size_t>(size)} : "";
    }

private:
    std::array<int, 2> ends_{-1, -1};
};

std::string event(Severity severity, std::string_view name,
                  std::initializer_list<EventField> fields) {
    Pipe pipe;
    ControlLog log{pipe.writer()};
    log.write(severity, name, fields);
    return pipe.read();
}

} // namespace

TEST_CASE("a value cannot begin a new line, nor end its quotes") {
    auto const line = event(Severity::error, "log_write_failed",
                            {{"output", "/var/log\n2026 error forged"}, {"error", "a\" b=\"c"}});
    CHECK(line.substr(25)
          == "error log_write_failed output=\"/var/log\\x0a2026 error forged\" "
             "error=\"a\\\" b=\\\"c\"\n");
}

TEST_CASE("a long value is cut") {
    auto const line = event(Severity::info, "started", {{"a", std::string(5000, 'x')}});
    CHECK(line.size() < 1200);
    CHECK(line.substr(line.size() - 7) == "x[...]\n");
}

TEST_CASE("an event is one line with its time, severity and values") {
    auto const line = event(Severity::info, "listening",
                            {{"address", "0.0.0.0:8443"}, {"tls", "1.2"}, {"empty", ""}});
    CHECK(std::regex_match(line, std::regex{R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z info )"
                                            R"(listening address=0\.0\.0\.0:8443 tls=1\.2 )"
                                            R"(empty=""\n)"}));
    CHECK(event(Severity::warning, "w", {}).substr(25) == "warning w\n");
    CHECK(event(Severity::error, "e", {}).substr(25) == "error e\n");
}

TEST_CASE("format marks in an event stay as they are") {
    CHECK(event(Severity::info, "x", {{"v", "{}%d"}}).substr(25) == "info x v=\"{}%d\"\n");
}

TEST_CASE("a write never waits for a blocked reader, and lost lines are counted") {
    Pipe pipe;
    pipe.fill();
    ControlLog log{pipe.writer()};
    auto const began = std::chrono::steady_clock::now();
    for (int i = 0; i < 100; ++i)
        log.write(Severity::info, "lost");
    for (int i = 0; i < 100; ++i)
        log.write(Severity::error, "lost_too");
    // One wait of 100 ms, not a hundred.
    CHECK(std::chrono::steady_clock::now() - began < std::chrono::seconds{5});
    pipe.empty();
    log.write(Severity::info, "first");
    log.write(Severity::info, "second");
    static std::regex const lines{"[^ ]+ warning control_lines_lost lines=200\n"
                                  "[^ ]+ info first\n"
                                  "[^ ]+ info second\n"};
    CHECK(std::regex_match(pipe.read(), lines));
}

TEST_CASE("a warning waits briefly for a slow reader") {
    Pipe pipe;
    pipe.fill();
    ControlLog log{pipe.writer()};
    auto const began = std::chrono::steady_clock::now();
    log.write(Severity::info, "of_unauthenticated_clients");
    auto const after_info = std::chrono::steady_clock::now();
    CHECK(after_info - began < std::chrono::milliseconds{90});
    pipe.empty();
    log.write(Severity::warning, "seen");
    pipe.fill();
    auto const before = std::chrono::steady_clock::now();
    log.write(Severity::warning, "waits");
    CHECK(std::chrono::steady_clock::now() - before >= std::chrono::milliseconds{90});
}

TEST_CASE("a closed reader and a full disk do not end the process") {
    auto const before = std::signal(SIGPIPE, SIG_IGN);
    Pipe pipe;
    pipe.stop_reading();
    ControlLog without_reader{pipe.writer()};
    without_reader.write(Severity::error, "lost");
    std::signal(SIGPIPE, before);
    int const full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
    REQUIRE(full >= 0);
    ControlLog to_full_disk{full};
    to_full_disk.write(Severity::error, "lost");
    to_full_disk.write(Severity::error, "lost");
    ::close(full);
}

TEST_CASE("a line of many long values is truncated to what a pipe accepts atomically") {
    std::string const value(1000, 'x');
    auto const line =
        event(Severity::info, "e",
              {{"a", value}, {"b", value}, {"c", value}, {"d", value}, {"e", value}, {"f", value}});
    CHECK(line.size() == 4096);
    CHECK(line.back() == '\n');
}

namespace {

std::string json_event(std::string_view name, std::initializer_list<EventField> fields) {
    Pipe pipe;
    ControlLog log{pipe.writer()};
    log.configure(LineFormat::json, Severity::info);
    log.write(Severity::warning, name, fields);
    return pipe.read();
}

} // namespace

TEST_CASE("a line may be one JSON object, whatever its values contain") {
    auto const line = json_event("log_write_failed", {{"output", "/var/log\n{}"},
                                                      {"error", "a\" b\\c \x1b[31m \xC3\xA9\xFF"},
                                                      {"empty", ""}});
    CHECK(std::regex_match(line.substr(0, 49), std::regex{R"(\{"time":"\d{4}-\d\d-\d\dT\d\d:)"
                                                          R"(\d\d:\d\d\.\d{3}Z","level":"warni)"}));
    CHECK(line.substr(line.find(",\"event\""))
          == R"(,"event":"log_write_failed","output":"/var/log\n{}",)"
             "\"error\":\"a\\\" b\\\\c \\u001b[31m \xC3\xA9\xEF\xBF\xBD\",\"empty\":\"\"}\n");
    CHECK(json_event("w", {}).ends_with(R"(,"event":"w"})" "\n"));
}

TEST_CASE("a JSON line is complete within its limit, whatever is truncated") {
    std::string const x(5000, 'x');
    auto const line = json_event("started", {{"a", x}, {"b", x}, {"c", x}, {"d", x}, {"e", "end"}});
    CHECK(line.size() <= PIPE_BUF);
    CHECK(line.size() > PIPE_BUF - 200);
    CHECK(line.ends_with("[...]\",\"e\":\"[...]\"}\n"));
}

TEST_CASE("less severe events than configured are not written") {
    Pipe pipe;
    ControlLog log{pipe.writer()};
    log.configure(LineFormat::text, Severity::warning);
    log.write(Severity::info, "i");
    log.write(Severity::warning, "w");
    log.configure(LineFormat::json, Severity::error);
    log.write(Severity::warning, "v");
    log.write(Severity::error, "e");
    auto const lines = pipe.read();
    CHECK(lines.find(" i\n") == std::string::npos);
    CHECK(lines.find("warning w\n") != std::string::npos);
    CHECK(lines.find("\"v\"") == std::string::npos);
    CHECK(lines.find(R"("level":"error","event":"e")") != std::string::npos);
}

TEST_CASE("lost lines are reported in the format of the next line") {
    Pipe pipe;
    ControlLog log{pipe.writer()};
    log.configure(LineFormat::json, Severity::info);
    pipe.fill();
    log.write(Severity::info, "lost");
    pipe.empty();
    log.write(Severity::info, "next");
    auto const lines = pipe.read();
    CHECK(lines.find(R"("level":"warning","event":"control_lines_lost","lines":"1"})" "\n")
          != std::string::npos);
    CHECK(lines.find(R"("event":"next"})" "\n") != std::string::npos);
}

} // namespace control_log_test

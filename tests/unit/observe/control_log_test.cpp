// The control-plane log: one line an event, whatever its values hold.
#include "gateway/observe/control_log.h"

#include <catch2/catch.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <regex>
#include <string>

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

TEST_CASE("a value cannot begin a line of its own, nor end its quotes") {
    auto const line = event(Severity::error, "log_write_failed",
                            {{"output", "/var/log\n2026 error forged"}, {"error", "a\" b=\"c"}});
    CHECK(line.substr(25)
          == "error log_write_failed output=\"/var/log\\x0a2026 error forged\" "
             "error=\"a\\x22 b=\\x22c\"\n");
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

// The whole gateway in a thread of the test: its listeners over loopback, its control log in a
// pipe, its signals.
#pragma once

#include "gateway/accept/server.h"
#include "plugins/registry.h"
#include "tests/support/certificates.h"
#include "tests/support/file_watch.h"
#include "tests/support/raw_client.h"
#include "tests/support/recording_upstream.h"
#include "tests/support/time_limit.h"
#include "tests/unit/support/snapshot.h"

#include <catch2/catch.hpp>

#include "gateway/net/held_signals.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <csignal>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace sallyport::accept::test {

using lifecycle::test::Sections;
using sallyport::test::fetch;
using sallyport::test::RawClient;
using sallyport::test::RecordingUpstream;
using sallyport::test::without_tls;

/// A pipe from which the test reads the control log.
class ControlPipe {
public:
    ControlPipe() {
        int ends[2];
        REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
        reading_ = net::FileDescriptor{ends[0]};
        writing_ = net::FileDescriptor{ends[1]};
        log.emplace(writing_.get());
    }
    /// Waits until the text contains `word`; throws after the time limit.
    void wait_for(std::string_view word, std::size_t times = 1) {
        sallyport::test::TimeLimit const limit;
        while (count(word) < times) {
            pollfd readable{reading_.get(), POLLIN, 0};
            if (::poll(&readable, 1, limit.left()) <= 0)
                throw std::runtime_error("it was not said: " + std::string{word} + "\n" + text_);
            std::string part(4096, '\0');
            auto const size = ::read(reading_.get(), part.data(), part.size());
            text_.append(part, 0, size > 0 ? static_cast<std::size_t>(size) : 0);
        }
    }
    std::size_t count(std::string_view word) const {
        std::size_t times = 0;
        for (auto at = text_.find(word); at != std::string::npos; at = text_.find(word, at + 1))
            ++times;
        return times;
    }
    std::string const& text() const { return text_; }

    std::optional<observe::ControlLog> log;

private:
    net::FileDescriptor reading_;
    net::FileDescriptor writing_;
    std::string text_;
};

/// A started server; signals are sent to this process, one at a time.
class RunningServer {
public:
    using Files = std::vector<std::pair<std::string, std::string>>; // beside the configuration
    explicit RunningServer(Sections const& sections, char const* program = "/bin/false",
                           Files const& files = {}) {
        for (auto const& [name, text] : files)
            folder.write(name, text);
        path = lifecycle::test::write(folder, sections);
        auto const ticket_keys = std::make_shared<net::TicketKeys>();
        char const* const arguments[] = {program, nullptr};
        server_.emplace(Start{path,
                              sallyport::test::tables(),
                              lifecycle::test::load(path, {.ticket_keys = ticket_keys}),
                              std::chrono::system_clock::now(),
                              ticket_keys,
                              std::make_shared<lifecycle::ContractCache>(),
                              std::make_shared<sallyport::fetch::Fetcher>(),
                              std::make_shared<jose::KeySources>(),
                              plugins::registry(),
                              CommandLine{1, arguments},
                              {}},
                        *control.log);
        thread_ = std::thread{[this] { ended_ = server_->run(); }};
        held_.emplace(); // the server handles signals
    }
    ~RunningServer() {
        if (thread_.joinable()) {
            try {
                stop();
            } catch (std::exception const&) {
                // A test failed before the server was ready: it does not wait for a signal.
                thread_.detach();
            }
        }
    }

    void wait_until_ready() { control.wait_for(" ready"); }
    static void signal(int number) { ::kill(::getpid(), number); }
    Ended stop() {
        wait_until_ready();
        signal(SIGTERM);
        return wait_for_end();
    }
    Ended wait_for_end() {
        thread_.join();
        server_.reset();
        return *ended_;
    }

    /// The port of the last opened listener of this name.
    std::uint16_t port(std::string_view listener = "public") {
        return port_behind(" listening listener=" + std::string{listener} + " address=127.0.0.1:");
    }
    std::uint16_t admin_port() { return port_behind(" admin_listening address=127.0.0.1:"); }
    /// Waits until the access log has a line with this.
    void wait_for_line(std::string_view word) const {
        sallyport::test::FileWatch watch{folder.path()};
        sallyport::test::TimeLimit const limit;
        while (access_log().find(word) == std::string::npos)
            if (watch.wait(-1, limit) == sallyport::test::Waited::time_limit)
                throw std::runtime_error("no such line: " + std::string{word});
    }
    std::string access_log() const { return sallyport::test::read_file(folder / "access.log"); }

    sallyport::test::TemporaryFolder folder;
    std::string path;
    ControlPipe control;

private:
    std::uint16_t port_behind(std::string const& words) {
        control.wait_for(words);
        auto const at = control.text().rfind(words) + words.size();
        return static_cast<std::uint16_t>(std::stoul(control.text().substr(at)));
    }

    std::optional<Server> server_;
    std::thread thread_;
    std::optional<net::HeldSignals> held_;
    std::optional<Ended> ended_;
};

inline std::string get(std::string_view path) {
    return "GET " + std::string{path} + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
}

} // namespace sallyport::accept::test

// Notifications to systemd, and sockets from it: readiness, reloads, the watchdog.
#include "tests/end_to_end/stage.h"
#include "tests/support/admin.h"
#include "tests/support/machine.h"

#include <catch2/catch.hpp>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

namespace e15_service_manager {

using namespace sallyport::test;

namespace {

// The socket that NOTIFY_SOCKET names: sd_notify(3).
class NotifySocket {
public:
    NotifySocket() : socket_{::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)} {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        std::strncpy(address.sun_path, path().c_str(), sizeof address.sun_path - 1);
        REQUIRE(::bind(socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    }

    std::string path() const { return (folder_ / "notify").string(); }

    // The next message that contains this line; others before it are discarded.
    std::string wait_for_line(std::string const& line) {
        TimeLimit const limit;
        for (;;) {
            std::array<char, 4096> buffer{};
            auto const size = ::recv(socket_.get(), buffer.data(), buffer.size(), 0);
            if (size > 0) {
                std::string const message{buffer.data(), static_cast<std::size_t>(size)};
                if (("\n" + message + "\n").find("\n" + line + "\n") != std::string::npos)
                    return message;
                continue;
            }
            INFO("waiting for " << line);
            REQUIRE(wait_for(socket_.get(), -1, limit) == Waited::happened);
        }
    }

private:
    TemporaryFolder folder_;
    Descriptor socket_;
};

Gateway::Options with_environment(std::map<std::string, std::string> environment) {
    Gateway::Options options;
    options.environment = std::move(environment);
    return options;
}

// A listening socket at descriptor 3, as passed by systemd, then the program in its place.
constexpr char const* activate = R"(
import os, socket, sys
listening = socket.socket()
listening.bind(("127.0.0.1", 0))
listening.listen()
port = listening.getsockname()[1]
text = open("sallyport.yaml").read().replace("PORT", str(port))
open("sallyport.yaml", "w").write(text)
if listening.fileno() != 3:
    os.dup2(listening.fileno(), 3)
os.set_inheritable(3, True)
os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="1", LISTEN_FDNAMES="public")
os.execv(sys.argv[1], sys.argv[1:])
)";

} // namespace

TEST_CASE("systemd is notified of readiness, reloads and the end") {
    NotifySocket notify;
    Stage stage{{}, {}, with_environment({{"NOTIFY_SOCKET", notify.path()}})};
    auto const ready = notify.wait_for_line("READY=1");
    CHECK(ready.find("MAINPID=" + std::to_string(stage.gateway.id())) != std::string::npos);
    CHECK(ready.find("STATUS=serving generation 1") != std::string::npos);
    stage.gateway.signal(SIGHUP);
    CHECK(notify.wait_for_line("RELOADING=1").find("MONOTONIC_USEC=") != std::string::npos);
    CHECK(notify.wait_for_line("READY=1").find("generation 2") != std::string::npos);
    stage.gateway.replace("sallyport.yaml", "nonsense: {}\n");
    CHECK(notify.wait_for_line("READY=1").find("rejected") != std::string::npos);
    CHECK(stage.gateway.stop() == 0);
    notify.wait_for_line("STOPPING=1");
}

TEST_CASE("the watchdog is notified while every worker's loop runs") {
    NotifySocket notify;
    Stage stage{
        {}, {}, with_environment({{"NOTIFY_SOCKET", notify.path()}, {"WATCHDOG_USEC", "200000"}})};
    for (int sign = 0; sign < 3; ++sign)
        notify.wait_for_line("WATCHDOG=1");
    stage.finish();
}

TEST_CASE("a socket of systemd is used for the listener with its address") {
    RecordingUpstream const upstream;
    TemporaryFolder folder;
    auto configuration = standard_configuration(upstream);
    configuration.listeners = "  - { name: public, address: \"127.0.0.1:PORT\", tls: off }\n";
    folder.write("sallyport.yaml", configuration.text());
    folder.write("credentials.yaml", standard_credentials());
    Process process{
        Command{{"python3", "-c", activate, gateway_program(), "run", "-c", "sallyport.yaml"},
                {},
                folder.path()},
        ProcessFiles{"/dev/null", folder / "output", folder / "error"}};
    TimeLimit const limit;
    FileWatch watch{folder.path()};
    std::string output;
    while ((output = read_file(folder / "error")).find(" ready") == std::string::npos) {
        INFO(output);
        REQUIRE(watch.wait(process.descriptor(), limit) == Waited::happened);
    }
    auto const at = output.find("address=127.0.0.1:");
    REQUIRE(at != std::string::npos);
    auto const port = static_cast<std::uint16_t>(std::stoul(output.substr(at + 18)));
    CHECK(fetch(port, request_for("getPipe").text(), without_tls()).status == 200);
    CHECK(output.find("inherited_socket_unused") == std::string::npos);
    process.signal(SIGTERM);
    CHECK(process.wait() == 0);
}

TEST_CASE("the unit's reload command fails if the new configuration is rejected") {
    auto const unit = read_file(sources() / "deploy/systemd/sallyport.service");
    std::smatch found;
    REQUIRE(std::regex_search(unit, found, std::regex{"\nExecReload=([^\n]*)\n"}));
    Stage stage{{}, [](Configuration& configuration) { configuration.rest += admin_section; }};
    // The admin listener of the stage has a free port, which its own configuration does not
    // contain.
    std::ofstream{stage.gateway.folder() / "with_port.yaml"}
        << "admin: { address: 127.0.0.1:" << stage.gateway.admin_port() << " }\n";
    Command command{{}, {}, stage.gateway.folder()};
    std::istringstream words{found[1].str()};
    for (std::string word; words >> word;) {
        command.arguments.push_back(word == "/usr/bin/sallyport" ? gateway_program()
                                    : word == "$MAINPID" ? std::to_string(stage.gateway.id())
                                    : word == "/etc/sallyport/sallyport.yaml" ? "with_port.yaml"
                                                                              : word);
    }
    auto const taken = run(command);
    CAPTURE(found[1].str(), taken.output, taken.error);
    CHECK(taken.exit_code == 0);
    stage.gateway.replace("sallyport.yaml", "wrong: 1\n");
    auto const rejected = run(command);
    CAPTURE(rejected.output, rejected.error);
    CHECK(rejected.exit_code == 1);
    stage.finish();
}

TEST_CASE("systemd rates the unit as hardened: an exposure of 2.0 at most") {
    if (find_program("systemd-analyze").empty()) {
        WARN("skipped: there is no systemd-analyze on this machine");
        return;
    }
    auto const found = run({{"systemd-analyze", "security", "--offline=true", "--threshold=20",
                             "--no-pager", "./deploy/systemd/sallyport.service"},
                            {},
                            sources()});
    CAPTURE(found.output, found.error);
    CHECK(found.exit_code == 0);
    CHECK(found.output.find("Overall exposure level for sallyport.service") != std::string::npos);
}

} // namespace e15_service_manager

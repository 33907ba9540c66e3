// The embedded upstream as a child process: started with its options, observed through its files.
#pragma once

#include "tests/support/json.h"
#include "tests/support/process.h"
#include "tests/support/temporary_folder.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::test {

/// The ids of its example data, and its credentials: deploy/sandbox/README.md.
namespace sandbox {
inline constexpr std::string_view organization_id = "5f0c1a52-7c1e-4d3a-9b60-2f4a6c8e0b11";
inline constexpr std::string_view service_id = "8b9d2c4e-1f3a-4b5c-8d7e-6f1029384756";
inline constexpr std::string_view pipe_id = "c3d4e5f6-0a1b-4c2d-8e3f-405162738495";
inline constexpr std::string_view dashboard_id = "65f2a1b3c4d5e6f708192a3b";
inline constexpr std::string_view events_id = "65f2a1b3c4d5e6f708192e80";
inline constexpr std::string_view key_id = "sandbox-key";
inline constexpr std::string_view key_secret = "sandbox-secret-of-the-key";
inline constexpr std::string_view token = "sandbox-token";
} // namespace sandbox

/// The program: SALLYPORT_SANDBOX of the environment, or the one next to this program.
std::string sandbox_program();

/// Owned by a test. Listens on a free port of 127.0.0.1, and records requests.
class Sandbox {
public:
    /// Returns once it listens; throws with its error output if it ends before.
    explicit Sandbox(std::vector<std::string> const& arguments = {});

    [[nodiscard]] std::uint16_t port() const { return port_; }
    /// As the gateway's configuration names it: http://127.0.0.1:PORT.
    [[nodiscard]] std::string endpoint() const;
    /// The requests so far, in order: method, target, fields, body (base64). Those with a response
    /// are included.
    [[nodiscard]] std::vector<Json> record() const;
    [[nodiscard]] std::string standard_error() const { return read_file(folder_ / "error"); }

    /// Sends the signal and returns the exit code (or 128 + the signal); throws if it does not end
    /// in time.
    int end(int signal);

private:
    TemporaryFolder folder_;
    std::unique_ptr<Process> process_;
    std::uint16_t port_ = 0;
};

} // namespace sallyport::test

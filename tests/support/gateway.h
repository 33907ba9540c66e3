// The real gateway as a child process: started from a configuration text, observed through its
// files.
#pragma once

#include "tests/support/configuration.h"
#include "tests/support/file_watch.h"
#include "tests/support/json.h"
#include "tests/support/process.h"
#include "tests/support/temporary_folder.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::test {

/// How often a word occurs in a text.
std::size_t count_of(std::string_view word, std::string_view text);

/// The program under test: SALLYPORT_BINARY of the environment.
std::string gateway_program();

/// Runs `sallyport ARGUMENTS...` to its end.
Finished run_gateway(std::vector<std::string> const& arguments, std::string_view input = {},
                     std::filesystem::path const& folder = {},
                     std::map<std::string, std::string> const& environment = {});

/// Owned by a test. All its output is in its folder: sallyport.yaml, credentials.yaml, access.log,
/// output, error.
class Gateway {
public:
    struct Options {
        std::string credentials = standard_credentials();
        std::map<std::string, std::string> environment = {};
        std::map<std::string, std::string> files = {}; // more files of its folder
    };

    /// Returns once every listener of the configuration is bound; throws with its error output if
    /// it ends before.
    explicit Gateway(Configuration const& configuration) : Gateway(configuration, Options{}) {}
    Gateway(Configuration const& configuration, Options const& options);
    ~Gateway();

    [[nodiscard]] std::uint16_t port(std::string_view listener = "public") const;
    /// The port of the admin listener, after a reload too; throws if there is none.
    [[nodiscard]] std::uint16_t admin_port() const;
    [[nodiscard]] std::filesystem::path folder() const { return folder_.path(); }
    [[nodiscard]] std::filesystem::path access_log() const { return folder_ / "access.log"; }
    [[nodiscard]] pid_t id() const { return process_->id(); }

    void signal(int number) const { process_->signal(number); }
    /// Replaces a file of its folder by a rename, as editors and orchestrators do.
    void replace(std::string_view name, std::string_view content);
    /// Waits until that many reloads were adopted; the other until that many were rejected.
    void wait_for_reloads(std::size_t adopted) const;
    void wait_for_rejected_reloads(std::size_t rejected) const;
    /// Sends SIGTERM and returns its exit code; throws if it does not end in time.
    int stop();
    int wait_for_exit();
    [[nodiscard]] bool is_running() const;

    [[nodiscard]] std::string standard_error() const { return read_file(folder_ / "error"); }
    [[nodiscard]] std::string standard_output() const { return read_file(folder_ / "output"); }
    /// The complete lines of the access log so far, each parsed.
    [[nodiscard]] std::vector<Json> log() const;
    /// The first line that satisfies the predicate; throws if there is none in time.
    Json wait_for_log(std::function<bool(Json const&)> const& predicate) const;
    Json wait_for_log_of(std::string_view request_id) const;
    std::vector<Json> wait_for_log_lines(std::size_t count) const;
    /// Waits until the predicate over the error output is true.
    void wait_for_error_output(std::function<bool(std::string const&)> const& predicate) const;

    /// Everything that the program has written: logs (rotated ones too), standard output and error,
    /// any other file in its folder.
    [[nodiscard]] std::string every_written_byte() const;

private:
    template <class Found>
    auto wait_until(Found found, std::string const& what) const;

    TemporaryFolder folder_;
    std::unique_ptr<Process> process_;
    // Written by the test; the rest of the folder by the program.
    std::set<std::string> given_files_{"sallyport.yaml", "credentials.yaml"};
};

} // namespace sallyport::test

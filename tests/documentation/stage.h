// Where the examples of one page are run: a folder with what they name, and the programs that they
// start.
//
// An example is written for an installed system. On the stage other values stand for what a test
// cannot have: addresses are 127.0.0.1 with a free port, /etc/sallyport, /etc/letsencrypt,
// /var/log/sallyport and /run/secrets are folders of the stage, `https://api.example.com` is the
// sandbox, and each `sha256:...` is the hash of a secret that is made here, that of the first in
// $SECRET.
#pragma once

#include "tests/support/process.h"
#include "tests/support/temporary_folder.h"

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::documentation {

/// `none`: nothing but what the page itself writes and runs, as a user who pastes it has it; only
/// addresses are replaced.
enum class Props { all, none };

class Stage {
public:
    explicit Stage(Props props = Props::all);

    /// A file of the configuration, with what it names: certificates, keys, secrets, variables.
    void write(std::string const& name, std::string_view text);
    /// Sections of sallyport.yaml, which take the place of those of the same name.
    void write_sections(std::string_view text);

    /// A line of shell. What serves (`sallyport run`, the sandbox) goes on until the stage ends; it
    /// is started when it listens, and prints nothing here.
    test::Finished run(std::string const& command);
    /// `sallyport check` of one of its files.
    test::Finished check(std::string const& name);
    /// `sallyport validate` of one of its files, of the configuration, included or of credentials,
    /// by the schema that `sallyport config schema` prints.
    test::Finished check_schema(std::string const& name);

    /// What all the programs that serve have written.
    [[nodiscard]] std::string written() const;
    /// Ends the programs that serve; their exit codes.
    std::vector<int> end();

private:
    Props props_;
    struct Server {
        std::unique_ptr<test::Process> process;
        std::filesystem::path output;
        bool ends_by_signal = false;
    };

    void replace(std::string from, std::string to);
    [[nodiscard]] std::string on_stage(std::string text) const;
    [[nodiscard]] std::string with_hashes(std::string text);
    void make_files(std::string const& name, std::string const& text);
    std::string serve(std::string const& command);
    [[nodiscard]] std::string path_of(std::string_view program) const;

    test::TemporaryFolder folder_;
    std::map<std::string, std::string> environment_;
    std::vector<std::pair<std::string, std::string>> replaced_; // in this order
    std::vector<Server> servers_;                               // end before their folder
    bool has_sandbox_ = false;
};

/// The top-level sections of a YAML text, by name, each with its lines.
std::map<std::string, std::string> sections_of(std::string_view yaml);

} // namespace sallyport::documentation

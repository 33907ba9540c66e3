// What tests of commands have in common: a folder of files, what a command printed, and digests.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>

namespace sallyport::commands::test {

/// For one test, removed at its end.
class Folder {
public:
    Folder() {
        std::string pattern =
            (std::filesystem::temp_directory_path() / "sallyport-XXXXXX").string();
        if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error{"mkdtemp"};
        path_ = pattern;
    }
    Folder(Folder const&) = delete;
    Folder& operator=(Folder const&) = delete;
    ~Folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }

    /// The path of the file.
    [[nodiscard]] std::string write(std::string_view name, std::string_view text) const {
        auto const file = path_ / name;
        std::ofstream{file, std::ios::binary} << text;
        return file.string();
    }

private:
    std::filesystem::path path_;
};

[[nodiscard]] inline std::string read(std::string const& path) {
    std::ifstream file{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{file}, {}};
}

/// A configuration with one listener, one upstream, the file of credentials k.yaml beside it, and
/// the API `f` with these authenticators. `more`: APIs, and whatever follows them.
[[nodiscard]] inline std::string config_text(std::string_view authenticators,
                                             std::string_view more = {}) {
    return "listeners: [{ name: l, address: \"127.0.0.1:0\", tls: off }]\n"
           "credentials: { file: k.yaml }\n"
           "upstreams: { u: { endpoints: [\"http://127.0.0.1:1\"] } }\n"
           "apis:\n"
           "  f: { paths: [\"/f/\"], upstream: u, authenticate: ["
           + std::string{authenticators} + "] }\n" + std::string{more};
}

/// Of a command that has ended.
struct Run {
    int exit_code = 0;
    std::string out;
    std::string err;
};

/// As entries of the file of credentials have them.
inline std::string const one = "sha256:" + std::string(64, '1');
inline std::string const two = "sha256:" + std::string(64, '2');

} // namespace sallyport::commands::test

// A folder of files for one test, removed at its end.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace sallyport::commands::test {

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

} // namespace sallyport::commands::test

// A folder of documents for one test.
#pragma once

#include "gateway/contract/contract.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

namespace sallyport::contract::test {

/// A folder with some files, deleted by the destructor.
class Folder {
public:
    Folder() {
        std::string name =
            (std::filesystem::temp_directory_path() / "sallyport-schemas-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error{"no folder"};
        path_ = name;
    }
    ~Folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    Folder(Folder const&) = delete;
    Folder& operator=(Folder const&) = delete;

    void write(std::string const& name, std::string_view text) const {
        std::filesystem::create_directories((path_ / name).parent_path());
        std::ofstream{path_ / name} << text;
    }
    /// The folder as one of schemas.
    [[nodiscard]] LoadOptions options() const { return {{path_.string()}}; }
    [[nodiscard]] std::filesystem::path const& path() const { return path_; }
    [[nodiscard]] std::string file(std::string const& name) const {
        return (path_ / name).string();
    }

private:
    std::filesystem::path path_;
};

} // namespace sallyport::contract::test

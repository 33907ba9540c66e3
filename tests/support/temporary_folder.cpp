// Makes, fills and removes the folder of one test.
#include "tests/support/temporary_folder.h"

#include <array>
#include <cstdlib>
#include <fstream>
#include <stdexcept>

namespace sallyport::test {

TemporaryFolder::TemporaryFolder() {
    auto pattern = (std::filesystem::temp_directory_path() / "sallyport-test-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr)
        throw std::runtime_error("cannot make a temporary folder");
    path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

std::filesystem::path TemporaryFolder::write(std::string_view name,
                                             std::string_view content) const {
    auto const path = path_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream file{path, std::ios::binary | std::ios::trunc};
    file << content;
    if (!file.flush()) throw std::runtime_error("cannot write " + path.string());
    return path;
}

std::string read_file(std::filesystem::path const& path) {
    std::ifstream file{path, std::ios::binary};
    std::string content;
    // In blocks: logs are read repeatedly, and a sanitizer checks each byte that is copied
    // individually.
    std::array<char, 64 * 1024> block;
    while (file.read(block.data(), block.size()), file.gcount() > 0)
        content.append(block.data(), static_cast<std::size_t>(file.gcount()));
    return content;
}

} // namespace sallyport::test

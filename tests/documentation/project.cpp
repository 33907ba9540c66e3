// Walks the project's folder.
#include "tests/documentation/project.h"

#include "tests/support/temporary_folder.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <stdexcept>

namespace sallyport::documentation {

namespace fs = std::filesystem;

fs::path project_folder() {
    auto const* const folder = std::getenv("SALLYPORT_SOURCES");
    if (folder == nullptr)
        throw std::runtime_error("SALLYPORT_SOURCES does not name the project's folder");
    return folder;
}

std::vector<fs::path> project_files() {
    std::vector<fs::path> files;
    auto const root = project_folder();
    fs::recursive_directory_iterator walk{root};
    for (auto const& entry : walk) {
        auto const name = entry.path().filename().string();
        bool const is_made = walk.depth() == 0 && (name == "build" || name == "bench-run");
        bool const is_cache = name == "__pycache__";
        if (entry.is_directory() && (name[0] == '.' || is_made || is_cache)) {
            walk.disable_recursion_pending();
        }
        if (entry.is_regular_file()) files.push_back(fs::relative(entry.path(), root));
    }
    std::sort(files.begin(), files.end());
    return files;
}

std::vector<Document> const& documents() {
    static std::vector<Document> const all = [] {
        std::vector<Document> read;
        for (auto const& file : project_files()) {
            if (file.extension() != ".md") continue;
            auto text = test::read_file(project_folder() / file);
            auto page = read_page(text);
            read.push_back({file.generic_string(), std::move(text), std::move(page)});
        }
        return read;
    }();
    return all;
}

Document const& document(std::string const& path) {
    for (auto const& one : documents()) {
        if (one.path == path) return one;
    }
    throw std::runtime_error("there is no page " + path);
}

std::string place(Document const& document, std::size_t line) {
    return document.path + ":" + std::to_string(line);
}

bool is_source(fs::path const& path) {
    static std::set<std::string> const extensions{"",      ".cmake", ".cpp", ".h",
                                                  ".list", ".yaml",  ".py",  ".sh"};
    return path.filename().string()[0] != '.' && path.filename() != "LICENSE"
           && extensions.count(path.extension().string()) == 1;
}

} // namespace sallyport::documentation

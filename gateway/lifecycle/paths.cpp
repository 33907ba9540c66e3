// The folders and names on the way of a path, at which its file may be replaced.
#include "gateway/lifecycle/paths.h"

#include <deque>
#include <filesystem>
#include <system_error>

namespace sallyport::lifecycle {

namespace {

namespace fs = std::filesystem;

constexpr int most_links = 40; // as in the kernel: path_resolution(7)

} // namespace

std::vector<NameOnTheWay> names_on_the_way(std::string const& path) {
    std::vector<NameOnTheWay> names;
    fs::path const whole{path};
    fs::path folder = whole.is_absolute() ? "/" : ".";
    std::deque<fs::path> ahead{whole.begin(), whole.end()};
    int links = 0;
    while (!ahead.empty()) {
        fs::path const name = ahead.front();
        ahead.pop_front();
        if (name.empty() || name == "." || name == "/") continue;
        if (name == "..") {
            folder /= name;
            continue;
        }
        std::error_code error;
        auto const status = fs::symlink_status(folder / name, error);
        if (fs::is_symlink(status)) {
            names.push_back({folder.string(), name.string()});
            auto const target = fs::read_symlink(folder / name, error);
            if (error || ++links > most_links) return names;
            if (target.is_absolute()) folder = "/";
            ahead.insert(ahead.begin(), target.begin(), target.end());
            continue;
        }
        if (ahead.empty() || !fs::is_directory(status)) {
            names.push_back({folder.string(), name.string()});
            return names;
        }
        folder /= name;
    }
    return names;
}

} // namespace sallyport::lifecycle

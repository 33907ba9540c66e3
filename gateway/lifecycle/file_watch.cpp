// Tells when files have changed: written, replaced by a rename, or reached through another link.
#include "gateway/lifecycle/file_watch.h"

#include <sys/inotify.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <utility>

namespace sallyport::lifecycle {

namespace {

// Not IN_MODIFY: a log that grows beside the configuration is no news.
constexpr std::uint32_t events = IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE
                                 | IN_DELETE | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF;

/// Where something can happen that makes another file of this path: its folder, and that of
/// whatever the path links to.
std::set<std::string> folders_of(std::map<std::string, int> const& paths) {
    std::set<std::string> folders;
    for (auto const& [path, unused] : paths) {
        auto const folder = std::filesystem::path{path}.parent_path();
        folders.insert(folder.empty() ? "." : folder.string());
        std::error_code error;
        auto const real = std::filesystem::canonical(path, error);
        if (!error) folders.insert(real.parent_path().string());
    }
    return folders;
}

std::int64_t nanoseconds(timespec const& time) {
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

} // namespace

FileWatch::FileWatch(net::asio::io_context& context, std::function<void()> on_change)
    : FileWatch{context, std::move(on_change), Times{}} {}

FileWatch::FileWatch(net::asio::io_context& context, std::function<void()> on_change, Times times)
    : inotify_{context.get_executor()}, quiet_{context.get_executor()},
      look_{context.get_executor(), [this] { look(); }},
      on_change_{std::move(on_change)}, times_{times} {
    // Without it (no descriptor left) the regular look remains.
    int const descriptor = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (descriptor >= 0) {
        inotify_.assign(descriptor);
        wait_for_event();
    }
    look_.start(times_.look);
}

FileWatch::Fingerprint FileWatch::fingerprint_of(std::string const& path) {
    struct stat found {};
    if (::stat(path.c_str(), &found) != 0) return {};
    return {found.st_dev, found.st_ino, found.st_size, nanoseconds(found.st_mtim),
            nanoseconds(found.st_ctim)};
}

void FileWatch::watch(std::vector<std::string> const& files,
                      std::chrono::system_clock::time_point read_since) {
    auto const since =
        std::chrono::duration_cast<std::chrono::nanoseconds>(read_since.time_since_epoch()).count();
    std::map<std::string, Fingerprint> watched;
    for (auto const& file : files) {
        // What is known is from before the files were read.
        auto const known = files_.find(file);
        auto const print = known == files_.end() ? fingerprint_of(file) : known->second;
        changed_ = changed_ || print.changed > since;
        watched[file] = print;
    }
    files_ = std::move(watched);
    watch_folders();
    if (changed_) settle_soon();
}

void FileWatch::watch_folders() {
    if (!inotify_.is_open()) return;
    for (int const watch : watches_)
        ::inotify_rm_watch(inotify_.native_handle(), watch);
    watches_.clear();
    std::map<std::string, int> paths;
    for (auto const& [path, unused] : files_)
        paths.emplace(path, 0);
    for (auto const& folder : folders_of(paths)) {
        int const watch = ::inotify_add_watch(inotify_.native_handle(), folder.c_str(), events);
        if (watch >= 0) watches_.push_back(watch);
    }
}

void FileWatch::wait_for_event() {
    inotify_.async_wait(net::asio::posix::descriptor_base::wait_read, [this](net::Error error) {
        if (error || stopped_) return;
        // What exactly happened does not matter: the files are looked at.
        alignas(inotify_event) std::array<char, 16 * 1024> buffer;
        while (::read(inotify_.native_handle(), buffer.data(), buffer.size()) > 0) {
        }
        settle_soon();
        wait_for_event();
    });
}

void FileWatch::settle_soon() {
    auto const now = net::Clock::now();
    if (series_end_ == net::Clock::time_point::max()) series_end_ = now + times_.most;
    quiet_.expires_at(std::min(now + times_.quiet, series_end_));
    quiet_.async_wait([this](net::Error aborted) {
        if (!aborted && !stopped_) look();
    });
}

void FileWatch::look() {
    series_end_ = net::Clock::time_point::max();
    bool changed = std::exchange(changed_, false);
    for (auto& [path, known] : files_) {
        auto const now = fingerprint_of(path);
        if (now == known) continue;
        known = now;
        changed = true;
    }
    if (!changed) return;
    // A link may lead elsewhere by now.
    watch_folders();
    on_change_();
}

void FileWatch::stop() {
    stopped_ = true;
    quiet_.cancel();
    look_.stop();
    boost::system::error_code ignored;
    inotify_.close(ignored);
}

} // namespace sallyport::lifecycle

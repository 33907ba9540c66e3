// Reports when files have changed and are complete again.
#include "gateway/lifecycle/file_watch.h"

#include "gateway/lifecycle/paths.h"

#include <sys/inotify.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace sallyport::lifecycle {

namespace {

// Not IN_MODIFY: a growing log next to the configuration is not a change.
constexpr std::uint32_t folder_events = IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE
                                        | IN_DELETE | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF;
constexpr std::uint32_t file_events = IN_MODIFY | IN_CLOSE_WRITE;

std::int64_t nanoseconds(timespec const& time) {
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

std::int64_t nanoseconds(std::chrono::system_clock::time_point time) {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
}

// "folder/." stands for the content of a folder.
bool is_content_of_folder(std::string const& path) {
    return path.size() > 2 && path.compare(path.size() - 2, 2, "/.") == 0;
}

// Whether a new file of this name is complete: a link is, an empty file is not.
bool is_made_whole(std::string const& path) {
    struct stat found {};
    if (::lstat(path.c_str(), &found) != 0) return false;
    return S_ISLNK(found.st_mode) || (S_ISREG(found.st_mode) && found.st_nlink > 1);
}

bool is_regular_file(std::string const& path) {
    struct stat found {};
    return ::lstat(path.c_str(), &found) == 0 && S_ISREG(found.st_mode);
}

} // namespace

FileWatch::FileWatch(net::asio::io_context& context, Listener listener)
    : FileWatch{context, std::move(listener), Times{}, writers_of} {}

FileWatch::FileWatch(net::asio::io_context& context, Listener listener, Times times,
                     WritersOf the_writers_of)
    : inotify_{context.get_executor()}, quiet_{context.get_executor()},
      look_{context.get_executor(), [this] { look(); }}, listener_{std::move(listener)},
      times_{times}, writers_of_{std::move(the_writers_of)} {
    // Without inotify (no descriptor left) the periodic check remains.
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
    return {found.st_dev,
            found.st_ino,
            found.st_size,
            nanoseconds(found.st_mtim),
            nanoseconds(found.st_ctim),
            S_ISREG(found.st_mode)};
}

// A different owner or mode is not a different content.
bool FileWatch::is_same_content(Fingerprint const& one, Fingerprint const& other) {
    return one.device == other.device && one.inode == other.inode && one.size == other.size
           && one.modified == other.modified;
}

void FileWatch::watch(std::vector<std::string> const& files,
                      std::chrono::system_clock::time_point read_since,
                      std::vector<std::string> const& unfinished) {
    auto const since = nanoseconds(read_since);
    std::map<std::string, File> watched;
    bool any_stale = false;
    for (auto const& path : files) {
        File file;
        // The known state is from before the files were read.
        if (auto const known = files_.find(path); known != files_.end()) {
            file = known->second;
        } else {
            file.known = fingerprint_of(path);
            file.is_stale = file.known.changed > since;
        }
        if (std::find(unfinished.begin(), unfinished.end(), path) != unfinished.end())
            file.is_stale = true;
        any_stale = any_stale || file.is_stale || fingerprint_of(path) != file.known;
        watched[path] = file;
    }
    files_ = std::move(watched);
    add_watches();
    if (any_stale) settle_soon();
}

void FileWatch::begin_reading() {
    take_events();
    for (auto& [path, file] : files_) {
        file.known = fingerprint_of(path);
        file.is_stale = false;
    }
}

std::vector<std::string>
FileWatch::unfinished_since(std::vector<std::string> const& files,
                            std::chrono::system_clock::time_point began) {
    take_events();
    // File times are those of the last tick of the kernel's clock, at most 10 ms ago.
    auto const since = nanoseconds(began - std::chrono::milliseconds{10});
    auto const fresh = nanoseconds(std::chrono::system_clock::now() - times_.same);
    std::vector<std::string> unfinished;
    for (auto const& path : files) {
        auto const now = fingerprint_of(path);
        if (!now.is_regular) continue;
        auto const known = files_.find(path);
        bool const changed =
            known != files_.end() ? now != known->second.known : now.changed > since;
        // An unwatched file may not have been closed yet.
        bool const is_doubtful =
            known != files_.end() ? known->second.is_written : now.changed > fresh;
        if (changed || (is_doubtful && writers_of_(path) != Writers::none))
            unfinished.push_back(path);
    }
    return unfinished;
}

// --- watches

int FileWatch::add_watch(Watches& watches, std::string const& place, std::uint32_t events,
                         std::string name, std::string const& path) {
    int const watch = ::inotify_add_watch(inotify_.native_handle(), place.c_str(), events);
    // Without a watch (missing file, or too many) the file is checked periodically.
    if (watch < 0) return watch;
    watches[watch].emplace(std::move(name), path);
    if (events == folder_events) folders_[watch] = place;
    return watch;
}

// Watches the file, not its name: only this reports that it is being written, and it reports
// nothing about its neighbours, which may include a log.
void FileWatch::watch_itself(Watches& watches, std::string const& path, File& file) {
    if (fingerprint_of(path).is_regular)
        file.watch = add_watch(watches, path, file_events, {}, path);
}

void FileWatch::add_watches() {
    if (!inotify_.is_open()) return;
    Watches watches;
    for (auto& [path, file] : files_) {
        if (is_content_of_folder(path)) add_watch(watches, path, folder_events, {}, path);
        for (auto& on_the_way : names_on_the_way(path))
            add_watch(watches, on_the_way.folder, folder_events, std::move(on_the_way.name),
                      path);
        watch_itself(watches, path, file);
    }
    // Unchanged watches are not removed first: events in between would be lost.
    for (auto const& [watch, unused] : watches_) {
        if (watches.contains(watch)) continue;
        ::inotify_rm_watch(inotify_.native_handle(), watch);
        folders_.erase(watch);
    }
    watches_ = std::move(watches);
}

// --- events

void FileWatch::wait_for_event() {
    inotify_.async_wait(net::asio::posix::descriptor_base::wait_read, [this](net::Error error) {
        if (error || stopped_) return;
        if (take_events()) settle_soon();
        wait_for_event();
    });
}

// Whether one of them concerns a watched file.
bool FileWatch::take_events() {
    if (!inotify_.is_open()) return false;
    bool concerned = false;
    alignas(inotify_event) std::array<char, 16 * 1024> buffer;
    for (;;) {
        auto const got = ::read(inotify_.native_handle(), buffer.data(), buffer.size());
        if (got <= 0) return concerned;
        for (std::size_t at = 0; at < static_cast<std::size_t>(got);) {
            inotify_event event{};
            std::memcpy(&event, buffer.data() + at, sizeof event);
            char const* const name = buffer.data() + at + sizeof event;
            concerned = take(event, {name, ::strnlen(name, event.len)}) || concerned;
            at += sizeof event + event.len;
        }
    }
}

// Events were lost: no file is known to be complete.
void FileWatch::forget_events() {
    for (auto& [path, file] : files_) {
        file.closed = {};
        file.is_written = false;
    }
}

bool FileWatch::take(inotify_event const& event, std::string_view name) {
    if ((event.mask & IN_Q_OVERFLOW) != 0) {
        forget_events();
        return true;
    }
    auto const watch = watches_.find(event.wd);
    if (watch == watches_.end()) return false;
    // The loop may add to the list.
    std::vector<std::string> concerned;
    auto const add = [&concerned](auto range) {
        for (auto one = range.first; one != range.second; ++one)
            concerned.push_back(one->second);
    };
    auto const& interests = watch->second;
    if ((event.mask & (IN_DELETE_SELF | IN_MOVE_SELF)) != 0) {
        add(std::pair{interests.begin(), interests.end()});
    } else {
        add(interests.equal_range(std::string_view{}));
        if (!name.empty()) add(interests.equal_range(name));
    }
    auto const folder = folders_.find(event.wd);
    for (auto const& path : concerned) {
        auto const found = files_.find(path);
        if (found == files_.end()) continue;
        auto& file = found->second;
        if (folder != folders_.end()) {
            auto const place = folder->second + '/' + std::string{name};
            take_of_folder(event.mask, place, path, file);
        } else if (event.wd != file.watch) {
            continue; // of a file that existed before
        } else if ((event.mask & IN_CLOSE_WRITE) != 0) {
            take_whole(path, file);
        } else if ((event.mask & IN_MODIFY) != 0) {
            file.is_written = true;
            file.closed = {};
        }
    }
    return !concerned.empty();
}

// `place`: what the event is about, a link on the path or the file itself.
void FileWatch::take_of_folder(std::uint32_t mask, std::string const& place,
                               std::string const& path, File& file) {
    bool const is_made = (mask & IN_CREATE) != 0;
    if ((mask & IN_CLOSE_WRITE) != 0) return take_whole(path, file);
    if ((mask & IN_MOVED_TO) != 0 || (is_made && is_made_whole(place))) {
        watch_itself(watches_, path, file);
        return take_whole(path, file);
    }
    if (!is_made && (mask & (IN_MOVED_FROM | IN_DELETE)) == 0) return;
    file.is_written = is_made && is_regular_file(place);
    file.closed = {};
}

void FileWatch::take_whole(std::string const& path, File& file) {
    file.is_written = false;
    file.closed = fingerprint_of(path);
}

void FileWatch::settle_at(net::Clock::time_point when) {
    quiet_.expires_at(when);
    quiet_.async_wait([this](net::Error aborted) {
        if (!aborted && !stopped_) look();
    });
}

void FileWatch::settle_soon() {
    auto const now = net::Clock::now();
    if (series_end_ == net::Clock::time_point::max()) series_end_ = now + times_.most;
    settle_at(std::min(now + times_.quiet, series_end_));
}

bool FileWatch::is_finished(std::string const& path, File const& file) const {
    if (!file.seen.is_regular) return true; // missing, or a folder
    auto const writers = writers_of_(path);
    if (writers == Writers::some || (writers == Writers::unknown && file.is_written)) return false;
    if (is_same_content(file.closed, file.seen)) return true;
    return net::Clock::now() - file.seen_since >= times_.same;
}

void FileWatch::look() {
    take_events();
    series_end_ = net::Clock::time_point::max();
    bool changed = false;
    std::string const* unfinished = nullptr;
    for (auto& [path, file] : files_) {
        auto const now = fingerprint_of(path);
        if (now == file.known && !file.is_stale) continue;
        changed = true;
        if (now != file.seen) {
            file.seen = now;
            file.seen_since = net::Clock::now();
        }
        if (unfinished == nullptr && !is_finished(path, file)) unfinished = &path;
    }
    // A link may have another target now.
    if (changed) add_watches();
    if (unfinished != nullptr) return wait_for_unfinished(*unfinished);
    unfinished_since_ = net::Clock::time_point::max();
    unfinished_reported_ = false;
    if (changed) listener_.on_change();
}

void FileWatch::wait_for_unfinished(std::string const& path) {
    auto const now = net::Clock::now();
    if (unfinished_since_ == net::Clock::time_point::max()) unfinished_since_ = now;
    if (!unfinished_reported_ && now - unfinished_since_ >= times_.report) {
        unfinished_reported_ = true;
        listener_.on_unfinished(path);
    }
    // Not every end of a wait is an event.
    settle_at(now + times_.same / 4);
}

void FileWatch::stop() {
    stopped_ = true;
    quiet_.cancel();
    look_.stop();
    boost::system::error_code ignored;
    inotify_.close(ignored);
}

} // namespace sallyport::lifecycle

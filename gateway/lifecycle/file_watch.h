// Reports when files have changed and are complete again: closed after writing, or put into place
// by a rename, also of a link on their path.
#pragma once

#include "gateway/lifecycle/writers.h"
#include "gateway/net/ticker.h"

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/posix/basic_stream_descriptor.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

struct inotify_event;

namespace sallyport::lifecycle {

/// On the loop of its context, on that loop's thread. A file has changed if its device, inode, size
/// or times differ, and counts as complete when nothing writes to it any more:
///
/// - inotify reported that this file was closed after writing or renamed into place, and it has not
///  changed since; or
/// - nothing was reported for it (network file systems report nothing), and it has not changed for
///   2 s.
///
/// A file is never complete while it is open for writing, as far as the system can tell. Nothing is
/// reported while one of the files is incomplete, because a reader of one reads all of them.
class FileWatch {
public:
    struct Times {
        std::chrono::milliseconds quiet{200};  // after the last event of a series
        std::chrono::milliseconds most{2'000}; // of a series that does not end
        std::chrono::milliseconds look{10'000};
        std::chrono::milliseconds same{2'000}; // of a file without events
        std::chrono::milliseconds report{
            10'000}; // how long an incomplete file is awaited without a report
    };
    struct Listener {
        std::function<void()> on_change;
        /// Called once for each time that this file delays a change for long.
        std::function<void(std::string const& path)> on_unfinished;
    };
    using WritersOf = std::function<Writers(std::string const& path)>;

    FileWatch(net::asio::io_context& context, Listener listener);
    FileWatch(net::asio::io_context& context, Listener listener, Times times, WritersOf writers_of);
    FileWatch(FileWatch const&) = delete;
    FileWatch& operator=(FileWatch const&) = delete;

    /// Replaces the watched files. `read_since`: when their reader began to read; a file modified
    /// later counts as changed. `unfinished`: files that were being written when they were read;
    /// they count as changed, too.
    void watch(std::vector<std::string> const& files,
               std::chrono::system_clock::time_point read_since,
               std::vector<std::string> const& unfinished = {});

    /// Call it before all of them are read, in their current state.
    void begin_reading();

    /// Returns those of `files`, read since begin_reading(), that may have been read incompletely,
    /// because they changed meanwhile or are still being written.
    [[nodiscard]] std::vector<std::string>
    unfinished_since(std::vector<std::string> const& files,
                     std::chrono::system_clock::time_point began);

    /// Ends the watch: nothing is reported afterwards.
    void stop();

private:
    /// The values of stat(2) that distinguish one content from the next; all zero if there is no
    /// file.
    struct Fingerprint {
        std::uint64_t device = 0;
        std::uint64_t inode = 0;
        std::int64_t size = -1;
        std::int64_t modified = 0; // ns
        std::int64_t changed = 0;  // ns
        bool is_regular = false;

        friend bool operator==(Fingerprint const&, Fingerprint const&) = default;
    };
    struct File {
        Fingerprint known;                   // when it was read
        Fingerprint seen;                    // at the last check
        net::Clock::time_point seen_since{}; // unchanged since then
        Fingerprint closed;                  // when it was reported as complete
        int watch = -1;                      // of the current file
        bool is_written = false;             // opened and not closed yet
        bool is_stale = false;               // must be read again, whatever its fingerprint
    };
    /// Which paths an event of a watch concerns, by the name in the event: that of the file or of a
    /// link on the path. Without a name: an event of the file itself, or of anything in the folder.
    using Interests = std::multimap<std::string, std::string, std::less<>>;
    using Watches = std::map<int, Interests>;
    using Timer = net::asio::basic_waitable_timer<net::Clock, net::asio::wait_traits<net::Clock>,
                                                  net::Executor>;

    [[nodiscard]] static Fingerprint fingerprint_of(std::string const& path);
    [[nodiscard]] static bool is_same_content(Fingerprint const& one, Fingerprint const& other);
    void add_watches();
    int add_watch(Watches& watches, std::string const& place, std::uint32_t events,
                  std::string name, std::string const& path);
    void watch_itself(Watches& watches, std::string const& path, File& file);
    void wait_for_event();
    bool take_events();
    bool take(inotify_event const& event, std::string_view name);
    void forget_events();
    void take_of_folder(std::uint32_t mask, std::string const& place, std::string const& path,
                        File& file);
    void take_whole(std::string const& path, File& file);
    void settle_at(net::Clock::time_point when);
    void settle_soon();
    [[nodiscard]] bool is_finished(std::string const& path, File const& file) const;
    void look();
    void wait_for_unfinished(std::string const& path);

    net::asio::posix::basic_stream_descriptor<net::Executor> inotify_;
    Timer quiet_;
    net::Ticker look_; // periodically, whatever inotify reports
    Listener listener_;
    Times times_;
    WritersOf writers_of_;
    std::map<std::string, File> files_;
    Watches watches_;
    std::map<int, std::string> folders_; // those of the watches that are of folders
    net::Clock::time_point series_end_ = net::Clock::time_point::max();
    net::Clock::time_point unfinished_since_ = net::Clock::time_point::max();
    bool unfinished_reported_ = false;
    bool stopped_ = false;
};

} // namespace sallyport::lifecycle

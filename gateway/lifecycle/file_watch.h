// Tells when files have changed and are whole again: closed after writing, or put into their place
// by a rename, also of a link above them.
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

/// On the loop of its context, on that loop's thread. What counts is whether a file is another one
/// than before (device, inode, size, times), and that nothing writes to it any more:
///
/// - inotify told that this very file was closed after writing or renamed into place, and it is
///   still what it was then; or
/// - nothing was told of it (network file systems tell nothing), and it has been the same for 2 s.
///
/// Neither counts while it is open for writing, as far as the system says. Nothing is told while
/// one of the files is unfinished, for who reads one of them reads them all.
class FileWatch {
public:
    struct Times {
        std::chrono::milliseconds quiet{200};  // after the last event of a series
        std::chrono::milliseconds most{2'000}; // of a series that does not end
        std::chrono::milliseconds look{10'000};
        std::chrono::milliseconds same{2'000}; // of a file of which nothing was told
        std::chrono::milliseconds tell{
            10'000}; // how long an unfinished file is waited for silently
    };
    struct Listener {
        std::function<void()> on_change;
        /// Once for each time that a change is held back by this file for long.
        std::function<void(std::string const& path)> on_unfinished;
    };
    using WritersOf = std::function<Writers(std::string const& path)>;

    FileWatch(net::asio::io_context& context, Listener listener);
    FileWatch(net::asio::io_context& context, Listener listener, Times times, WritersOf writers_of);
    FileWatch(FileWatch const&) = delete;
    FileWatch& operator=(FileWatch const&) = delete;

    /// From now on these. `read_since`: when what depends on them began to read them; what changed
    /// later than that counts as a change. `unfinished`: those that were read while something
    /// still wrote to them; they count as changed, too.
    void watch(std::vector<std::string> const& files,
               std::chrono::system_clock::time_point read_since,
               std::vector<std::string> const& unfinished = {});

    /// All of them are about to be read, as they are now.
    void begin_reading();

    /// Of `files`, which have been read since begin_reading(): those of which the reader may have
    /// seen half, because they changed meanwhile or are still being written.
    [[nodiscard]] std::vector<std::string>
    unfinished_since(std::vector<std::string> const& files,
                     std::chrono::system_clock::time_point began);

    /// Ends it: nothing is told any more.
    void stop();

private:
    /// Enough of stat(2) to tell one content from the next; all zero where there is no file.
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
        Fingerprint known;                   // as it was read
        Fingerprint seen;                    // as the last look found it
        net::Clock::time_point seen_since{}; // that it is the same
        Fingerprint closed;                  // as it was when it was said to be whole
        int watch = -1;                      // of the file that is there now
        bool is_written = false;             // since it was opened, and not closed yet
        bool is_stale = false;               // must be read again, whatever it looks like
    };
    /// Which paths an event of a watch concerns, by the name that it has: of the file or link on
    /// the way to them. Without a name: an event of the file itself, or of anything in the folder.
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
    net::Ticker look_; // now and then, whatever inotify tells
    Listener listener_;
    Times times_;
    WritersOf writers_of_;
    std::map<std::string, File> files_;
    Watches watches_;
    std::map<int, std::string> folders_; // of those watches that are of folders
    net::Clock::time_point series_end_ = net::Clock::time_point::max();
    net::Clock::time_point unfinished_since_ = net::Clock::time_point::max();
    bool told_of_unfinished_ = false;
    bool stopped_ = false;
};

} // namespace sallyport::lifecycle

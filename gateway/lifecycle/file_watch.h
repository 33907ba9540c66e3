// Tells when files have changed: written, replaced by a rename, or reached through another link.
#pragma once

#include "gateway/net/ticker.h"

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/posix/basic_stream_descriptor.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace sallyport::lifecycle {

/// On the loop of its context, on that loop's thread. The folders of the files are watched, not the
/// files: editors and orchestrators replace them by renames, also of links above them. What counts
/// in the end is whether a file is another one than before (device, inode, size, times).
class FileWatch {
public:
    struct Times {
        std::chrono::milliseconds quiet{200};  // after the last event of a series
        std::chrono::milliseconds most{2'000}; // of a series that does not end
        // Network file systems tell of nothing.
        std::chrono::milliseconds look{10'000};
    };

    FileWatch(net::asio::io_context& context, std::function<void()> on_change);
    FileWatch(net::asio::io_context& context, std::function<void()> on_change, Times times);
    FileWatch(FileWatch const&) = delete;
    FileWatch& operator=(FileWatch const&) = delete;

    /// From now on these. `read_since`: when whoever depends on them began to read them; what
    /// changed later than that counts as a change.
    void watch(std::vector<std::string> const& files,
               std::chrono::system_clock::time_point read_since);

    /// Ends it: `on_change` is not called any more.
    void stop();

private:
    /// Enough of stat(2) to tell one content from the next; all zero where there is no file.
    struct Fingerprint {
        std::uint64_t device = 0;
        std::uint64_t inode = 0;
        std::int64_t size = -1;
        std::int64_t modified = 0; // ns
        std::int64_t changed = 0;  // ns

        friend bool operator==(Fingerprint const&, Fingerprint const&) = default;
    };
    using Timer = net::asio::basic_waitable_timer<net::Clock, net::asio::wait_traits<net::Clock>,
                                                  net::Executor>;

    static Fingerprint fingerprint_of(std::string const& path);
    void watch_folders();
    void wait_for_event();
    void settle_soon();
    void look();

    net::asio::posix::basic_stream_descriptor<net::Executor> inotify_;
    Timer quiet_;
    net::Ticker look_; // now and then, whatever inotify tells
    std::function<void()> on_change_;
    Times times_;
    std::map<std::string, Fingerprint> files_;
    std::vector<int> watches_;
    net::Clock::time_point series_end_ = net::Clock::time_point::max();
    bool changed_ = false; // since the files were read
    bool stopped_ = false;
};

} // namespace sallyport::lifecycle

// Loads the configuration again, off the loops, and hands what came of it to the gateway.
#pragma once

#include "gateway/lifecycle/compile.h"
#include "gateway/lifecycle/file_watch.h"

#include <boost/asio/thread_pool.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::lifecycle {

enum class Cause : std::uint8_t { signal, files };

std::string_view word(Cause cause) noexcept;

/// One attempt to load, as the operator is told of it.
struct LoadAttempt {
    std::chrono::system_clock::time_point time;
    bool adopted = false;
    std::vector<std::string> problems; // as `check` prints them: why it was rejected, or warnings
};

struct ReloadStatus {
    std::uint64_t generation = 1;
    std::chrono::system_clock::time_point loaded; // what runs
    LoadAttempt last;                             // what is on disk, as it was last looked at
    std::uint64_t adopted = 0;                    // reloads, the start not counted
    std::uint64_t rejected = 0;
};

/// Lives on the control loop. One load runs at a time; what is asked for meanwhile is one more
/// after it. A load that fails changes nothing.
class Reloader {
public:
    /// Takes a snapshot into use: everything that could still fail (sockets) is done first. The
    /// problems for which it was not, nothing having changed; empty: it runs.
    using Adopt = std::function<std::vector<std::string>(std::shared_ptr<Snapshot const> snapshot)>;
    /// Told of each attempt, after it.
    using OnAttempt = std::function<void(Cause cause, ReloadStatus const& status)>;

    Reloader(net::asio::io_context& control, std::string path,
             std::shared_ptr<net::TicketKeys> ticket_keys, Adopt adopt, OnAttempt on_attempt);
    ~Reloader();

    /// `snapshot`: what runs already, loaded since `loaded`.
    void start(Snapshot const& snapshot, std::chrono::system_clock::time_point loaded);
    void request(Cause cause);
    /// No load begins any more, and none is adopted.
    void stop();

    ReloadStatus const& status() const noexcept { return status_; }

private:
    void begin(Cause cause);
    void finish(Cause cause, std::chrono::system_clock::time_point began, Compiled compiled);

    net::asio::io_context& control_;
    std::string path_;
    std::shared_ptr<net::TicketKeys> ticket_keys_;
    Adopt adopt_;
    OnAttempt on_attempt_;
    FileWatch watch_;
    ReloadStatus status_;
    std::vector<std::string> running_files_;
    bool loading_ = false;
    bool again_ = false;
    bool stopped_ = false;
    Cause again_cause_ = Cause::files;
    net::asio::thread_pool loader_{1}; // last: a load that runs is waited for
};

} // namespace sallyport::lifecycle

// Loads the configuration again, off the loops, and hands what came of it to the gateway.
#pragma once

#include "gateway/lifecycle/compile.h"
#include "gateway/lifecycle/file_watch.h"

#include <boost/asio/thread_pool.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::lifecycle {

enum class Cause : std::uint8_t { start, signal, files };

[[nodiscard]] std::string_view to_string(Cause cause) noexcept;

/// One attempt to load, as the operator is told of it.
struct LoadAttempt {
    std::chrono::system_clock::time_point time;
    /// The same on the clock that all processes of a machine share and nobody sets
    /// (CLOCK_MONOTONIC): who asked for a load knows by it which one was asked for.
    std::chrono::steady_clock::time_point began;
    Cause cause = Cause::start;
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
/// after it. A load that fails changes nothing, and one that may have read half of a file is thrown
/// away, and done again once the file is whole.
class Reloader {
public:
    /// How long a load that was asked for waits for files to become whole.
    static constexpr std::chrono::seconds patience{5};
    /// Takes a snapshot into use: everything that could still fail (sockets) is done first. The
    /// problems for which it was not, nothing having changed; empty: it runs.
    using Adopt = std::function<std::vector<std::string>(std::shared_ptr<Snapshot const> snapshot)>;
    /// Told of each attempt, after it.
    using OnAttempt = std::function<void(ReloadStatus const& status)>;
    /// Told of a file that is not whole for long, so that no change is loaded.
    using OnUnfinished = std::function<void(std::string const& path)>;

    /// `tables`: outlive it.
    Reloader(net::asio::io_context& control, std::string path, config::Tables const& tables,
             std::shared_ptr<net::TicketKeys> ticket_keys, Adopt adopt, OnAttempt on_attempt,
             OnUnfinished on_unfinished);
    ~Reloader();

    /// `snapshot`: what runs already, loaded since `loaded`.
    void start(Snapshot const& snapshot, std::chrono::system_clock::time_point loaded);
    void request(Cause cause);
    /// No load begins any more, and none is adopted.
    void stop();

    [[nodiscard]] ReloadStatus const& status() const noexcept { return status_; }

private:
    struct Moment {
        std::chrono::system_clock::time_point time = std::chrono::system_clock::now();
        std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now();
    };

    void begin(Cause cause);
    void finish(Cause cause, Moment began, Compiled compiled);
    void postpone(Cause cause, Moment began, std::vector<std::string> const& files,
                  std::vector<std::string> const& unfinished);
    void give_up();
    void conclude(Cause cause, Moment began, bool adopted, std::vector<std::string> problems);

    net::asio::io_context& control_;
    std::string path_;
    config::Tables const& tables_;
    std::shared_ptr<net::TicketKeys> ticket_keys_;
    Adopt adopt_;
    OnAttempt on_attempt_;
    FileWatch watch_;
    ReloadStatus status_;
    std::vector<std::string> running_files_;
    config::Reload when_ = config::Reload::automatic; // of what runs
    std::optional<Cause> postponed_;                  // a load that waits for
    std::vector<std::string> unfinished_;             // files, as the operator is told of them
    net::asio::basic_waitable_timer<net::Clock, net::asio::wait_traits<net::Clock>, net::Executor>
        patience_;
    bool loading_ = false;
    bool again_ = false;
    bool stopped_ = false;
    Cause again_cause_ = Cause::files;
    net::asio::thread_pool loader_{1}; // last: a load that runs is waited for
};

} // namespace sallyport::lifecycle

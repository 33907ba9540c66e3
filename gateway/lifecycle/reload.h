// Loads the configuration again, off the loops, and passes the result to the gateway.
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

/// One attempt to load, as reported to the operator.
struct LoadAttempt {
    std::chrono::system_clock::time_point time;
    /// The same on the clock that all processes of a machine share and that cannot be set
    /// (CLOCK_MONOTONIC): `sallyport reload` finds its own attempt by it.
    std::chrono::steady_clock::time_point began;
    Cause cause = Cause::start;
    bool adopted = false;
    std::vector<std::string> problems; // as printed by `check`: why it was rejected, or warnings
    CredentialChanges credentials;     // if it was adopted
};

struct ReloadStatus {
    std::uint64_t generation = 1;
    std::chrono::system_clock::time_point loaded; // the active one
    LoadAttempt last;                             // the last attempt to load the files
    std::uint64_t adopted = 0;                    // reloads, without the start
    std::uint64_t rejected = 0;
};

/// Lives on the control loop. One load runs at a time; requests during it cause one more
/// afterwards. A failed load changes nothing, and one that may have read an incomplete file is
/// discarded, and repeated once the file is complete.
class Reloader {
public:
    /// How long a requested load waits for files to become complete.
    static constexpr std::chrono::seconds patience{5};
    /// Activates a snapshot: every step that can fail (sockets) is done first. Returns the problems
    /// that prevented it, with nothing changed; empty: it is active.
    using Adopt = std::function<std::vector<std::string>(std::shared_ptr<Snapshot const> snapshot)>;
    /// Called after each attempt.
    using OnAttempt = std::function<void(ReloadStatus const& status)>;
    /// Called for a file that stays incomplete for long, so that no change is loaded.
    using OnUnfinished = std::function<void(std::string const& path)>;

    /// `tables`: outlive it.
    Reloader(net::asio::io_context& control, std::string path, config::Tables const& tables,
             CarriedOver carried_over, Adopt adopt, OnAttempt on_attempt,
             OnUnfinished on_unfinished);
    ~Reloader();

    /// `snapshot`: the active one, loaded at `loaded`.
    void start(std::shared_ptr<Snapshot const> const& running,
               std::chrono::system_clock::time_point loaded);
    /// Requests a load; for changed files only if the configuration enables that. During a load one
    /// more follows it.
    void request(Cause cause);
    /// No load begins afterwards, and none is adopted.
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
    void conclude(Cause cause, Moment began, bool adopted, std::vector<std::string> problems,
                  CredentialChanges changes = {});

    net::asio::io_context& control_;
    std::string path_;
    config::Tables const& tables_;
    CarriedOver carried_over_;
    Adopt adopt_;
    OnAttempt on_attempt_;
    FileWatch watch_;
    ReloadStatus status_;
    std::vector<std::string> running_files_;
    config::Reload when_ = config::Reload::automatic; // of the active configuration
    std::optional<Cause> postponed_;                  // a load that waits for
    std::vector<std::string> unfinished_;             // files, as reported to the operator
    net::asio::basic_waitable_timer<net::Clock, net::asio::wait_traits<net::Clock>, net::Executor>
        patience_;
    bool loading_ = false;
    bool again_ = false;
    bool stopped_ = false;
    Cause again_cause_ = Cause::files;
    net::asio::thread_pool loader_{1}; // last: its destructor waits for a running load
};

} // namespace sallyport::lifecycle

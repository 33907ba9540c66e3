// Loads the configuration again, off the loops, and passes the result to the gateway.
#include "gateway/lifecycle/reload.h"

#include "gateway/net/held_signals.h"

#include <boost/asio/post.hpp>

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <utility>

namespace sallyport::lifecycle {

namespace {

// For this thread: the main thread handles signals, and workers have priority, even if all share
// one processor.
void step_behind() {
    net::hold_signals();
    ::pthread_setname_np(::pthread_self(), "loader");
    static_cast<void>(::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), 19));
}

std::vector<std::string> describe(config::yaml::Problems const& problems) {
    std::vector<std::string> lines;
    lines.reserve(problems.size());
    for (auto const& problem : problems)
        lines.push_back(config::yaml::describe(problem));
    return lines;
}

} // namespace

std::string_view to_string(Cause cause) noexcept {
    switch (cause) {
    case Cause::start: return "start";
    case Cause::signal: return "signal";
    case Cause::files: break;
    }
    return "files";
}

Reloader::Reloader(net::asio::io_context& control, std::string path, config::Tables const& tables,
                   CarriedOver carried_over, Adopt adopt, OnAttempt on_attempt,
                   OnUnfinished on_unfinished)
    : control_{control}, path_{std::move(path)}, tables_{tables},
      carried_over_{std::move(carried_over)}, adopt_{std::move(adopt)},
      on_attempt_{std::move(on_attempt)}, watch_{control,
                                                 {[this] { request(Cause::files); },
                                                  std::move(on_unfinished)}},
      patience_{control.get_executor()} {
    net::asio::post(loader_, [] { step_behind(); });
}

Reloader::~Reloader() {
    loader_.join();
}

void Reloader::start(std::shared_ptr<Snapshot const> const& running,
                     std::chrono::system_clock::time_point loaded) {
    auto const& snapshot = *running;
    carried_over_.running = running;
    status_.generation = snapshot.generation;
    status_.loaded = loaded;
    status_.last.time = loaded;
    status_.last.began = std::chrono::steady_clock::now();
    status_.last.adopted = true;
    running_files_ = snapshot.files;
    carried_over_.credentials = snapshot.credentials;
    when_ = snapshot.config.reload;
    watch_.watch(running_files_, loaded);
}

void Reloader::request(Cause cause) {
    if (stopped_) return;
    if (cause == Cause::files) {
        // The files of a waiting load are complete now; otherwise the operator decides when to
        // load.
        if (postponed_)
            cause = *postponed_;
        else if (when_ == config::Reload::on_signal)
            return;
    }
    if (loading_) {
        // A load requested by a signal stays one.
        if (!again_ || again_cause_ != Cause::signal) again_cause_ = cause;
        again_ = true;
        return;
    }
    begin(cause);
}

void Reloader::begin(Cause cause) {
    loading_ = true;
    watch_.begin_reading();
    carried_over_.generation = status_.generation + 1;
    net::asio::post(loader_, [this, cause, carried_over = carried_over_, began = Moment{}] {
        Compiled compiled;
        try {
            compiled = load(path_, tables_, carried_over);
        } catch (std::exception const& exception) {
            compiled.problems.push_back({{}, path_, exception.what(), {}, {}});
        }
        net::asio::post(control_, [this, cause, began, compiled = std::move(compiled)]() mutable {
            finish(cause, began, std::move(compiled));
        });
    });
}

void Reloader::finish(Cause cause, Moment began, Compiled compiled) {
    loading_ = false;
    if (stopped_) return;
    // A rejected configuration may become valid by a change of the files that it names.
    auto files = compiled.files;
    files.insert(files.end(), running_files_.begin(), running_files_.end());
    auto unfinished = watch_.unfinished_since(compiled.files, began.time);
    unfinished.insert(unfinished.end(), compiled.unfinished.begin(), compiled.unfinished.end());
    std::sort(unfinished.begin(), unfinished.end());
    unfinished.erase(std::unique(unfinished.begin(), unfinished.end()), unfinished.end());
    if (!unfinished.empty()) {
        // What was loaded may be of neither state of a file.
        if (carried_over_.contracts) carried_over_.contracts->clear();
        unfinished_.clear();
        for (auto const& path : unfinished)
            unfinished_.push_back(config::yaml::describe(
                unfinished_file(compiled, path, "is still being written, or has just been")));
        return postpone(cause, began, files, unfinished);
    }
    postponed_.reset();
    patience_.cancel();
    for (auto& obstacle : compiled.obstacles) {
        obstacle.severity = config::yaml::Severity::warning;
        compiled.problems.push_back(std::move(obstacle));
    }
    auto problems = describe(compiled.problems);
    bool adopted = false;
    if (compiled.snapshot != nullptr) {
        auto const generation = compiled.snapshot->generation;
        auto const when = compiled.snapshot->config.reload;
        auto const credentials = compiled.snapshot->credentials;
        std::weak_ptr<Snapshot const> const next = compiled.snapshot;
        auto refused = adopt_(std::move(compiled.snapshot));
        adopted = refused.empty();
        for (auto& problem : refused)
            problems.push_back(std::move(problem));
        if (adopted) {
            status_.generation = generation;
            status_.loaded = began.time;
            running_files_ = compiled.files;
            carried_over_.credentials = credentials;
            carried_over_.running = next;
            when_ = when;
        }
    }
    watch_.watch(files, began.time);
    conclude(cause, began, adopted, std::move(problems), std::move(compiled.changes));
    if (std::exchange(again_, false)) begin(again_cause_);
}

// The watch reports when they are complete. The requester of the load is not kept waiting for
// long.
void Reloader::postpone(Cause cause, Moment began, std::vector<std::string> const& files,
                        std::vector<std::string> const& unfinished) {
    if (std::exchange(again_, false) && again_cause_ == Cause::signal) cause = Cause::signal;
    bool const is_waited_for = postponed_ == Cause::signal;
    postponed_ = is_waited_for ? Cause::signal : cause;
    watch_.watch(files, began.time, unfinished);
    if (is_waited_for || cause != Cause::signal) return;
    patience_.expires_after(patience);
    patience_.async_wait([this](net::Error aborted) {
        if (!aborted && !stopped_ && postponed_ == Cause::signal) give_up();
    });
}

void Reloader::give_up() {
    // They are loaded nevertheless once they are complete.
    postponed_ = when_ == config::Reload::automatic ? std::optional{Cause::files} : std::nullopt;
    conclude(Cause::signal, {}, false, std::exchange(unfinished_, {}));
}

void Reloader::conclude(Cause cause, Moment began, bool adopted, std::vector<std::string> problems,
                        CredentialChanges changes) {
    if (!adopted) changes = {};
    status_.last = {began.time, began.began,         cause,
                    adopted,    std::move(problems), std::move(changes)};
    ++(adopted ? status_.adopted : status_.rejected);
    on_attempt_(status_);
}

void Reloader::stop() {
    stopped_ = true;
    patience_.cancel();
    watch_.stop();
}

} // namespace sallyport::lifecycle

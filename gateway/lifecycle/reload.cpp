// Loads the configuration again, off the loops, and hands what came of it to the gateway.
#include "gateway/lifecycle/reload.h"

#include "gateway/net/held_signals.h"

#include <boost/asio/post.hpp>

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <exception>
#include <utility>

namespace sallyport::lifecycle {

namespace {

/// Of this thread: signals are the main one's, and whoever serves requests goes first, also where all share one processor.
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

std::string_view word(Cause cause) noexcept {
    return cause == Cause::signal ? "signal" : "files";
}

Reloader::Reloader(net::asio::io_context& control, std::string path,
                   std::shared_ptr<net::TicketKeys> ticket_keys, Adopt adopt, OnAttempt on_attempt)
    : control_{control}, path_{std::move(path)},
      ticket_keys_{std::move(ticket_keys)}, adopt_{std::move(adopt)},
      on_attempt_{std::move(on_attempt)}, watch_{control, [this] { request(Cause::files); }} {
    net::asio::post(loader_, [] { step_behind(); });
}

Reloader::~Reloader() {
    loader_.join();
}

void Reloader::start(Snapshot const& snapshot, std::chrono::system_clock::time_point loaded) {
    status_.generation = snapshot.generation;
    status_.loaded = loaded;
    status_.last = {loaded, true, {}};
    running_files_ = snapshot.files;
    watch_.watch(running_files_, loaded);
}

void Reloader::request(Cause cause) {
    if (stopped_) return;
    if (loading_) {
        again_ = true;
        again_cause_ = cause;
        return;
    }
    begin(cause);
}

void Reloader::begin(Cause cause) {
    loading_ = true;
    Keepsakes keepsakes{ticket_keys_, status_.generation + 1};
    net::asio::post(loader_, [this, cause, keepsakes = std::move(keepsakes)] {
        auto const began = std::chrono::system_clock::now();
        Compiled compiled;
        try {
            compiled = load(path_, keepsakes);
        } catch (std::exception const& exception) {
            compiled.problems.push_back({{}, path_, exception.what(), {}, {}});
        }
        net::asio::post(control_, [this, cause, began, compiled = std::move(compiled)]() mutable {
            finish(cause, began, std::move(compiled));
        });
    });
}

void Reloader::finish(Cause cause, std::chrono::system_clock::time_point began, Compiled compiled) {
    loading_ = false;
    if (stopped_) return;
    status_.last = {began, false, describe(compiled.problems)};
    auto files = std::move(compiled.files);
    if (compiled.snapshot != nullptr) {
        auto const generation = compiled.snapshot->generation;
        auto snapshot_files = compiled.snapshot->files;
        auto refused = adopt_(std::move(compiled.snapshot));
        status_.last.adopted = refused.empty();
        for (auto& problem : refused)
            status_.last.problems.push_back(std::move(problem));
        if (status_.last.adopted) {
            status_.generation = generation;
            status_.loaded = began;
            running_files_ = std::move(snapshot_files);
        }
    }
    ++(status_.last.adopted ? status_.adopted : status_.rejected);
    // A rejected configuration may become good by a change of what it names itself.
    files.insert(files.end(), running_files_.begin(), running_files_.end());
    watch_.watch(files, began);
    on_attempt_(cause, status_);
    if (std::exchange(again_, false)) begin(again_cause_);
}

void Reloader::stop() {
    stopped_ = true;
    watch_.stop();
}

} // namespace sallyport::lifecycle

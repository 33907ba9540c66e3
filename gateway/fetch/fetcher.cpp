// The thread in which the gateway makes its own requests.
#include "gateway/fetch/fetcher.h"

#include "gateway/net/held_signals.h"

#include <pthread.h>

#include <system_error>

namespace sallyport::fetch {

namespace {

// Makes the task of one request; it is called once.
struct FetchOnce {
    std::shared_ptr<Request> request;

    net::Task<Result> operator()(Environment& environment) const {
        return fetch::fetch(environment, std::move(*request));
    }
};

} // namespace

Fetcher::Fetcher(OnRefresh on_refresh, Names::LookUp look_up)
    : on_refresh_{std::move(on_refresh)}, inbox_{std::make_shared<Inbox>(loop_.executor())},
      names_{inbox_, std::move(look_up)},
      environment_{loop_, names_, counts_}, work_{loop_.executor()} {}

Fetcher::~Fetcher() {
    stop();
}

void Fetcher::stop() noexcept {
    std::lock_guard const lock{mutex_};
    if (std::exchange(has_stopped_, true)) return;
    inbox_->close();
    if (thread_.joinable()) {
        loop_.stop();
        thread_.join();
    }
    work_.reset();
    // Before the names, which its coroutines use.
    loop_.end();
}

bool Fetcher::has_started() const {
    std::lock_guard const lock{mutex_};
    return thread_.joinable();
}

bool Fetcher::ensure_started() {
    std::lock_guard const lock{mutex_};
    if (has_stopped_) return false;
    if (thread_.joinable()) return true;
    net::HeldSignals const held;
    try {
        thread_ = std::thread{[this] { run_loop(); }};
    } catch (std::system_error const&) {
        return false;
    }
    return true;
}

void Fetcher::run_loop() noexcept {
    ::pthread_setname_np(::pthread_self(), "fetch");
    for (;;) {
        try {
            loop_.run();
            return;
        } catch (std::exception const&) {
            // Of one job, which has ended without a result.
            continue;
        }
    }
}

void Fetcher::notify_of_changes(std::function<void()> on_change) {
    inbox_->post(
        [this, on_change = std::move(on_change)]() mutable { on_change_ = std::move(on_change); });
}

bool Fetcher::post(std::function<void(Environment&)> start) {
    if (!ensure_started()) return false;
    return inbox_->post([this, start = std::move(start)] { start(environment_); });
}

net::Task<Result> Fetcher::fetch(net::Loop& loop, Request request) {
    Job<Result> job = FetchOnce{std::make_shared<Request>(std::move(request))};
    auto running = run<Result>(loop, std::move(job));
    auto result = co_await std::move(running);
    if (!result) co_return Failure{Cause::stopped};
    co_return std::move(*result);
}

} // namespace sallyport::fetch

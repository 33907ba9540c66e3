// Notifications to systemd, and its watchdog: sd_notify(3).
#include "gateway/accept/supervisor.h"

#include <systemd/sd-daemon.h>

#include <time.h>
#include <unistd.h>

#include <utility>

namespace sallyport::accept {

namespace {

std::string monotonic_microseconds() {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return std::to_string(std::int64_t{now.tv_sec} * 1'000'000 + now.tv_nsec / 1'000);
}

} // namespace

Supervisor::Supervisor(net::asio::io_context& control, std::function<bool()> is_alive)
    : watchdog_{control.get_executor(), [this] { feed_watchdog(); }}, is_alive_{
                                                                          std::move(is_alive)} {
    std::uint64_t limit = 0;
    // Half of the limit, as sd_watchdog_enabled(3) recommends.
    if (::sd_watchdog_enabled(0, &limit) > 0) period_ = std::chrono::microseconds{limit / 2};
}

void Supervisor::ready(std::string const& status) {
    // The successor is the service's main process from then on.
    ::sd_notify(0,
                ("READY=1\nMAINPID=" + std::to_string(::getpid()) + "\nSTATUS=" + status).c_str());
    if (period_.count() == 0) return;
    feed_watchdog();
    watchdog_.start(period_);
}

void Supervisor::reloading() {
    ::sd_notify(0, ("RELOADING=1\nMONOTONIC_USEC=" + monotonic_microseconds()).c_str());
}

void Supervisor::stopping(std::string const& status) {
    ::sd_notify(0, ("STOPPING=1\nSTATUS=" + status).c_str());
}

void Supervisor::feed_watchdog() {
    if (is_alive_()) ::sd_notify(0, "WATCHDOG=1");
}

void Supervisor::stop() {
    watchdog_.stop();
}

} // namespace sallyport::accept

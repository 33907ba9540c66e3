// Waits for descriptors to become readable.
#include "tests/support/event.h"

#include <array>
#include <cerrno>
#include <stdexcept>

#include <poll.h>
#include <sys/eventfd.h>

namespace sallyport::test {

Event::Event() : descriptor_(::eventfd(0, EFD_CLOEXEC)) {
    if (!descriptor_.is_open()) throw std::runtime_error("eventfd");
}

void Event::set() {
    set_.store(true, std::memory_order_release);
    ::eventfd_write(descriptor_.get(), 1);
}

Waited Event::wait(int interrupt, TimeLimit limit) const {
    auto const waited = wait_for(descriptor_.get(), interrupt, limit);
    return is_set() ? Waited::happened : waited;
}

Waited wait_for(int descriptor, int interrupt, TimeLimit limit) {
    std::array<pollfd, 2> polled{{{descriptor, POLLIN, 0}, {interrupt, POLLIN, 0}}};
    for (;;) {
        auto const ready = ::poll(polled.data(), polled.size(), limit.left());
        if (ready < 0 && errno != EINTR) throw std::runtime_error("poll");
        if (ready > 0) return polled[0].revents != 0 ? Waited::happened : Waited::interrupted;
        if (limit.has_passed()) return Waited::time_limit;
    }
}

} // namespace sallyport::test

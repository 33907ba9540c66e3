// An edge-triggered epoll inside the loop's io_context.
#include "gateway/net/poller.h"

#include "gateway/net/counters.h"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

namespace sallyport::net {

namespace {

int make_epoll() {
    int const descriptor = ::epoll_create1(EPOLL_CLOEXEC);
    // At start-up only: a worker cannot run without a poller.
    if (descriptor < 0) throw std::system_error(errno, std::generic_category(), "epoll_create1");
    return descriptor;
}

} // namespace

struct Poller::OnReady {
    Poller* poller;
    void operator()(Error) const { poller->on_ready(); }
    void operator()() const { poller->on_ready(); }
};

// An edge is reported once: an exception from a source must lose neither the rest of the batch nor
// the next one.
struct Poller::Rearm {
    Poller& poller;
    ~Rearm() {
        poller.listening_ = false;
        if (!poller.descriptor_) return;
        if (poller.next_ < poller.ready_) {
            poller.listening_ = true;
            asio::post(poller.descriptor_->get_executor(), OnReady{&poller});
        } else if (poller.sources_ > 0) {
            poller.listen();
        }
    }
};

Poller::Poller(asio::io_context& context)
    : epoll_{make_epoll()}, descriptor_{std::in_place, context, epoll_} {}

Poller::~Poller() {
    stop();
    ::close(epoll_);
}

void Poller::stop() noexcept {
    if (!descriptor_) return;
    descriptor_->release();
    descriptor_.reset();
}

Error Poller::add(int descriptor, Source& source) {
    if (!descriptor_) return asio::error::operation_aborted;
    epoll_event event{};
    event.events = EPOLLIN | EPOLLPRI | EPOLLOUT | EPOLLRDHUP | EPOLLET;
    event.data.ptr = &source;
    ++system_calls().controls;
    if (::epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptor, &event) != 0)
        return {errno, boost::system::system_category()};
    ++sources_;
    if (!listening_) listen();
    return {};
}

void Poller::remove(int descriptor, Source& source) noexcept {
    epoll_event event{};
    ++system_calls().controls;
    ::epoll_ctl(epoll_, EPOLL_CTL_DEL, descriptor, &event);
    for (int i = next_; i < ready_; ++i) {
        auto& pending = events_[static_cast<std::size_t>(i)];
        if (pending.data.ptr == &source) pending.data.ptr = nullptr;
    }
    // Without sources the wait is cancelled, so that the loop ends when it has no other work.
    if (--sources_ == 0 && listening_ && descriptor_) {
        Error ignored;
        descriptor_->cancel(ignored);
    }
}

void Poller::listen() {
    listening_ = true;
    descriptor_->async_wait(Descriptor::wait_read, OnReady{this});
}

void Poller::on_ready() {
    Rearm const rearm{*this};
    dispatch();
}

void Poller::look() noexcept {
    next_ = 0;
    ++system_calls().polls;
    int const count = std::max(0, ::epoll_wait(epoll_, events_.data(), batch, 0));
    for (ready_ = 0; ready_ < count; ++ready_) {
        auto const& event = events_[static_cast<std::size_t>(ready_)];
        static_cast<Source*>(event.data.ptr)->note(event.events);
    }
}

void Poller::dispatch() {
    if (next_ == ready_ && sources_ > 0) look();
    // Bounded in number and time, so that timers and posted work get their turn. The clock is read
    // only if more than one source is ready.
    auto const began = next_ + 1 < ready_ ? Clock::now() : Clock::time_point{};
    while (next_ < ready_) {
        auto const event = events_[static_cast<std::size_t>(next_++)];
        if (event.data.ptr != nullptr) static_cast<Source*>(event.data.ptr)->on_ready(event.events);
        if (next_ < ready_ && Clock::now() - began >= longest_turn) return;
    }
}

} // namespace sallyport::net

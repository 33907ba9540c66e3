// Work that other threads hand to a loop which may have ended meanwhile.
#pragma once

#include "gateway/net/executor.h"

#include <boost/asio/post.hpp>

#include <mutex>
#include <utility>

namespace sallyport::fetch {

/// Shared by the loop's owner and those threads. The loop is destroyed after close().
class Inbox {
public:
    explicit Inbox(net::Executor executor) : executor_{std::move(executor)} {}

    /// Any thread: `work` is called by the loop, unless that ends before. False: it has ended.
    template <class Work>
    bool post(Work work) {
        std::lock_guard const lock{mutex_};
        if (is_closed_) return false;
        net::asio::post(executor_, std::move(work));
        return true;
    }

    /// Nothing is posted afterwards.
    void close() noexcept {
        std::lock_guard const lock{mutex_};
        is_closed_ = true;
    }

private:
    std::mutex mutex_;
    net::Executor executor_;
    bool is_closed_ = false;
};

} // namespace sallyport::fetch

// An exchange's use of a connection.
#include "gateway/upstream/pool.h"

namespace sallyport::upstream {

void Lease::drop() noexcept {
    pool_->drop(std::move(connection_));
}

void Lease::give_back(net::Clock::time_point now) {
    if (connection_) pool_->keep(std::move(connection_), now);
}

} // namespace sallyport::upstream

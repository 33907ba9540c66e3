// One thread's event loop.
#include "gateway/net/loop.h"

namespace sallyport::net {

Loop::~Loop() {
    end();
}

void Loop::end() noexcept {
    // In this order: coroutines that wait for events, then those in the context's queues. The
    // objects that they own still use the poller, the wheel and the buffers when they are
    // destroyed.
    waiters_.drop();
    poller_.stop();
    deadlines_.stop();
    waiters_.drop();
    context_.reset();
}

} // namespace sallyport::net

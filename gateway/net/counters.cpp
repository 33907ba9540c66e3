// How many system calls this thread has made.
#include "gateway/net/counters.h"

namespace sallyport::net {

SystemCalls& system_calls() noexcept {
    static thread_local constinit SystemCalls calls;
    return calls;
}

} // namespace sallyport::net

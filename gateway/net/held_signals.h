// Blocks signals in threads: only the main thread handles them.
#pragma once

#include <csignal>

#include <pthread.h>

namespace sallyport::net {

/// Blocks all signals in the calling thread except those caused by its own faults, which must end
/// the process where they happen. A signal_set resets the disposition of a signal to the kernel's
/// default (terminate) when it is destroyed, so no thread may leave signals unblocked.
inline void hold_signals(sigset_t* before = nullptr) noexcept {
    sigset_t held;
    ::sigfillset(&held);
    for (int const fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS})
        ::sigdelset(&held, fault);
    ::pthread_sigmask(SIG_BLOCK, &held, before);
}

/// Threads started during its lifetime block signals: a thread inherits the mask of its creator.
class HeldSignals {
public:
    HeldSignals() noexcept { hold_signals(&before_); }
    ~HeldSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    HeldSignals(HeldSignals const&) = delete;
    HeldSignals& operator=(HeldSignals const&) = delete;

private:
    sigset_t before_{};
};

} // namespace sallyport::net

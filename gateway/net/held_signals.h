// Keeps signals away from threads: they belong to the main one.
#pragma once

#include <csignal>

#include <pthread.h>

namespace sallyport::net {

/// From here on the calling thread takes no signals, but for those that its own faults cause, which
/// must end the process where they happen. Where a signal_set goes the kernel's own answer comes
/// back, which is to kill: one thread that takes signals then is enough.
inline void hold_signals(sigset_t* before = nullptr) noexcept {
    sigset_t held;
    ::sigfillset(&held);
    for (int const fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS})
        ::sigdelset(&held, fault);
    ::pthread_sigmask(SIG_BLOCK, &held, before);
}

/// Threads that are started while this lives take none: a thread has the mask of its creator.
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

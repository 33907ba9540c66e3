// The memory of the rings, and the wake-up of the writer.
#include "gateway/observe/log_ring.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <new>

namespace sallyport::observe {

void LogWakeUp::signal() noexcept {
    std::uint64_t const one = 1;
    auto const saved = errno; // this may run in a signal handler
    // A full counter means that a signal is pending already.
    [[maybe_unused]] auto const written = ::write(event_descriptor_, &one, sizeof one);
    errno = saved;
}

RingMemory::RingMemory(std::size_t size) : size_{size} {
    auto* const memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc{};
    // A huge page would count as a whole after the first line in it.
    static_cast<void>(::madvise(memory, size, MADV_NOHUGEPAGE));
    memory_ = static_cast<char*>(memory);
}

RingMemory::~RingMemory() {
    ::munmap(memory_, size_);
}

} // namespace sallyport::observe

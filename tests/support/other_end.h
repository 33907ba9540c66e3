// What the kernel holds for the other end of a connection over loopback (sock_diag).
#pragma once

#include <cstdint>
#include <optional>

namespace sallyport::test {

struct HeldByKernel {
    std::uint32_t unread = 0;         // bytes that have come and were not read
    std::uint32_t unacknowledged = 0; // bytes written that have not come to this end
};

// `socket`: this end, TCP over IPv4. Nothing where the other end is gone. Throws std::runtime_error
// where the kernel does not tell.
std::optional<HeldByKernel> held_for_other_end(int socket);

} // namespace sallyport::test

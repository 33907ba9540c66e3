// The bytes that the kernel holds for the other end of a connection over loopback (sock_diag).
#pragma once

#include <cstdint>
#include <optional>

namespace sallyport::test {

struct HeldByKernel {
    std::uint32_t unread = 0;         // bytes that arrived and were not read
    std::uint32_t unacknowledged = 0; // bytes written that have not arrived at this end
};

/// `socket`: this end, TCP over IPv4. Empty if the other end is closed. Throws std::runtime_error
/// if the kernel does not support it.
std::optional<HeldByKernel> held_for_other_end(int socket);

} // namespace sallyport::test

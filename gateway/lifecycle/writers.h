// Whether another process has a file open for writing.
#pragma once

#include <cstdint>
#include <string>

namespace sallyport::lifecycle {

enum class Writers : std::uint8_t {
    none,
    some,    // it is open for writing: its content may be incomplete
    unknown, // the system cannot tell: the file belongs to another user, or is on a network file
             // system
};

/// Requests a read lease (fcntl(2), F_SETLEASE), which the kernel grants only if no process has the
/// file open for writing, and releases it at once. Folders and missing files have no writers.
[[nodiscard]] Writers writers_of(std::string const& path);

} // namespace sallyport::lifecycle

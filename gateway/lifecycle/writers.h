// Whether another process still writes to a file.
#pragma once

#include <cstdint>
#include <string>

namespace sallyport::lifecycle {

enum class Writers : std::uint8_t {
    none,
    some,    // it is open for writing: what can be read may be half of it
    unknown, // the system does not say: the file belongs to another user, or lies elsewhere
};

/// Asks the kernel for a read lease (fcntl(2), F_SETLEASE), which it gives only where nothing has
/// the file open for writing, and gives it back at once. Folders and missing files have none.
[[nodiscard]] Writers writers_of(std::string const& path);

} // namespace sallyport::lifecycle

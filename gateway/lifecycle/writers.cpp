// Whether another process has a file open for writing.
#include "gateway/lifecycle/writers.h"

#include "gateway/net/descriptor.h"

#include <algorithm>
#include <array>
#include <cerrno>

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/vfs.h>

namespace sallyport::lifecycle {

namespace {

// File systems on which a refused lease means a writer. On network file systems it may also mean
// that the server gave no delegation, or that the writer is on another machine.
bool reports_writers(int descriptor) {
    // statfs(2) lists them; ZFS has its own.
    constexpr std::array<std::uint64_t, 8> local{
        0xEF53 /*ext*/,        0x58465342 /*xfs*/,  0x9123683E /*btrfs*/, 0x01021994 /*tmpfs*/,
        0x794C7630 /*overlay*/, 0xF2F52010 /*f2fs*/, 0x858458F6 /*ramfs*/, 0x2FC12FC1 /*zfs*/};
    struct statfs found {};
    if (::fstatfs(descriptor, &found) != 0) return false;
    auto const type = static_cast<std::uint64_t>(found.f_type) & 0xFFFFFFFFU;
    return std::find(local.begin(), local.end(), type) != local.end();
}

} // namespace

Writers writers_of(std::string const& path) {
    // Does not wait for the other end of a named pipe.
    net::FileDescriptor const file{
        ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};
    if (file.get() < 0) return errno == ENOENT ? Writers::none : Writers::unknown;
    struct stat found {};
    if (::fstat(file.get(), &found) != 0) return Writers::unknown;
    if (!S_ISREG(found.st_mode)) return Writers::none;
    if (!reports_writers(file.get())) return Writers::unknown;
    // A writer that opens the file while the lease is held is reported by a signal: one that is
    // ignored by default, instead of SIGIO, which would end the process.
    if (::fcntl(file.get(), F_SETSIG, SIGURG) != 0) return Writers::unknown;
    if (::fcntl(file.get(), F_SETLEASE, F_RDLCK) == 0) {
        static_cast<void>(::fcntl(file.get(), F_SETLEASE, F_UNLCK));
        return Writers::none;
    }
    return errno == EAGAIN ? Writers::some : Writers::unknown;
}

} // namespace sallyport::lifecycle

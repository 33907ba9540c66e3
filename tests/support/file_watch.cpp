// inotify on one folder.
#include "tests/support/file_watch.h"

#include <array>
#include <stdexcept>

#include <sys/inotify.h>
#include <unistd.h>

namespace sallyport::test {

FileWatch::FileWatch(std::filesystem::path const& folder)
    : descriptor_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
    if (::inotify_add_watch(descriptor_.get(), folder.c_str(),
                            IN_MODIFY | IN_CREATE | IN_MOVED_TO | IN_DELETE)
        < 0)
        throw std::runtime_error("inotify_add_watch on " + folder.string());
}

Waited FileWatch::wait(int interrupt, TimeLimit limit) {
    auto const waited = wait_for(descriptor_.get(), interrupt, limit);
    std::array<char, 4096> events;
    while (::read(descriptor_.get(), events.data(), events.size()) > 0) {
    }
    return waited;
}

} // namespace sallyport::test

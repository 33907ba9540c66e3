// Wakes when a file in a folder is written, created or renamed (inotify).
#pragma once

#include "tests/support/descriptor.h"
#include "tests/support/event.h"
#include "tests/support/time_limit.h"

#include <filesystem>

namespace sallyport::test {

/// Construct it first, then check the files, then wait: no change is missed.
class FileWatch {
public:
    explicit FileWatch(std::filesystem::path const& folder);
    /// Whether anything changed since the last call; `interrupt` as in wait_for.
    Waited wait(int interrupt, TimeLimit limit);

private:
    Descriptor descriptor_;
};

} // namespace sallyport::test

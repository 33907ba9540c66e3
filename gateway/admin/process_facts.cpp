// Properties of this process from the kernel.
#include "gateway/admin/process_facts.h"

#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

namespace sallyport::admin {

namespace {

double seconds(timeval const& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

// The second number of /proc/self/statm: pages in memory.
std::uint64_t resident_bytes() {
    std::ifstream statm{"/proc/self/statm"};
    std::uint64_t size = 0;
    std::uint64_t resident = 0;
    statm >> size >> resident;
    return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

std::uint64_t open_descriptors() {
    std::error_code error;
    std::filesystem::directory_iterator const entries{"/proc/self/fd", error};
    if (error) return 0;
    auto const count = std::distance(begin(entries), end(entries));
    // One of them belongs to the listing itself.
    return count > 0 ? static_cast<std::uint64_t>(count - 1) : 0;
}

} // namespace

ProcessFacts read_process_facts() {
    ProcessFacts facts;
    rusage usage{};
    if (::getrusage(RUSAGE_SELF, &usage) == 0)
        facts.cpu_seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
    facts.resident_bytes = resident_bytes();
    facts.open_descriptors = open_descriptors();
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) facts.most_descriptors = limit.rlim_cur;
    return facts;
}

} // namespace sallyport::admin

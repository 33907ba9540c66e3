// Properties of this process from the kernel: proc(5).
#pragma once

#include <chrono>
#include <cstdint>

namespace sallyport::admin {

struct ProcessFacts {
    double cpu_seconds = 0;
    std::uint64_t resident_bytes = 0;
    std::uint64_t open_descriptors = 0;
    std::uint64_t most_descriptors = 0;
};

[[nodiscard]] ProcessFacts read_process_facts();

} // namespace sallyport::admin

// A one-time event that threads wait for with poll(2): an eventfd.
#pragma once

#include "tests/support/descriptor.h"
#include "tests/support/time_limit.h"

#include <atomic>
#include <cstdint>

namespace sallyport::test {

enum class Waited : std::uint8_t { happened, interrupted, time_limit };

/// Any thread may set it, any number may wait; writes before `set` are visible after `wait`.
class Event {
public:
    Event();
    void set();
    [[nodiscard]] bool is_set() const { return set_.load(std::memory_order_acquire); }
    Waited wait(int interrupt = -1, TimeLimit limit = TimeLimit{}) const;
    [[nodiscard]] int descriptor() const { return descriptor_.get(); }

private:
    Descriptor descriptor_;
    std::atomic<bool> set_{false}; // ThreadSanitizer does not know the ordering of an eventfd
};

/// `interrupt`: another descriptor whose readability ends the wait; -1 for none.
Waited wait_for(int descriptor, int interrupt, TimeLimit limit);

} // namespace sallyport::test

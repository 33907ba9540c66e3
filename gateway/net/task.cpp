// Coroutines of one thread: their resumption, and the allocation of their frames.
#include "gateway/net/task.h"

#include <boost/asio/executor_work_guard.hpp>

#include <array>
#include <new>

namespace sallyport::net {

namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool keeps_frames = false; // it has to see each allocation of a frame
#else
constexpr bool keeps_frames = true;
#endif

constexpr std::size_t granularity = 16; // the alignment of operator new: idle connections hold
                                        // frames
constexpr std::size_t largest_kept = 8192;
// Bytes of one size, for each thread: the largest frames, of 5 KB, are those of exchanges, of which
// a hundred may run at once.
constexpr std::size_t most_kept = 512 * 1024;

struct FreeFrame {
    FreeFrame* next;
};

struct FreeList {
    FreeFrame* first = nullptr;
    std::size_t bytes = 0;
};

constexpr std::size_t index_of(std::size_t size) {
    return (size - 1) / granularity;
}

constexpr std::size_t rounded(std::size_t size) {
    return (index_of(size) + 1) * granularity;
}

constinit thread_local std::array<FreeList, index_of(largest_kept) + 1> free_frames{};

// Frees the cached frames of a thread when it ends.
struct AtThreadEnd {
    ~AtThreadEnd() {
        for (auto& list : free_frames) {
            while (auto* const frame = list.first) {
                list.first = frame->next;
                ::operator delete(frame);
            }
            list.bytes = 0;
        }
    }
    void be_there() const noexcept {}
};
thread_local AtThreadEnd const at_thread_end;

void* new_frame(std::size_t size) {
    at_thread_end.be_there();
    return ::operator new(size);
}

using Work = boost::asio::executor_work_guard<boost::asio::io_context::executor_type>;

// Keeps the loop running until the task has ended.
Task<> keep(Work /*work*/, Task<> task) {
    co_await std::move(task);
}

} // namespace

void* TaskPromise::operator new(std::size_t size) {
    if (!keeps_frames || size > largest_kept) return ::operator new(size);
    auto& list = free_frames[index_of(size)];
    if (list.first == nullptr) return new_frame(rounded(size));
    list.bytes -= rounded(size);
    return std::exchange(list.first, list.first->next);
}

void TaskPromise::operator delete(void* frame, std::size_t size) noexcept {
    if (keeps_frames && size <= largest_kept) {
        auto& list = free_frames[index_of(size)];
        if (list.bytes < most_kept) {
            list.first = ::new (frame) FreeFrame{list.first};
            list.bytes += rounded(size);
            return;
        }
    }
    ::operator delete(frame);
}

void TaskPromise::resume() {
    auto* task = this;
    for (;;) {
        task->self_.resume();
        if (!task->self_.done()) return;
        if (task->awaiting_ == nullptr) break;
        task = task->awaiting_;
    }
    // The task has no awaiter that would destroy it or receive its exception.
    auto const exception = std::move(task->exception_);
    task->self_.destroy();
    if (exception) std::rethrow_exception(exception);
}

TaskPromise& TaskPromise::outermost() noexcept {
    auto* task = this;
    while (task->awaiting_ != nullptr)
        task = task->awaiting_;
    return *task;
}

void start(boost::asio::io_context& context, Task<> task) {
    auto kept = keep(Work{context.get_executor()}, std::move(task));
    std::move(kept).release().promise().resume();
}

} // namespace sallyport::net

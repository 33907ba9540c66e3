// Exchanges are large: a worker reuses a few of them, and an idle connection has none.
#pragma once

#include "gateway/pipeline/exchange.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace sallyport::serve {

/// Memory of completed exchanges. Owned by a worker, on its thread.
class ExchangePool {
public:
    struct GiveBack {
        ExchangePool* pool;
        void operator()(pipeline::Exchange* exchange) const noexcept {
            std::destroy_at(exchange);
            pool->give_back(exchange);
        }
    };
    using Handle = std::unique_ptr<pipeline::Exchange, GiveBack>;

    template <class... Arguments>
    Handle make(Arguments&&... arguments) {
        Memory memory;
        if (free_.empty()) {
            memory.reset(static_cast<std::byte*>(::operator new(sizeof(pipeline::Exchange))));
            free_.reserve(most_kept); // so that returning one never allocates
        } else {
            memory = std::move(free_.back());
            free_.pop_back();
            least_free_ = std::min(least_free_, free_.size());
        }
        auto* const exchange =
            ::new (memory.get()) pipeline::Exchange{std::forward<Arguments>(arguments)...};
        static_cast<void>(memory.release());
        return Handle{exchange, GiveBack{this}};
    }

    /// Frees as many as were not needed since the last call; returns their size in bytes.
    std::size_t trim() noexcept {
        auto const trimmed = least_free_;
        free_.erase(free_.end() - static_cast<std::ptrdiff_t>(trimmed), free_.end());
        least_free_ = free_.size();
        return trimmed * sizeof(pipeline::Exchange);
    }
    [[nodiscard]] bool is_empty() const noexcept { return free_.empty(); }

private:
    static constexpr std::size_t most_kept = 256;

    struct Free {
        void operator()(std::byte* memory) const noexcept { ::operator delete(memory); }
    };
    using Memory = std::unique_ptr<std::byte, Free>;

    void give_back(pipeline::Exchange* exchange) noexcept {
        Memory memory{reinterpret_cast<std::byte*>(exchange)};
        if (free_.size() < most_kept) free_.push_back(std::move(memory));
    }

    std::vector<Memory> free_;
    std::size_t least_free_ = 0; // since the last trim()
};

} // namespace sallyport::serve

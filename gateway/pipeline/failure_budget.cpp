// Counts failures by their source, and blocks those that cause too many.
#include "gateway/pipeline/failure_budget.h"

#include <algorithm>
#include <span>

namespace sallyport::pipeline {

namespace {

using std::chrono::milliseconds;

milliseconds until(FailureBudget::Clock::time_point end, FailureBudget::Clock::time_point now) {
    return std::chrono::ceil<milliseconds>(end - now);
}

// Twice as long each time.
milliseconds length_of_block(FailureLimits const& limits, std::uint32_t blocks) {
    auto length = limits.first_block;
    for (std::uint32_t i = 1; i < blocks && length < limits.longest_block; ++i)
        length *= 2;
    return std::min(length, limits.longest_block);
}

} // namespace

void FailureBudget::configure(FailureLimits const& limits) {
    for (auto& shard : shards_) {
        std::lock_guard const lock{shard.mutex};
        shard.limits = limits;
    }
}

FailureBudget::Source* FailureBudget::find(Shard& shard, CallerKey key, Clock::time_point now) {
    if (shard.sources.empty()) return nullptr;
    auto const set = std::span{shard.sources}.subspan(key / shards % sets * places, places);
    auto const found = std::find_if(set.begin(), set.end(), [&](Source const& source) {
        return source.key == key && source.forgotten_at > now;
    });
    return found == set.end() ? nullptr : &*found;
}

FailureBudget::Source& FailureBudget::find_or_add(Shard& shard, CallerKey key,
                                                  Clock::time_point now) {
    if (auto* const known = find(shard, key, now)) return *known;
    if (shard.sources.empty()) shard.sources.resize(sets * places);
    auto const set = std::span{shard.sources}.subspan(key / shards % sets * places, places);
    auto& place =
        *std::min_element(set.begin(), set.end(), [](auto const& left, auto const& right) {
            return left.forgotten_at < right.forgotten_at;
        });
    place = Source{};
    place.key = key;
    place.window_began = now;
    return place;
}

CountedFailure FailureBudget::block(Source& source, FailureLimits const& limits,
                                    Clock::time_point now) {
    ++source.blocks;
    auto const length = length_of_block(limits, source.blocks);
    source.blocked_until = now + length;
    source.forgotten_at = source.blocked_until + std::max(length, limits.window);
    blocks_.fetch_add(1, std::memory_order_relaxed);
    return {length, true, source.blocks, limits.failures};
}

CountedFailure FailureBudget::count(CallerKey key, Clock::time_point now) {
    auto& shard = shard_of(key);
    std::lock_guard const lock{shard.mutex};
    auto const& limits = shard.limits;
    auto& source = find_or_add(shard, key, now);
    if (now < source.blocked_until)
        return {until(source.blocked_until, now), false, source.blocks, limits.failures};
    if (source.blocks != 0) return block(source, limits, now);
    if (now - source.window_began >= limits.window) {
        source.window_began = now;
        source.failures = 0;
    }
    if (++source.failures > limits.failures) return block(source, limits, now);
    source.forgotten_at = source.window_began + limits.window;
    return {};
}

bool FailureBudget::count_first(CallerKey key, Clock::time_point now) {
    auto& shard = shard_of(key);
    std::lock_guard const lock{shard.mutex};
    if (find(shard, key, now) != nullptr) return false;
    auto& source = find_or_add(shard, key, now);
    source.failures = 1;
    source.forgotten_at = source.window_began + shard.limits.window;
    return true;
}

CountedFailure FailureBudget::look_at(CallerKey key, Clock::time_point now) const {
    auto& shard = shard_of(key);
    std::lock_guard const lock{shard.mutex};
    auto const* const source = find(shard, key, now);
    if (source == nullptr || now >= source->blocked_until) return {};
    return {until(source->blocked_until, now), false, source->blocks, shard.limits.failures};
}

} // namespace sallyport::pipeline

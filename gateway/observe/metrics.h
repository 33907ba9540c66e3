// What a worker counts and measures: written by its thread alone, read by any while it works, never
// reset. Counts outlive the configuration that they were counted under.
#pragma once

#include "gateway/observe/access_record.h"
#include "gateway/observe/counter.h"
#include "gateway/observe/histogram.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace sallyport::observe {

/// Counters by a key that turns up as requests come. Keys are found by looking at each: there are
/// few. Those beyond `capacity` are counted together, so that whoever chooses them (an upstream its
/// statuses) cannot fill memory or a monitoring system.
template <class Key, std::size_t capacity>
class KeyedCounters {
public:
    /// The writer's thread.
    template <class Seen>
    void add(Seen const& seen, std::uint64_t amount = 1) {
        auto const used = used_.load(std::memory_order_relaxed);
        for (std::size_t i = 0; i < used; ++i) {
            if (cells_[i].key == seen) return cells_[i].counter.add(amount);
        }
        if (used == capacity) return others_.add(amount);
        cells_[used].key = Key{seen};
        cells_[used].counter.add(amount);
        used_.store(used + 1, std::memory_order_release);
    }

    /// Any thread: `tell(key, count)` for each key.
    template <class Tell>
    void for_each(Tell&& tell) const {
        auto const used = used_.load(std::memory_order_acquire);
        for (std::size_t i = 0; i < used; ++i)
            tell(cells_[i].key, cells_[i].counter.value());
    }
    /// Of the keys for which there was no room.
    [[nodiscard]] std::uint64_t others() const noexcept { return others_.value(); }

private:
    struct Cell {
        Key key;
        Counter counter;
    };
    std::array<Cell, capacity> cells_;
    std::atomic<std::size_t> used_{0};
    Counter others_;
};

/// A list that its one writer only ever adds to, and any thread may walk meanwhile.
template <class T>
class GrowingList {
public:
    GrowingList() = default;
    GrowingList(GrowingList const&) = delete;
    GrowingList& operator=(GrowingList const&) = delete;
    ~GrowingList() {
        for (auto* node = first_.load(); node != nullptr;)
            delete std::exchange(node, node->next);
    }

    template <class... Arguments>
    T& add(Arguments&&... arguments) {
        auto* const node = new Node{T{std::forward<Arguments>(arguments)...},
                                    first_.load(std::memory_order_relaxed)};
        first_.store(node, std::memory_order_release);
        return node->value;
    }

    template <class Tell>
    void for_each(Tell&& tell) const {
        for (auto const* node = first_.load(std::memory_order_acquire); node != nullptr;
             node = node->next)
            tell(node->value);
    }

private:
    struct Node {
        T value;
        Node* next;
    };
    std::atomic<Node*> first_{nullptr};
};

/// How requests ended: the status that the client saw (0: none) and the reason.
struct RequestOutcome {
    std::uint16_t status = 0;
    std::string_view reason; // a word that lives as long as the program; empty: the request passed

    friend bool operator==(RequestOutcome const&, RequestOutcome const&) = default;
};

enum class MessagePart : std::uint8_t { request, response };

struct SeenViolation {
    MessagePart part;
    ViolationLevel level;
    std::string_view rule; // the keyword
};

/// As SeenViolation, with a rule of its own: the contract that it is from may go.
struct ViolationKey {
    MessagePart part = MessagePart::request;
    ViolationLevel level = ViolationLevel::enforce;
    std::string rule;

    ViolationKey() = default;
    explicit ViolationKey(SeenViolation const& seen)
        : part{seen.part}, level{seen.level}, rule{seen.rule} {}
    bool operator==(SeenViolation const& seen) const {
        return part == seen.part && level == seen.level && rule == seen.rule;
    }
};

/// Of one operation; of what no operation or no API was found for, the names are empty.
struct OperationMetrics {
    OperationMetrics(std::string_view its_api, std::string_view its_operation)
        : api{its_api}, operation{its_operation} {}

    std::string api;
    std::string operation;
    KeyedCounters<RequestOutcome, 48> requests;
    KeyedCounters<ViolationKey, 64> violations;
    /// Of answers that the contract was asked about: not checked, by the cause (a word that lives
    /// as long as the program; empty: checked).
    KeyedCounters<std::string_view, 12> responses;
    DurationHistogram total;
    DurationHistogram ours; // total without what was spent at the upstream
    DurationHistogram at_upstream;
    Counter bytes_in;
    Counter bytes_out;
    Counter unknown_members;
    Counter deprecated_members;
    Counter credentials_accepted;
    Counter credentials_refused;
};

/// Of one endpoint of an upstream. An exchange has an opened connection, or a reused one.
struct EndpointMetrics {
    explicit EndpointMetrics(std::string_view its_endpoint) : endpoint{its_endpoint} {}

    std::string endpoint; // as configured
    Counter connections_opened;
    Counter connections_reused; // exchanges that found one idle
    Counter connect_failures;
    Gauge connections; // that are open
};

/// Of one upstream.
class UpstreamMetrics {
public:
    explicit UpstreamMetrics(std::string_view its_upstream) : upstream{its_upstream} {}

    std::string upstream;
    Counter retries;
    Counter share_waits;    // exchanges whose caller held its share of connections
    Counter share_refusals; // of them, those that got none
    Gauge connections;      // in use, idle, and being made
    Gauge connections_idle;
    Gauge exchanges_waiting; // for a connection

    /// The worker's thread: found, or made.
    EndpointMetrics& endpoint(std::string_view endpoint);

    [[nodiscard]] GrowingList<EndpointMetrics> const& endpoints() const noexcept {
        return endpoints_;
    }

private:
    GrowingList<EndpointMetrics> endpoints_;
    std::unordered_map<std::string, EndpointMetrics*> endpoints_by_text_;
};

/// Everything that one worker counts.
class WorkerMetrics {
public:
    Counter connections_accepted;
    Counter handshakes_completed;
    Counter handshakes_resumed; // of the completed ones
    Counter handshakes_failed;
    Counter handshakes_gave_way; // of the failed ones: there were too many
    Counter idle_gave_way;       // connections without a request, closed for new ones
    Counter lines_suppressed;    // of the access log, by a RateCap

    /// The worker's thread: found, or made.
    OperationMetrics& operation(std::string_view api, std::string_view operation);
    UpstreamMetrics& upstream(std::string_view upstream);

    [[nodiscard]] GrowingList<OperationMetrics> const& operations() const noexcept {
        return operations_;
    }
    [[nodiscard]] GrowingList<UpstreamMetrics> const& upstreams() const noexcept {
        return upstreams_;
    }

private:
    GrowingList<OperationMetrics> operations_;
    GrowingList<UpstreamMetrics> upstreams_;
    // Where they are, for the worker's thread alone.
    std::unordered_map<std::string, OperationMetrics*> operations_by_name_;
    std::unordered_map<std::string, UpstreamMetrics*> upstreams_by_name_;
};

/// A snapshot's operations by their numbers, so that a request looks up no name. Filled as
/// operations are called: what nobody calls costs no memory.
class OperationIndex {
public:
    struct Entry {
        OperationMetrics* metrics = nullptr; // null: not yet called
        std::string line_part;               // AccessRecord::operation_part
    };

    /// The worker's thread. `api` and `operation` are positions in the snapshot and the contract.
    Entry& at(std::size_t api, std::size_t operation);

private:
    std::vector<std::vector<Entry>> found_;
};

} // namespace sallyport::observe

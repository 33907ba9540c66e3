// The counters and histograms of a worker: written by its thread only, read by any thread
// meanwhile, never reset. Counts outlive the configuration under which they were counted.
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

/// Counters by a key that is found at run time. Lookup is linear: there are few keys. Keys beyond
/// `capacity` are counted together, so that their source (the statuses of an upstream) cannot fill
/// memory or a monitoring system.
template <class Key, std::size_t capacity>
class KeyedCounters {
public:
    /// Only on the writer's thread.
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

    /// Any thread: calls `visit(key, count)` for each key.
    template <class Visit>
    void for_each(Visit&& visit) const {
        auto const used = used_.load(std::memory_order_acquire);
        for (std::size_t i = 0; i < used; ++i)
            visit(cells_[i].key, cells_[i].counter.value());
    }
    /// The count of all keys beyond the capacity.
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

/// A list that one thread appends to while any thread iterates over it.
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

    template <class Visit>
    void for_each(Visit&& visit) const {
        for (auto const* node = first_.load(std::memory_order_acquire); node != nullptr;
             node = node->next)
            visit(node->value);
    }

private:
    struct Node {
        T value;
        Node* next;
    };
    std::atomic<Node*> first_{nullptr};
};

/// The result of a request: the status sent to the client (0: none) and the reason.
struct RequestOutcome {
    std::uint16_t status = 0;
    std::string_view reason; // a string that lives as long as the program; empty: the request
                             // passed

    friend bool operator==(RequestOutcome const&, RequestOutcome const&) = default;
};

enum class MessagePart : std::uint8_t { request, response };

struct SeenViolation {
    MessagePart part;
    ViolationLevel level;
    std::string_view rule; // the keyword
};

/// Like SeenViolation, but owns the rule: the contract may be destroyed earlier.
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

/// Of one operation; the names are empty for requests without an operation or an API.
struct OperationMetrics {
    OperationMetrics(std::string_view its_api, std::string_view its_operation)
        : api{its_api}, operation{its_operation} {}

    std::string api;
    std::string operation;
    KeyedCounters<RequestOutcome, 48> requests;
    KeyedCounters<ViolationKey, 64> violations;
    /// Responses to be checked against the contract, by the cause why they were not (a string that
    /// lives as long as the program; empty: checked).
    KeyedCounters<std::string_view, 12> responses;
    DurationHistogram total;
    DurationHistogram ours; // total without the time spent waiting for the upstream
    DurationHistogram at_upstream;
    Counter bytes_in;
    Counter bytes_out;
    Counter unknown_members;
    Counter deprecated_members;
    Counter credentials_accepted;
    Counter credentials_refused;
};

/// Of one endpoint of an upstream. An exchange uses a new connection or an idle one.
struct EndpointMetrics {
    explicit EndpointMetrics(std::string_view its_endpoint) : endpoint{its_endpoint} {}

    std::string endpoint; // as configured
    Counter connections_opened;
    Counter connections_reused; // exchanges that found one idle
    Counter connect_failures;
    Gauge connections; // open ones
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

    /// Only on the worker's thread. Adds the endpoint if it is new.
    EndpointMetrics& endpoint(std::string_view endpoint);

    [[nodiscard]] GrowingList<EndpointMetrics> const& endpoints() const noexcept {
        return endpoints_;
    }

private:
    GrowingList<EndpointMetrics> endpoints_;
    std::unordered_map<std::string, EndpointMetrics*> endpoints_by_text_;
};

/// Streams of HTTP/2 that were refused, by a string that lives as long as the program.
using RefusedByLimit = KeyedCounters<std::string_view, 4>;

/// All counters and histograms of one worker.
class WorkerMetrics {
public:
    Counter connections_accepted;
    Counter proxy_headers_failed;
    Counter handshakes_completed;
    Counter handshakes_resumed; // of the completed ones
    Counter handshakes_failed;
    Counter handshakes_gave_way; // of the failed ones: closed because there were too many
    Counter idle_gave_way;       // connections without a request, closed for new ones
    Counter lines_suppressed;    // of the access log, by a RateCap
    /// By http::Protocol.
    std::array<Counter, 3> requests_by_protocol;
    Counter http2_connections; // of those accepted
    Gauge http2_streams;       // that are served
    Gauge tunnels;             // that are open
    /// Strings that live as long as the program: the kinds of what costs a client patience, and the
    /// codes of the last GOAWAY.
    KeyedCounters<std::string_view, 16> http2_points;
    KeyedCounters<std::string_view, 16> http2_ended;
    RefusedByLimit http2_refused;

    /// Only on the worker's thread. Adds the operation if it is new.
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
    // An index, used only by the worker's thread.
    std::unordered_map<std::string, OperationMetrics*> operations_by_name_;
    std::unordered_map<std::string, UpstreamMetrics*> upstreams_by_name_;
};

/// The metrics of a snapshot's operations by their numbers, so that a request needs no lookup by
/// name. Entries are made at the first call, so that unused operations cost no memory.
class OperationIndex {
public:
    struct Entry {
        OperationMetrics* metrics = nullptr; // null: not called yet
        std::string line_part;               // AccessRecord::operation_part
    };

    /// Only on the worker's thread. `api` and `operation` are indexes in the snapshot and the
    /// contract.
    Entry& at(std::size_t api, std::size_t operation);

private:
    std::vector<std::vector<Entry>> found_;
};

} // namespace sallyport::observe

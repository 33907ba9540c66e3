// The x- keywords of operations: x-lists, x-retry, x-stream, x-trailers, x-timeouts, x-body-limit, x-source.
#include "gateway/contract/openapi/load.h"

#include "config/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <vector>

namespace sallyport::contract {

namespace yaml = config::yaml;

namespace {

// An integer followed by a unit, times that unit; nullopt: it is malformed, or does not fit.
struct Unit {
    std::string_view name;
    std::uint64_t factor;
};
[[nodiscard]] std::optional<std::uint64_t> read_quantity(std::string_view text,
                                                         std::span<Unit const> units) {
    std::uint64_t value = 0;
    auto const result = std::from_chars(text.data(), text.data() + text.size(), value);
    if (result.ec != std::errc{}) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(result.ptr - text.data()));
    for (Unit const& unit : units) {
        constexpr std::uint64_t limit = std::uint64_t{1} << 40;
        if (unit.name == text && value <= limit / unit.factor) return value * unit.factor;
    }
    return std::nullopt;
}

constexpr std::array time_units{Unit{"ms", 1}, Unit{"s", 1000}, Unit{"m", 60'000},
                                Unit{"h", 3'600'000}};
// The units of the configuration, and a number of bytes without unit.
constexpr std::array size_units{Unit{"", 1}, Unit{"B", 1}, Unit{"KiB", 1024},
                                Unit{"MiB", 1024 * 1024}, Unit{"GiB", 1024 * 1024 * 1024}};

// Numbers without units, under names that are not ours too.
[[nodiscard]] bool is_of_others(yaml::Node const& timeouts,
                                std::vector<std::string_view> const& own) {
    if (!timeouts.is_mapping()) return false;
    auto const& entries = timeouts.entries();
    auto const is_other = [&own](yaml::Entry const& entry) {
        return std::find(own.begin(), own.end(), entry.key) == own.end();
    };
    auto const is_number = [](yaml::Entry const& entry) {
        return entry.value.kind() == yaml::Kind::integer;
    };
    return std::any_of(entries.begin(), entries.end(), is_other)
           && std::all_of(entries.begin(), entries.end(), is_number);
}

[[nodiscard]] bool declares_event_stream(Operation const& operation) {
    auto const is_event_stream = [](MediaType const& type) {
        return type.name == "text/event-stream";
    };
    return std::any_of(operation.responses.begin(), operation.responses.end(),
                       [&is_event_stream](Response const& response) {
                           return std::any_of(response.media_types.begin(),
                                              response.media_types.end(), is_event_stream);
                       });
}

} // namespace

void Loader::read_timeouts(Operation& operation, Node const& node, std::string const& path) {
    Timeouts& timeouts = operation.timeouts;
    std::array const members{
        std::pair{std::string_view{"connect"}, &timeouts.connect},
        std::pair{std::string_view{"first_byte"}, &timeouts.first_byte},
        std::pair{std::string_view{"idle"}, &timeouts.idle},
        std::pair{std::string_view{"total"}, &timeouts.total},
    };
    Keys keys{"x-timeouts", {}, {}, {}, Others::refused};
    for (auto const& member : members)
        keys.read.push_back(member.first);
    if (is_of_others(node, keys.read)) {
        return warn(node, path, "is not the gateway's own, whose durations have units: no effect");
    }
    if (!check_keys(node, path, keys)) return;
    for (auto const& [name, target] : members) {
        Node const* const value = node.find(name);
        if (value == nullptr) continue;
        auto const time = read_quantity(value->text(), time_units);
        if (!time || *time == 0) {
            error(*value, yaml::join_key(path, name), "must be a duration above 0",
                  "write a number and a unit, such as 290s");
            continue;
        }
        *target = std::chrono::milliseconds{*time};
    }
}

void Loader::read_extensions(Operation& operation, Node const& node, std::string const& path) {
    if (Node const* const source = node.find("x-source"); source != nullptr) {
        operation.source = source->text();
        if (!source->is_string()) {
            error(*source, yaml::join_key(path, "x-source"), "must be a string");
        }
    }
    if (Node const* const lists = node.find("x-lists"); lists != nullptr) {
        auto const word = lists->text();
        if (word == "both") operation.lists = Lists::both;
        if (word == "strict") operation.lists = Lists::strict;
        if (word == "decoded") operation.lists = Lists::decoded;
        if (!operation.lists) {
            error(*lists, yaml::join_key(path, "x-lists"), "must be strict, decoded or both",
                  "write x-lists: decoded if the server decodes a list before it splits it");
        }
    }
    if (Node const* const retry = node.find("x-retry"); retry != nullptr) {
        operation.retry_safe = retry->text() == "safe";
        if (!operation.retry_safe) {
            error(*retry, yaml::join_key(path, "x-retry"), "must be safe, or absent",
                  "write x-retry: safe");
        }
    }
    if (Node const* const timeouts = node.find("x-timeouts"); timeouts != nullptr) {
        read_timeouts(operation, *timeouts, yaml::join_key(path, "x-timeouts"));
    }
    if (Node const* const limit = node.find("x-body-limit"); limit != nullptr) {
        std::string const at = yaml::join_key(path, "x-body-limit");
        auto const size = read_quantity(limit->text(), size_units);
        if (!size || *size == 0) {
            error(*limit, at, "must be a size above 0, of 1024GiB at most",
                  "write digits, or digits and B, KiB, MiB or GiB, such as 64KiB");
        } else if (node.find("requestBody") == nullptr) {
            error(*limit, at, "has no effect: the operation has no requestBody");
        } else {
            operation.request_body.emplace().limit = size;
        }
    }
}

void Loader::read_stream(Operation& operation, Node const& node, std::string const& path) {
    Node const* const stream = node.find("x-stream");
    if (stream == nullptr) {
        if (declares_event_stream(operation)) operation.streams = Streams::event_streams;
        return;
    }
    if (stream->text() == "events") {
        operation.streams = Streams::all;
    } else if (stream->text() != "none") {
        error(*stream, yaml::join_key(path, "x-stream"), "must be events or none",
              "write x-stream: events if its responses last as long as something happens");
    }
}

void Loader::read_trailers(Operation& operation, Node const& node, std::string const& path) {
    Node const* const trailers = node.find("x-trailers");
    if (trailers == nullptr) return;
    operation.forwards_trailers = trailers->text() == "forward";
    if (!operation.forwards_trailers && trailers->text() != "drop") {
        error(*trailers, yaml::join_key(path, "x-trailers"), "must be forward or drop",
              "write x-trailers: forward if the fields behind its bodies are to be passed on");
    }
}

} // namespace sallyport::contract

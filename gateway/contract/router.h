// Finds the path template of a contract that matches a request path, in time that does not depend
// on the number of templates (of those of a list alone: RouterLimits).
#pragma once

#include "gateway/contract/path_template.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sallyport::contract {

struct Operation;

/// One path of a contract with the operations on it.
struct PathItem {
    struct Method {
        std::string name; // as it is sent
        std::uint32_t operation = 0;
    };

    std::string path; // the template: "/v1/organizations/{organizationId}"
    std::vector<std::string> parameter_names;
    std::vector<std::uint8_t> parameter_segments; // index of the segment of each parameter
    // The segments with several parameters, which may have several readings.
    struct SharedSegment {
        std::size_t first = 0; // the index of its first parameter
        SegmentLiterals literals;
    };
    std::vector<SharedSegment> shared_segments;
    std::vector<Method> methods;
    std::string allow; // value of the header field `Allow` (RFC 9110, 10.2.1): "GET, PUT"

    /// The operation of a method, by index. Methods are case-sensitive (RFC 9110, 9.1). HEAD is GET
    /// without content (9.3.2): if only GET is declared, HEAD has its operation.
    [[nodiscard]] std::optional<std::uint32_t> find(std::string_view method) const noexcept;
};

/// Parts of a path, at most `Most`. Storage of which only the used part is written and copied.
template <std::size_t Most>
class PathParts {
public:
    PathParts() noexcept {} // NOLINT(modernize-use-equals-default): leaves the parts unset
    PathParts(PathParts const& other) noexcept { take(other); }
    PathParts& operator=(PathParts const& other) noexcept {
        take(other);
        return *this;
    }
    ~PathParts() = default;

    /// Sets their number, at most `Most`; new ones have to be set before they are read.
    void set_size(std::size_t size) noexcept { size_ = size; }
    [[nodiscard]] std::string_view* data() noexcept { return parts_.data(); }
    [[nodiscard]] std::string_view& operator[](std::size_t at) noexcept { return parts_[at]; }
    [[nodiscard]] std::string_view operator[](std::size_t at) const noexcept { return parts_[at]; }

private:
    void take(PathParts const& other) noexcept {
        size_ = other.size_;
        for (std::size_t at = 0; at < size_; ++at)
            parts_[at] = other.parts_[at];
    }

    std::size_t size_ = 0;
    union {
        std::array<std::string_view, Most> parts_;
    };
};

/// The raw values of the parameters of a path, in the order of the template.
using PathValues = PathParts<max_path_parameters>;

/// A matched path template with the raw values (still percent-encoded) of its parameters: views
/// into the path that was passed to route().
struct RouteMatch {
    PathItem const* item = nullptr; // null: no path of the contract
    PathValues parameters;

    /// Whether a path was matched.
    [[nodiscard]] explicit operator bool() const noexcept { return item != nullptr; }
    /// The value of a parameter by its name in the contract; nullopt: the path has no such
    /// parameter.
    [[nodiscard]] std::optional<std::string_view> parameter(std::string_view name) const noexcept;
    /// Sets the values of the next reading of the path, for segments with several parameters:
    /// `x-y-z` as `{a}-{b}` is `x` and `y-z`, then `x-y` and `z`. False: there was no further one,
    /// and the values are those of the first. A path has at most max_readings of them.
    [[nodiscard]] bool next_reading() noexcept;
};

/// What a template says of the parameters: the path with their names and segments, without methods.
[[nodiscard]] PathItem make_path_item(std::string path, PathTemplate const& segments);

/// A segment of a template as lenient upstreams compare it: the texts before, between and behind its
/// parameters. One: it is a literal. None: it is a parameter alone, or too long for any literal.
using LooseSegment = std::vector<std::string>;
using LooseSegments = std::vector<LooseSegment>;
/// Splits a path that begins with a slash, without empty segments at its end: lenient upstreams take
/// `/a/` for `/a`.
[[nodiscard]] LooseSegments split_loosely(std::string_view path);

/// Limits of the automaton; what lies beyond them is found by comparing templates.
struct RouterLimits {
    std::size_t states = 100'000;
    std::size_t patterns = 16'384;  // mixed segments in one place of paths that begin alike
    std::size_t steps = 50'000'000; // of making it; of one state an eighth
};

/// Longer segments are not compared with mixed ones: where there are any, they match nothing.
inline constexpr std::size_t longest_segment = 4096;

/// Immutable once built: a deterministic automaton over segments. A state is the set of templates
/// that still match, so that matching never goes back, whatever a client sends; the same set at
/// the same depth is one state, wherever it is reached from. Beyond the limits a set of templates
/// stays a list (Wide), and each of them is compared with the segments that follow.
class Router {
public:
    Router() = default;
    /// `items` and `templates` have the same order; no two templates may be Overlap::same.
    Router(std::vector<PathItem> items, std::vector<PathTemplate> templates,
           RouterLimits const& limits = {});

    /// The number of states, and of the lists of templates that are beyond its limits.
    [[nodiscard]] std::size_t states() const noexcept { return states_.size(); }
    [[nodiscard]] std::size_t lists() const noexcept { return wide_.size(); }

    /// Matches `path`: raw, without query. Literals are compared byte for byte. A parameter takes
    /// one non-empty segment, or its part of one, except one that an upstream may take for a
    /// literal or a mixed segment in its place: another spelling or letter case of it, or with dots
    /// or white space at its ends. The values are those of the first reading. A path with more than
    /// max_readings matches nothing, and neither does one of two templates of which neither takes
    /// precedence (find_precedence()).
    [[nodiscard]] RouteMatch route(std::string_view path) const noexcept;
    /// The same without the slash at the end of `path`, or with one added.
    [[nodiscard]] RouteMatch route_with_other_end(std::string_view path) const;

    /// Whether an upstream may take `path` for one of a template: both have the same segments as
    /// lenient upstreams compare them, with or without a slash at the end. Compares with every
    /// template: for paths that route() does not match.
    [[nodiscard]] bool resembles(std::string_view path) const;

    [[nodiscard]] std::vector<PathItem> const& items() const noexcept { return items_; }
    /// Of each template its segments as lenient upstreams compare them, without empty ones at its
    /// end.
    [[nodiscard]] std::vector<LooseSegments> const& loose_templates() const noexcept {
        return loose_templates_;
    }

private:
    static constexpr std::uint32_t nowhere = UINT32_MAX;
    // A target with this bit is one of wide_, or nowhere.
    static constexpr std::uint32_t is_wide = std::uint32_t{1} << 31;

    // A transition for a literal segment, or for what lenient upstreams take for one.
    struct Edge {
        std::uint64_t head = 0; // the first and last bytes: see find_edge()
        std::uint64_t tail = 0;
        std::uint32_t text = 0; // its offset in literals_
        std::uint32_t size = 0;
        std::uint32_t target = nowhere; // nowhere: an empty slot
    };
    // A hash table within edges_: its number of slots is a power of two, at most half of them in
    // use.
    struct Table {
        std::uint32_t first_slot = 0;
        std::uint32_t slot_mask = 0; // 0: it is empty
    };
    struct State {
        Table literals;
        std::uint32_t other = nowhere; // the target for any segment that is not one of the others
        std::uint32_t mixed = nowhere; // its mixed segments: into mixed_
        // The template that ends here; with the bit is_mixed_item if it has mixed segments.
        std::uint32_t item = nowhere;
        // If there is such an `other` or `mixed`: the literals as lenient upstreams compare them,
        // and a bit for each value of the lower five bits of a character: whether any of them
        // begins with it. All bits if there are mixed segments.
        Table loose_literals;
        std::uint32_t loose_beginnings = 0;
    };
    // The same bit for both cases of a letter.
    [[nodiscard]] static constexpr std::uint32_t bit_of_beginning(char c) noexcept {
        return std::uint32_t{1} << (static_cast<unsigned char>(c) & 31U);
    }
    static constexpr std::uint32_t is_mixed_item = std::uint32_t{1} << 31;

    // The patterns whose first and last literals have these lengths, by both of them joined.
    struct Ends {
        std::size_t first = 0;
        std::size_t last = 0;
        Table table; // the targets are numbers of buckets
    };
    struct Index {
        std::vector<Ends> ends;
        std::vector<std::vector<std::uint16_t>> buckets; // numbers of patterns
    };
    struct Mixed {
        std::vector<SegmentPattern> patterns;
        Index as_sent;     // by their literals,
        Index as_compared; // and by those of lenient upstreams
        Table sets;        // the target for a set of patterns, by the bytes of their numbers
    };
    // The patterns that a segment fits.
    struct Fitting {
        static constexpr std::size_t max_count = 8; // a segment of more matches nothing
        std::array<std::uint16_t, max_count> numbers;
        std::size_t count = 0;

        [[nodiscard]] bool add(std::uint16_t number) noexcept;
        [[nodiscard]] std::string_view key() const noexcept {
            return {reinterpret_cast<char const*>(numbers.data()), count * sizeof numbers[0]};
        }
    };
    using Alive = std::vector<std::uint32_t>;
    // How templates go on from a state.
    struct Continuations;
    // The templates of a state that is beyond the limits, after `depth` segments.
    struct Wide {
        Alive templates;
        std::size_t depth = 0;
    };

    std::uint32_t add_state(Alive const& alive, std::size_t depth);
    std::uint32_t add_new_state(Alive const& alive, std::size_t depth);
    [[nodiscard]] std::optional<std::vector<Fitting>> sets_of(Continuations const& all);
    [[nodiscard]] std::uint32_t choose_item(Alive const& ending) const;
    [[nodiscard]] Continuations continuations_of(Alive const& alive, std::size_t depth) const;
    void add_literals(std::uint32_t number, Continuations const& all, std::size_t depth);
    std::uint32_t add_mixed(Continuations const& all, std::vector<Fitting> const& sets,
                            std::size_t depth);
    void add_index(Index& index, Mixed const& mixed, bool is_loose);
    void add_loose_literals(State& state, Continuations const& all);
    [[nodiscard]] Table add_table(std::size_t entries);
    void add_edge(Table const& table, std::string_view text, std::uint32_t target);
    // nowhere: the text is not in the table.
    [[nodiscard]] std::uint32_t find_edge(Table const& table, std::string_view text) const noexcept;
    [[nodiscard]] bool may_be_read_as_literal(State const& state,
                                              std::string_view segment) const noexcept;
    [[nodiscard]] std::uint32_t find_other(State const& state,
                                           std::string_view segment) const noexcept;
    [[nodiscard]] std::uint32_t find_mixed(Mixed const& mixed, std::uint32_t other,
                                           std::string_view segment) const noexcept;
    [[nodiscard]] bool collect(Fitting& fitting, Mixed const& mixed, Index const& index,
                               std::string_view key, std::string_view segment,
                               std::string_view loose) const noexcept;
    [[nodiscard]] RouteMatch match_mixed(std::uint32_t item,
                                         std::string_view const* segments) const noexcept;
    // router_wide.cpp
    [[nodiscard]] RouteMatch route_in_list(std::uint32_t target, std::string_view path) const;
    [[nodiscard]] Alive go_on(Alive const& alive, std::size_t depth,
                              std::string_view segment) const;
    [[nodiscard]] bool is_loosely(std::uint32_t index, std::size_t depth,
                                  std::string_view loose) const;

    std::vector<PathItem> items_;
    std::vector<PathTemplate> templates_;
    std::vector<State> states_;
    std::vector<Mixed> mixed_;
    std::vector<Edge> edges_;
    std::string literals_;
    RouterLimits limits_;
    std::vector<Wide> wide_;
    // While it is made: its steps, and the state of each set of templates at each depth.
    std::size_t steps_ = 0;
    std::map<std::pair<std::size_t, Alive>, std::uint32_t> known_;
    // Of each template, as lenient upstreams compare its segments: nothing of a parameter, the
    // literals of a mixed segment, a literal.
    std::vector<LooseSegments> loose_templates_;
};

} // namespace sallyport::contract

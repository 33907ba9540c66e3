// Finds the path of a contract that a request path names: a walk over its segments, whatever the
// number of paths.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sallyport::contract {

struct Operation;

inline constexpr std::size_t max_path_segments = 32;
inline constexpr std::size_t max_path_parameters = 8;

/// One path of a contract with the operations on it.
struct PathItem {
    struct Method {
        std::string name; // upper case
        std::uint32_t operation = 0;
    };

    std::string path; // the template: "/v1/organizations/{organizationId}"
    std::vector<std::string> parameter_names;
    std::vector<std::uint8_t> parameter_segments; // which segment of the path each parameter is
    std::vector<Method> methods;
    std::string allow; // for the field `Allow` (RFC 9110, 10.2.1): "GET, PUT"

    /// Methods are compared as they are: they are case-sensitive (RFC 9110, 9.1). HEAD is GET
    /// without the content of the response (9.3.2): where only GET is there, it is that operation.
    [[nodiscard]] std::optional<std::uint32_t> find(std::string_view method) const noexcept;
};

/// A path that was found, with the raw text (still percent-encoded) of its parameters: views into
/// the path asked for.
struct RouteMatch {
    PathItem const* item = nullptr; // null: no path of the contract
    std::array<std::string_view, max_path_parameters> parameters{};

    [[nodiscard]] explicit operator bool() const noexcept { return item != nullptr; }
    /// By name of the contract; nullopt: the path has no such parameter.
    [[nodiscard]] std::optional<std::string_view> parameter(std::string_view name) const noexcept;
};

/// A path template cut at its slashes. `name` is a literal, or what stands between the braces.
struct TemplateSegment {
    enum class Kind : std::uint8_t { literal, parameter };
    Kind kind = Kind::literal;
    std::string name;
};
using PathTemplate = std::vector<TemplateSegment>;

/// The parts of "/v1/pipes/{pipeId}", or what is wrong with it, in words for a problem.
struct ParsedTemplate {
    PathTemplate segments;
    std::string error; // empty: none
    std::string hint;  // what to write instead
};
[[nodiscard]] ParsedTemplate parse_path_template(std::string_view text);

/// How two templates of one contract stand to each other. A literal segment goes before a parameter,
/// so that `/a/me` and
/// `/a/{id}` may stand side by side; `/a/{x}` and `/a/{y}`, or `/{x}/b` and `/a/{y}`, may not.
enum class Overlap : std::uint8_t { none, ordered, ambiguous };
[[nodiscard]] Overlap compare_templates(PathTemplate const& left,
                                        PathTemplate const& right) noexcept;

/// Immutable once built: a deterministic automaton over segments. A state is the set of paths that
/// still fit, so that nothing is ever tried twice, whatever a client sends.
class Router {
public:
    Router() = default;
    /// `items` and `templates` go together; no two of them may be Overlap::ambiguous.
    Router(std::vector<PathItem> items, std::vector<PathTemplate> templates);

    /// `path` is raw, without query: segments are compared byte for byte, a parameter takes one
    /// non-empty segment, but none that some upstream may take for a literal in its place: one in
    /// another spelling or letter case, or with dots or white space at its ends.
    [[nodiscard]] RouteMatch route(std::string_view path) const noexcept;
    /// The same with the slash at the end of `path` left off, or with one put there.
    [[nodiscard]] RouteMatch route_with_other_end(std::string_view path) const;

    /// Whether some upstream may take `path` for one of a template: the segments of both are the
    /// same as lenient upstreams compare them, whether a slash stands at the end or not. Looks at
    /// every template: for paths that no route was found for.
    [[nodiscard]] bool resembles(std::string_view path) const;

    [[nodiscard]] std::vector<PathItem> const& items() const noexcept { return items_; }
    [[nodiscard]] std::vector<PathTemplate> const& templates() const noexcept { return templates_; }

private:
    static constexpr std::uint32_t nowhere = UINT32_MAX;

    // A literal segment that leads on from a state, or what lenient upstreams take for one.
    struct Edge {
        std::uint64_t head = 0; // what tells it from most others of its length: find_edge()
        std::uint64_t tail = 0;
        std::uint32_t text = 0; // where it begins in literals_
        std::uint32_t size = 0;
        std::uint32_t target = nowhere; // nowhere: an empty slot
    };
    // A hash table within edges_: its slots are a power of two, at most half of them full.
    struct Table {
        std::uint32_t first_slot = 0;
        std::uint32_t slot_mask = 0; // 0: it is empty
    };
    struct State {
        Table literals;
        std::uint32_t other = nowhere; // where any segment goes that is none of the literals
        std::uint32_t item = nowhere;  // which path ends here
        // Where there is such an `other`: the literals as lenient upstreams compare them, and for
        // the lower five bits of a character one that says whether any of them begins so.
        Table loose_literals;
        std::uint32_t loose_beginnings = 0;
    };

    std::uint32_t add_state(std::vector<std::uint32_t> const& alive, std::size_t depth);
    void add_loose_literals(State& state, std::vector<std::string_view> const& literals);
    [[nodiscard]] Table add_table(std::size_t entries);
    void add_edge(Table const& table, std::string_view text, std::uint32_t target);
    // nowhere: the text is not in the table.
    [[nodiscard]] std::uint32_t find_edge(Table const& table, std::string_view text) const noexcept;
    [[nodiscard]] bool may_be_read_as_literal(State const& state,
                                              std::string_view segment) const noexcept;

    std::vector<PathItem> items_;
    std::vector<PathTemplate> templates_;
    std::vector<State> states_;
    std::vector<Edge> edges_;
    std::string literals_;
    // As lenient upstreams compare them, of each template; a parameter has none.
    std::vector<std::vector<std::optional<std::string>>> loose_templates_;
};

} // namespace sallyport::contract

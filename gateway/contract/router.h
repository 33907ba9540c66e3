// Finds the path template of a contract that matches a request path, in time that does not depend
// on the number of templates.
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

/// Limits of a path template; a template beyond them does not load.
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
    std::vector<std::uint8_t> parameter_segments; // index of the segment of each parameter
    std::vector<Method> methods;
    std::string allow; // value of the header field `Allow` (RFC 9110, 10.2.1): "GET, PUT"

    /// The operation of a method, by index. Methods are case-sensitive (RFC 9110, 9.1). HEAD is GET
    /// without content (9.3.2): if only GET is declared, HEAD has its operation.
    [[nodiscard]] std::optional<std::uint32_t> find(std::string_view method) const noexcept;
};

/// A matched path template with the raw values (still percent-encoded) of its parameters: views
/// into the path that was passed to route().
struct RouteMatch {
    PathItem const* item = nullptr; // null: no path of the contract
    std::array<std::string_view, max_path_parameters> parameters{};

    /// Whether a path was matched.
    [[nodiscard]] explicit operator bool() const noexcept { return item != nullptr; }
    /// The value of a parameter by its name in the contract; nullopt: the path has no such
    /// parameter.
    [[nodiscard]] std::optional<std::string_view> parameter(std::string_view name) const noexcept;
};

/// A segment of a path template. `name` is the literal, or the name between the braces.
struct TemplateSegment {
    enum class Kind : std::uint8_t { literal, parameter };
    Kind kind = Kind::literal;
    std::string name;
};
using PathTemplate = std::vector<TemplateSegment>;

/// The segments of "/v1/pipes/{pipeId}", or an error message for a problem.
struct ParsedTemplate {
    PathTemplate segments;
    std::string error; // empty: none
    std::string hint;  // what to write instead
};
/// Parses a path template (OpenAPI 3.1, 4.8.8.1).
[[nodiscard]] ParsedTemplate parse_path_template(std::string_view text);

/// How two templates of one contract overlap. A literal segment takes precedence over a parameter,
/// so that `/a/me` and `/a/{id}` may both be declared; `/a/{x}` and `/a/{y}`, or `/{x}/b` and
/// `/a/{y}`, may not.
enum class Overlap : std::uint8_t { none, ordered, ambiguous };
[[nodiscard]] Overlap compare_templates(PathTemplate const& left,
                                        PathTemplate const& right) noexcept;

/// The segments of a path as lenient upstreams compare them; none: too long for any literal.
using LooseSegments = std::vector<std::optional<std::string>>;
/// Splits a path that begins with a slash, without empty segments at its end: lenient upstreams
/// take
/// `/a/` for `/a`.
[[nodiscard]] LooseSegments split_loosely(std::string_view path);

/// Immutable once built: a deterministic automaton over segments. A state is the set of templates
/// that still match, so that matching never goes back, whatever a client sends.
class Router {
public:
    Router() = default;
    /// `items` and `templates` have the same order; no two templates may be Overlap::ambiguous.
    Router(std::vector<PathItem> items, std::vector<PathTemplate> templates);

    /// Matches `path`: raw, without query. Literals are compared byte for byte. A parameter takes
    /// one non-empty segment, except one that an upstream may take for a literal in its place:
    /// another spelling or letter case of it, or with dots or white space at its ends.
    [[nodiscard]] RouteMatch route(std::string_view path) const noexcept;
    /// The same without the slash at the end of `path`, or with one added.
    [[nodiscard]] RouteMatch route_with_other_end(std::string_view path) const;

    /// Whether an upstream may take `path` for one of a template: both have the same segments as
    /// lenient upstreams compare them, with or without a slash at the end. Compares with every
    /// template: for paths that route() does not match.
    [[nodiscard]] bool resembles(std::string_view path) const;

    [[nodiscard]] std::vector<PathItem> const& items() const noexcept { return items_; }
    /// Of each template its segments as lenient upstreams compare them: see split_loosely(). A
    /// parameter has no text.
    [[nodiscard]] std::vector<LooseSegments> const& loose_templates() const noexcept {
        return loose_templates_;
    }

private:
    static constexpr std::uint32_t nowhere = UINT32_MAX;

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
        std::uint32_t other = nowhere; // the target for any segment that is not one of the literals
        std::uint32_t item = nowhere;  // the template that ends here
        // If there is such an `other`: the literals as lenient upstreams compare them, and a bit
        // for each value of the lower five bits of a character: whether any of them begins with it.
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
    std::vector<LooseSegments> loose_templates_;
};

} // namespace sallyport::contract

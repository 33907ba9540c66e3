// A parsed JSONPath query (RFC 9535, 2): segments of selectors, and the expressions of filters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sallyport::contract::jsonpath {

struct Expression;

/// RFC 9535, 2.3.
struct Selector {
    enum class Kind : std::uint8_t { name, wildcard, index, slice, filter };

    Kind kind = Kind::wildcard;
    std::string name;
    std::int64_t index = 0;
    std::optional<std::int64_t> start; // of a slice
    std::optional<std::int64_t> end;
    std::int64_t step = 1;
    std::shared_ptr<Expression const> filter;
};

/// RFC 9535, 2.5.
struct Segment {
    enum class Reach : std::uint8_t { children, descendants };

    Reach reach = Reach::children;
    std::vector<Selector> selectors; // at least one
};

struct Query {
    enum class Start : std::uint8_t { root, current };

    Start start = Start::root;
    std::vector<Segment> segments;

    /// RFC 9535, 2.3.5.1: whether it selects one node at most, whatever the document is.
    [[nodiscard]] bool is_singular() const noexcept {
        for (Segment const& segment : segments) {
            if (segment.reach == Segment::Reach::descendants || segment.selectors.size() != 1)
                return false;
            auto const kind = segment.selectors.front().kind;
            if (kind != Selector::Kind::name && kind != Selector::Kind::index) return false;
        }
        return true;
    }
};

/// RFC 9535, 2.4.4 to 2.4.8.
enum class Function : std::uint8_t { length, count, match, search, value };

enum class Comparison : std::uint8_t {
    equal,
    not_equal,
    less,
    less_or_equal,
    greater,
    greater_or_equal
};

/// A literal of a filter: null, true, false, a number or a string.
struct Literal {
    enum class Kind : std::uint8_t { null, boolean, integer, number, string };

    Kind kind = Kind::null;
    bool boolean = false;
    std::int64_t integer = 0;
    double number = 0; // of an integer too
    std::string text;
};

/// A part of a filter (RFC 9535, 2.3.5.1).
struct Expression {
    enum class Kind : std::uint8_t {
        any_of,     // parts
        all_of,     // parts
        negation,   // one part
        comparison, // two parts: literals, singular queries, functions
        literal,
        query,    // as a test: whether it selects any node
        function, // parts are its arguments
    };

    Kind kind = Kind::literal;
    Comparison comparison = Comparison::equal;
    Function function = Function::length;
    std::vector<Expression> parts;
    Literal literal;
    Query query;
};

} // namespace sallyport::contract::jsonpath

// Path templates of a contract: their segments, which texts a segment matches, and how two
// templates overlap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::contract {

/// Limits of a path template; a template beyond them does not load.
inline constexpr std::size_t max_path_segments = 32;
inline constexpr std::size_t max_path_parameters = 32;
/// Length of the longest literal, in its normalized spelling: a longer segment is not one.
inline constexpr std::size_t max_path_literal = 255;

/// How many readings of one path are considered; a path with more matches nothing.
inline constexpr std::size_t max_readings = 64;

/// The literals of a segment with parameters: the texts before, between and behind them, one more
/// than those. Only the first and the last may be empty.
using SegmentLiterals = std::vector<std::string>;

/// Reads `text` as `literals[0] value literals[1] value ... literals[n]`: writes the values, views
/// into it, to `values` and the elements behind it. No value is empty, and each is as short as
/// possible, the first one first. False: there is no such reading. Takes one search per literal.
[[nodiscard]] bool read_first(SegmentLiterals const& literals, std::string_view text,
                              std::string_view* values) noexcept;
/// Replaces the values of a reading by those of the next one, in which a value is longer and those
/// behind it are again as short as possible. False: it was the last one, and the values are those
/// of the first. Takes at most one search per pair of literals.
[[nodiscard]] bool read_next(SegmentLiterals const& literals, std::string_view* values) noexcept;
/// The number of readings; max_readings + 1 if there are more.
[[nodiscard]] std::size_t count_readings(SegmentLiterals const& literals,
                                         std::string_view text) noexcept;

/// A segment that mixes literals and parameters: `{id}.json`, `v{major}-{minor}`.
class SegmentPattern {
public:
    /// Whether a segment is one of this pattern. `unclear`: servers may disagree on it. The two
    /// spellings have not the same number of readings, or more than max_readings.
    enum class Fit : std::uint8_t { no, yes, unclear };

    SegmentPattern() = default;
    explicit SegmentPattern(SegmentLiterals literals);

    /// Compares a raw segment, and its loose spelling (text/loose_spelling.h).
    [[nodiscard]] Fit fit(std::string_view segment, std::string_view loose) const noexcept;

    [[nodiscard]] SegmentLiterals const& literals() const noexcept { return literals_; }
    /// The same as lenient upstreams compare them.
    [[nodiscard]] SegmentLiterals const& loose_literals() const noexcept { return loose_; }

private:
    SegmentLiterals literals_;
    SegmentLiterals loose_;
};

/// A segment of a path template.
struct TemplateSegment {
    enum class Kind : std::uint8_t { literal, parameter, mixed };
    Kind kind = Kind::literal;
    std::string name;               // the literal, or the name between the braces
    std::vector<std::string> names; // of a mixed one: its parameters, from left to right
    SegmentPattern pattern;         // of a mixed one
};
using PathTemplate = std::vector<TemplateSegment>;

/// The segments of "/v1/pipes/{pipeId}", or an error message for a problem.
struct ParsedTemplate {
    PathTemplate segments;
    std::string error; // empty: none
    std::string hint;  // what to write instead
};
/// The template with its literals as requests are compared with them (RFC 3986, 6.2.2): characters
/// that a path cannot have, such as `^`, and escapes of those that it can, in one spelling. What no
/// request may contain stays as it is.
[[nodiscard]] std::string normalized_template(std::string_view text);

/// Parses a path template (OpenAPI 3.1, 4.8.8.1).
[[nodiscard]] ParsedTemplate parse_path_template(std::string_view text);

/// How two templates of one contract overlap.
enum class Overlap : std::uint8_t {
    none,    // no path matches both
    ordered, // one of them is at least as specific in every segment: `/a/me` and `/a/{id}`
    crossed, // each is more specific somewhere, or neither: `/{x}/b` and `/a/{y}`
    same,    // equal but for names of parameters and letter case beside them
};
[[nodiscard]] Overlap compare_templates(PathTemplate const& left, PathTemplate const& right);

/// Which of two templates that match one path takes precedence (OpenAPI 3.1, 4.8.8.2: concrete
/// ones first): in the first segment in which they differ, a literal comes before a mixed segment,
/// and that before a parameter. Of two mixed ones the one that begins with the longer literal takes
/// precedence, then the one that ends with the longer one, then the one that is a case of the other
/// (`{a}-{b}-{c}` before `{a}-{b}`). `none`: neither, as for `/{a}-{b}` and `/{a}.{b}`.
enum class Precedence : std::uint8_t { none, left, right };
[[nodiscard]] Precedence find_precedence(PathTemplate const& left, PathTemplate const& right);

/// Whether a segment may match both patterns, as far as their ends tell.
[[nodiscard]] bool may_share_segment(SegmentPattern const& left,
                                     SegmentPattern const& right) noexcept;

} // namespace sallyport::contract

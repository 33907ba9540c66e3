// Parses and compares path templates.
#include "gateway/contract/path_template.h"

#include "gateway/contract/text/loose_spelling.h"
#include "gateway/text/ascii.h"
#include "gateway/text/percent.h"
#include "gateway/text/utf8.h"

#include <algorithm>
#include <array>

namespace sallyport::contract {

namespace {

// RFC 3986, 3.3: pchar without percent-encoding; all other characters of a literal are encoded.
[[nodiscard]] bool is_literal_character(char c) noexcept {
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')) return true;
    return std::string_view{"-._~!$&'()*+,=:@"}.find(c) != std::string_view::npos;
}

struct Spelling {
    std::array<char, max_path_literal> storage;
    std::size_t size = 0;

    [[nodiscard]] std::string_view text() const noexcept { return {storage.data(), size}; }
};

// Normalizes a segment for comparison with literals (RFC 3986, 6.2.2): only the necessary escapes,
// in upper case. False: the result would be too long, or there is an invalid escape.
[[nodiscard]] bool respell(std::string_view segment, Spelling& out) noexcept {
    constexpr std::string_view digits = "0123456789ABCDEF";
    out.size = 0;
    for (std::size_t i = 0; i < segment.size(); ++i) {
        char c = segment[i];
        if (c == '%') {
            int const escaped = text::escaped_byte(segment, i);
            if (escaped < 0) return false;
            c = static_cast<char>(escaped);
            i += 2;
        }
        bool const is_plain = is_literal_character(c);
        if (out.size + (is_plain ? 1 : 3) > max_path_literal) return false;
        if (is_plain) {
            out.storage[out.size++] = c;
            continue;
        }
        auto const byte = static_cast<unsigned char>(c);
        out.storage[out.size++] = '%';
        out.storage[out.size++] = digits[byte >> 4U];
        out.storage[out.size++] = digits[byte & 15U];
    }
    return true;
}

// Whether every byte of it passes the policy for request targets (gateway/http/target.cpp).
[[nodiscard]] bool may_be_sent(std::string_view segment) {
    auto const decoded = text::percent_decoded(segment);
    if (!decoded) return false;
    for (std::string_view rest = *decoded; !rest.empty();) {
        std::size_t const length = text::utf8_length(rest);
        auto const byte = static_cast<unsigned char>(rest.front());
        bool const is_refused =
            byte < 0x20 || byte == 0x7f
            || std::string_view{"/\\?#;"}.find(rest.front()) != std::string_view::npos;
        if (length == 0 || is_refused) return false;
        rest.remove_prefix(length);
    }
    return true;
}

void check_literal(ParsedTemplate& result, std::string_view name) {
    Spelling spelling;
    if (!may_be_sent(name)) {
        result.error = "has characters that no request path may contain, encoded or not";
        result.hint = "write UTF-8, without controls, escaped slashes and \\ ? # ;";
    } else if (!respell(name, spelling)) {
        result.error =
            "has a segment of more than " + std::to_string(max_path_literal) + " characters";
    } else if (spelling.text() != name) {
        // Requests are only matched in this spelling: Router::route().
        result.error = "has a segment that is not in its normalized spelling";
        result.hint = "write " + std::string{spelling.text()};
    }
}

void check_whole_literal(ParsedTemplate& result, std::string_view name, bool is_last) {
    if (name.empty()) {
        if (is_last) return;
        result.error = "has an empty segment";
        result.hint = "write one slash";
    } else if (name == "." || name == "..") {
        result.error = "has a dot segment";
        result.hint = "write the path that it leads to";
    } else {
        check_literal(result, name);
    }
}

[[nodiscard]] std::string loose(std::string_view text, Trim trim) {
    LooseSpelling spelling;
    // A literal has no invalid escape, and is short enough.
    (void)spelling.take(text, trim);
    return std::string{spelling.text()};
}

// Lenient upstreams remove white space and dots at the ends of a segment. They must not be a part
// of its literals, which could not be compared then.
[[nodiscard]] bool has_ends_that_are_trimmed(std::vector<std::string> const& literals) {
    auto const begin = literals.front() + 'x';
    auto const end = 'x' + literals.back();
    return loose(begin, Trim::yes) != loose(begin, Trim::no)
           || loose(end, Trim::yes) != loose(end, Trim::no);
}

// The literals and the parameters of a segment with braces.
void read_parameters(ParsedTemplate& result, std::string_view text) {
    TemplateSegment segment;
    std::vector<std::string> literals;
    for (;;) {
        auto const open = std::min(text.find('{'), text.size());
        literals.emplace_back(text.substr(0, open));
        bool const is_between = !segment.names.empty() && open != text.size();
        if (literals.back().find('}') != std::string::npos) break;
        if (literals.back().empty() && is_between) {
            result.error = "has two parameters without a literal between them";
            result.hint = "write one parameter for both, or a literal between them";
            return;
        }
        check_literal(result, literals.back());
        if (!result.error.empty()) return;
        if (open == text.size()) {
            result.segments.push_back(std::move(segment));
            result.segments.back().pattern = SegmentPattern{std::move(literals)};
            return;
        }
        auto const close = text.find_first_of("{}", open + 1);
        if (close == std::string_view::npos || text[close] == '{' || close == open + 1) break;
        segment.names.emplace_back(text.substr(open + 1, close - open - 1));
        text.remove_prefix(close + 1);
    }
    result.error = "has a brace without the other one, or without a name between them";
    result.hint = "write {name}";
}

// A parameter that is all of its segment is one of its own kind.
void settle_kind(ParsedTemplate& result) {
    auto& segment = result.segments.back();
    auto const& literals = segment.pattern.literals();
    if (literals.size() == 2 && literals[0].empty() && literals[1].empty()) {
        segment = {TemplateSegment::Kind::parameter, std::move(segment.names[0]), {}, {}};
        return;
    }
    segment.kind = TemplateSegment::Kind::mixed;
    std::size_t size = 0;
    for (auto const& literal : literals)
        size += literal.size();
    if (size > max_path_literal) {
        result.error =
            "has a segment of more than " + std::to_string(max_path_literal) + " characters";
    } else if (has_ends_that_are_trimmed(literals)) {
        result.error = "has a parameter beside white space or a dot at the end of its segment";
        result.hint = "write the segment as one parameter, with a pattern";
    }
}

// Fragments and queries are not part of a path (RFC 3986, 3.3): a client never sends the one, and
// the other is matched by its parameters.
[[nodiscard]] bool is_all_path(ParsedTemplate& result, std::string_view text) {
    auto const at = text.find_first_of("?#");
    if (at == std::string_view::npos) return true;
    if (text[at] == '?') {
        result.error = "has a query";
        result.hint = "write the path without it, and its names as parameters with in: query";
    } else {
        result.error = "has a fragment, which clients do not send";
        result.hint = "remove it, and write paths that differ only in it as one";
    }
    return false;
}

} // namespace

namespace {

// Sets the values from `first` on, each as short as possible. `text` begins with the first value or
// before it, and ends with the last one. False: there is no room for them.
[[nodiscard]] bool place_values(SegmentLiterals const& literals, std::string_view text,
                                std::size_t first, std::size_t at,
                                std::string_view* values) noexcept {
    std::size_t const last = literals.size() - 2;
    for (std::size_t i = first; i < last; ++i) {
        auto const end = text.find(literals[i + 1], at + 1);
        if (end == std::string_view::npos) return false;
        values[i] = text.substr(at, end - at);
        at = end + literals[i + 1].size();
    }
    if (at >= text.size()) return false;
    values[last] = text.substr(at);
    return true;
}

} // namespace

bool read_first(SegmentLiterals const& literals, std::string_view text,
                std::string_view* values) noexcept {
    auto const& first = literals.front();
    auto const& last = literals.back();
    bool const may_be =
        text.size() > first.size() + last.size() && text.starts_with(first) && text.ends_with(last);
    if (!may_be) return false;
    text.remove_suffix(last.size());
    return place_values(literals, text, 0, first.size(), values);
}

// Never goes back further than to the value before: a literal that is moved to the right only
// leaves less room for those behind it, so that a value that cannot become longer once never can.
bool read_next(SegmentLiterals const& literals, std::string_view* values) noexcept {
    std::size_t const last = literals.size() - 2;
    char const* const begin = values[0].data();
    std::string_view const text{
        begin, static_cast<std::size_t>(values[last].data() + values[last].size() - begin)};
    for (std::size_t i = last; i-- > 0;) {
        auto const at = static_cast<std::size_t>(values[i].data() - begin);
        auto const& literal = literals[i + 1];
        auto const end = text.find(literal, at + values[i].size() + 1);
        if (end == std::string_view::npos) continue;
        if (!place_values(literals, text, i + 1, end + literal.size(), values)) continue;
        values[i] = text.substr(at, end - at);
        return true;
    }
    // There is the first one.
    (void)place_values(literals, text, 0, 0, values);
    return false;
}

std::size_t count_readings(SegmentLiterals const& literals, std::string_view text) noexcept {
    // Not initialized: only elements that were written are read.
    std::array<std::string_view, max_path_parameters> values;
    if (!read_first(literals, text, values.data())) return 0;
    std::size_t count = 1;
    while (count <= max_readings && read_next(literals, values.data()))
        ++count;
    return count;
}

SegmentPattern::SegmentPattern(SegmentLiterals literals) : literals_{std::move(literals)} {
    for (auto const& literal : literals_)
        loose_.push_back(loose(literal, Trim::no));
}

SegmentPattern::Fit SegmentPattern::fit(std::string_view segment,
                                        std::string_view loose) const noexcept {
    auto const as_sent = count_readings(literals_, segment);
    auto const as_compared = count_readings(loose_, loose);
    if (as_sent != as_compared || as_sent > max_readings) return Fit::unclear;
    return as_sent == 0 ? Fit::no : Fit::yes;
}

std::string normalized_template(std::string_view text) {
    constexpr std::string_view kept = "/{}?#;\\%";
    std::string out;
    bool is_name = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        char c = text[i];
        is_name = c == '{' || (is_name && c != '}');
        int const escaped = c == '%' && !is_name ? text::escaped_byte(text, i) : -1;
        if (escaped >= 0) {
            c = static_cast<char>(escaped);
            i += 2;
        }
        bool const stays =
            is_name || is_literal_character(c)
            || (escaped < 0 && (text::is_control(c) || kept.find(c) != std::string_view::npos));
        if (stays) {
            out += c;
        } else {
            text::append_escape(out, c);
        }
    }
    return out;
}

ParsedTemplate parse_path_template(std::string_view text) {
    ParsedTemplate result;
    if (text.empty() || text.front() != '/') {
        result.error = "does not begin with a slash";
        result.hint = "begin it with /";
        return result;
    }
    if (!is_all_path(result, text)) return result;
    std::size_t parameters = 0;
    for (std::size_t at = 1;;) {
        std::size_t const slash = std::min(text.find('/', at), text.size());
        std::string_view const segment = text.substr(at, slash - at);
        if (segment.find_first_of("{}") == std::string_view::npos) {
            check_whole_literal(result, segment, slash == text.size());
            result.segments.push_back(
                {TemplateSegment::Kind::literal, std::string{segment}, {}, {}});
        } else {
            read_parameters(result, segment);
            if (!result.error.empty()) return result;
            parameters += result.segments.back().names.size();
            settle_kind(result);
        }
        if (!result.error.empty()) return result;
        if (slash == text.size()) break;
        at = slash + 1;
    }
    if (result.segments.size() > max_path_segments) result.error = "has more than 32 segments";
    if (parameters > max_path_parameters) result.error = "has more than 32 parameters";
    return result;
}

namespace {

enum class Order : std::uint8_t { disjoint, same, left, right, crossed };

// Whether every segment of `special` is one of `general`: a byte that no literal has stands for its
// values.
[[nodiscard]] bool is_within(SegmentPattern const& special, SegmentPattern const& general) {
    std::string text = special.literals().front();
    for (std::size_t i = 1; i < special.literals().size(); ++i)
        text += '\0' + special.literals()[i];
    return count_readings(general.literals(), text) != 0;
}

[[nodiscard]] Order compare_patterns(SegmentPattern const& left, SegmentPattern const& right) {
    if (left.loose_literals() == right.loose_literals()) return Order::same;
    if (!may_share_segment(left, right)) return Order::disjoint;
    bool const is_left = is_within(left, right);
    bool const is_right = is_within(right, left);
    if (is_left == is_right) return Order::crossed;
    return is_left ? Order::left : Order::right;
}

// Which one is more specific; `left` if that is a literal which the other one matches.
[[nodiscard]] Order compare_literal(std::string const& literal, TemplateSegment const& other) {
    using Kind = TemplateSegment::Kind;
    if (other.kind == Kind::literal) return literal == other.name ? Order::same : Order::disjoint;
    // A parameter does not match an empty segment.
    if (other.kind == Kind::parameter) return literal.empty() ? Order::disjoint : Order::left;
    bool const fits =
        other.pattern.fit(literal, loose(literal, Trim::yes)) != SegmentPattern::Fit::no;
    return fits ? Order::left : Order::disjoint;
}

[[nodiscard]] Order compare_segments(TemplateSegment const& left, TemplateSegment const& right) {
    using Kind = TemplateSegment::Kind;
    if (left.kind == Kind::literal) return compare_literal(left.name, right);
    if (right.kind == Kind::literal) {
        return compare_literal(right.name, left) == Order::left ? Order::right : Order::disjoint;
    }
    if (left.kind == Kind::mixed && right.kind == Kind::mixed) {
        return compare_patterns(left.pattern, right.pattern);
    }
    if (left.kind == right.kind) return Order::same;
    return left.kind == Kind::mixed ? Order::left : Order::right;
}

} // namespace

Overlap compare_templates(PathTemplate const& left, PathTemplate const& right) {
    if (left.size() != right.size()) return Overlap::none;
    bool left_closer = false;
    bool right_closer = false;
    for (std::size_t i = 0; i < left.size(); ++i) {
        auto const order = compare_segments(left[i], right[i]);
        if (order == Order::disjoint) return Overlap::none;
        left_closer = left_closer || order == Order::left || order == Order::crossed;
        right_closer = right_closer || order == Order::right || order == Order::crossed;
    }
    if (left_closer && right_closer) return Overlap::crossed;
    return left_closer || right_closer ? Overlap::ordered : Overlap::same;
}

namespace {

[[nodiscard]] Precedence compare_ends(SegmentPattern const& left, SegmentPattern const& right) {
    auto const longer = [](std::string const& one, std::string const& other) {
        if (one.size() == other.size()) return Precedence::none;
        return one.size() > other.size() ? Precedence::left : Precedence::right;
    };
    auto const by_first = longer(left.literals().front(), right.literals().front());
    if (by_first != Precedence::none) return by_first;
    return longer(left.literals().back(), right.literals().back());
}

} // namespace

Precedence find_precedence(PathTemplate const& left, PathTemplate const& right) {
    for (std::size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
        switch (compare_segments(left[i], right[i])) {
        case Order::left: return Precedence::left;
        case Order::right: return Precedence::right;
        case Order::crossed: return compare_ends(left[i].pattern, right[i].pattern);
        case Order::same:
        case Order::disjoint: break;
        }
    }
    return Precedence::none;
}

bool may_share_segment(SegmentPattern const& left, SegmentPattern const& right) noexcept {
    auto const& a = left.literals();
    auto const& b = right.literals();
    return (a.front().starts_with(b.front()) || b.front().starts_with(a.front()))
           && (a.back().ends_with(b.back()) || b.back().ends_with(a.back()));
}

} // namespace sallyport::contract

// Parses JSONPath queries: segments and selectors (RFC 9535, 2.2 to 2.5).
#include "gateway/contract/overlay/jsonpath_parser.h"

#include "gateway/text/ascii.h"

namespace sallyport::contract::jsonpath {

namespace {

// RFC 9535, 2.5.1.1: name-first.
[[nodiscard]] bool begins_name(char c) noexcept {
    return text::is_letter(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

} // namespace

Parsed parse(std::string_view text) {
    if (text.size() > max_text) {
        return {std::nullopt, 0, "it is longer than " + std::to_string(max_text) + " bytes",
                "write several actions"};
    }
    return Parser{text}.parse();
}

Parsed Parser::parse() {
    Query query;
    if (peek() != '$') {
        fail("a query begins with $, which is the whole document", "write $ in front of it");
        return problem_;
    }
    if (!read_query(query)) return problem_;
    if (!at_end()) {
        fail("neither '.' nor '[' nor the end of the query",
             "put names with other characters than letters, digits and _ in brackets: ['a-b']");
        return problem_;
    }
    return {std::move(query), 0, {}, {}};
}

// `$` or `@`, and segments.
bool Parser::read_query(Query& out) {
    out.start = peek() == '$' ? Query::Start::root : Query::Start::current;
    ++at_;
    return read_segments(out.segments);
}

// Space belongs to a query only if a segment follows.
bool Parser::read_segments(std::vector<Segment>& out) {
    while (true) {
        std::size_t const before = at_;
        skip_space();
        if (peek() != '.' && peek() != '[') {
            at_ = before;
            return true;
        }
        out.emplace_back();
        if (!read_segment(out.back())) return false;
    }
}

bool Parser::read_segment(Segment& out) {
    if (take("..")) {
        out.reach = Segment::Reach::descendants;
        return peek() == '[' ? read_brackets(out) : read_shorthand(out);
    }
    if (take(".")) return read_shorthand(out);
    return read_brackets(out);
}

// `.name` or `.*`.
bool Parser::read_shorthand(Segment& out) {
    Selector& selector = out.selectors.emplace_back();
    if (take("*")) return true;
    std::size_t const begin = at_;
    if (!begins_name(peek())) {
        return fail("a name or * is missing", "put other names in brackets: ['a-b']");
    }
    while (!at_end() && (begins_name(peek()) || text::is_digit(peek())))
        ++at_;
    selector.kind = Selector::Kind::name;
    selector.name = text_.substr(begin, at_ - begin);
    return true;
}

bool Parser::read_brackets(Segment& out) {
    std::size_t const begin = at_;
    ++at_;
    do {
        skip_space();
        if (!read_selector(out.selectors.emplace_back())) return false;
        skip_space();
    } while (take(","));
    if (take("]")) return true;
    return at_end() ? fail_at(begin, "'[' without its ']'", "close it")
                    : fail("',' or ']' is missing");
}

bool Parser::read_selector(Selector& out) {
    char const c = peek();
    if (c == '*') {
        ++at_;
        return true;
    }
    if (c == '\'' || c == '"') {
        out.kind = Selector::Kind::name;
        return read_string(out.name);
    }
    if (c == '?') {
        ++at_;
        out.kind = Selector::Kind::filter;
        skip_space();
        if (++nesting_ > max_nesting) {
            return fail("more than " + std::to_string(max_nesting) + " filters in each other");
        }
        Expression filter;
        if (!read_any_of(filter)) return false;
        --nesting_;
        out.filter = std::make_shared<Expression const>(std::move(filter));
        return true;
    }
    if (c == '-' || c == ':' || text::is_digit(c)) return read_index_or_slice(out);
    return fail("a selector is missing",
                "write a name in quotes, a number, *, or a filter that begins with ?");
}

// RFC 9535, 2.3.3 and 2.3.4.
bool Parser::read_index_or_slice(Selector& out) {
    std::optional<std::int64_t> first;
    if (!read_bound(first)) return false;
    std::size_t const before = at_;
    skip_space();
    if (!take(":")) {
        at_ = before;
        if (!first) return fail("a number is missing");
        out.kind = Selector::Kind::index;
        out.index = *first;
        return true;
    }
    out.kind = Selector::Kind::slice;
    out.start = first;
    skip_space();
    if (!read_bound(out.end)) return false;
    std::size_t const after_end = at_;
    skip_space();
    if (!take(":")) {
        at_ = after_end;
        return true;
    }
    skip_space();
    std::optional<std::int64_t> step;
    if (!read_bound(step)) return false;
    out.step = step.value_or(1);
    return true;
}

bool Parser::read_bound(std::optional<std::int64_t>& out) {
    if (peek() != '-' && !text::is_digit(peek())) return true;
    return read_integer(out.emplace());
}

} // namespace sallyport::contract::jsonpath

// Finds the path template of a contract that matches a request path.
#include "gateway/contract/router.h"

#include "gateway/contract/evaluate/names.h"
#include "gateway/contract/text/loose_spelling.h"
#include "gateway/contract/text/uri.h"
#include "gateway/text/percent.h"
#include "gateway/text/utf8.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace sallyport::contract {

namespace {

// RFC 3986, 3.3: pchar without percent-encoding; all other characters of a literal are encoded.
[[nodiscard]] bool is_literal_character(char c) noexcept {
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')) return true;
    return std::string_view{"-._~!$&'()*+,=:@"}.find(c) != std::string_view::npos;
}

// Length of the longest literal, in its normalized spelling: a longer segment is not one.
constexpr std::size_t max_literal = 255;

struct Spelling {
    std::array<char, max_literal> storage;
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
        if (out.size + (is_plain ? 1 : 3) > max_literal) return false;
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

void check_literal(ParsedTemplate& result, std::string_view name, bool is_last) {
    Spelling spelling;
    if (name.empty()) {
        if (is_last) return;
        result.error = "has an empty segment";
        result.hint = "write one slash";
    } else if (name == "." || name == "..") {
        result.error = "has a dot segment";
        result.hint = "write the path that it leads to";
    } else if (name.find_first_of("{}") != std::string_view::npos) {
        result.error = "has a parameter that is not a whole segment, which is not implemented";
        result.hint = "write {name} between two slashes";
    } else if (!may_be_sent(name)) {
        result.error = "has characters that no request path may contain, encoded or not";
        result.hint = "write UTF-8, without controls, escaped slashes and \\ ? # ;";
    } else if (!respell(name, spelling)) {
        result.error = "has a segment of more than " + std::to_string(max_literal) + " characters";
    } else if (spelling.text() != name) {
        // Requests are only matched in this spelling: Router::route().
        result.error = "has a segment that is not in its normalized spelling";
        result.hint = "write " + std::string{spelling.text()};
    }
}

// The literals are those of the contract: clients cannot make two of them share a slot.
[[nodiscard]] std::uint32_t slot_of(NameEnds const& ends) noexcept {
    __extension__ using Wide = unsigned __int128;
    Wide const product = Wide{ends.head ^ 0x9E37'79B9'7F4A'7C15U}
                         * ((ends.tail + ends.size) ^ 0xD6E8'FEB8'6659'FD93U);
    return static_cast<std::uint32_t>(product ^ (product >> 64));
}

// The same bit for both cases of a letter.
[[nodiscard]] constexpr std::uint32_t bit_of(char c) noexcept {
    return std::uint32_t{1} << (static_cast<unsigned char>(c) & 31U);
}

} // namespace

std::optional<std::uint32_t> PathItem::find(std::string_view method) const noexcept {
    for (auto const& entry : methods) {
        if (entry.name == method) return entry.operation;
    }
    return method == "HEAD" ? find("GET") : std::nullopt;
}

std::optional<std::string_view> RouteMatch::parameter(std::string_view name) const noexcept {
    if (item == nullptr) return std::nullopt;
    for (std::size_t i = 0; i < item->parameter_names.size(); ++i) {
        if (item->parameter_names[i] == name) return parameters[i];
    }
    return std::nullopt;
}

ParsedTemplate parse_path_template(std::string_view text) {
    ParsedTemplate result;
    if (text.empty() || text.front() != '/') {
        result.error = "does not begin with a slash";
        result.hint = "begin it with /";
        return result;
    }
    std::size_t parameters = 0;
    for (std::size_t at = 1;;) {
        std::size_t const slash = std::min(text.find('/', at), text.size());
        std::string_view const segment = text.substr(at, slash - at);
        bool const is_parameter = segment.size() > 2 && segment.front() == '{'
                                  && segment.find_first_of("{}", 1) == segment.size() - 1;
        if (is_parameter) {
            ++parameters;
            result.segments.push_back({TemplateSegment::Kind::parameter,
                                       std::string{segment.substr(1, segment.size() - 2)}});
        } else {
            check_literal(result, segment, slash == text.size());
            if (!result.error.empty()) return result;
            result.segments.push_back({TemplateSegment::Kind::literal, std::string{segment}});
        }
        if (slash == text.size()) break;
        at = slash + 1;
    }
    if (result.segments.size() > max_path_segments) result.error = "has more than 32 segments";
    if (parameters > max_path_parameters) result.error = "has more than 8 parameters";
    return result;
}

Overlap compare_templates(PathTemplate const& left, PathTemplate const& right) noexcept {
    if (left.size() != right.size()) return Overlap::none;
    bool left_closer = false;
    bool right_closer = false;
    for (std::size_t i = 0; i < left.size(); ++i) {
        bool const left_literal = left[i].kind == TemplateSegment::Kind::literal;
        bool const right_literal = right[i].kind == TemplateSegment::Kind::literal;
        if (left_literal && right_literal && left[i].name != right[i].name) return Overlap::none;
        // A parameter does not match an empty segment.
        if (left_literal != right_literal && (left_literal ? left : right)[i].name.empty()) {
            return Overlap::none;
        }
        left_closer = left_closer || (left_literal && !right_literal);
        right_closer = right_closer || (right_literal && !left_literal);
    }
    return left_closer != right_closer ? Overlap::ordered : Overlap::ambiguous;
}

namespace {

// A segment as lenient upstreams compare it; none: it is too long for a literal.
[[nodiscard]] std::optional<std::string> spell_loosely(std::string_view segment) {
    LooseSpelling spelling;
    if (!spelling.take(segment)) return std::nullopt;
    return std::string{spelling.text()};
}

// Removes an empty segment after the last slash.
void drop_empty_end(LooseSegments& segments) {
    while (!segments.empty() && segments.back() && segments.back()->empty())
        segments.pop_back();
}

} // namespace

LooseSegments split_loosely(std::string_view path) {
    LooseSegments segments;
    for (std::size_t at = 1;;) {
        std::size_t const slash = std::min(path.find('/', at), path.size());
        segments.push_back(spell_loosely(path.substr(at, slash - at)));
        if (slash == path.size()) break;
        at = slash + 1;
    }
    drop_empty_end(segments);
    return segments;
}

Router::Router(std::vector<PathItem> items, std::vector<PathTemplate> templates)
    : items_{std::move(items)}, templates_{std::move(templates)} {
    std::vector<std::uint32_t> all;
    for (std::uint32_t i = 0; i < items_.size(); ++i)
        all.push_back(i);
    if (!all.empty()) add_state(all, 0);
    for (auto const& segments : templates_) {
        auto& loose = loose_templates_.emplace_back();
        for (auto const& segment : segments) {
            bool const is_literal = segment.kind == TemplateSegment::Kind::literal;
            loose.push_back(is_literal ? spell_loosely(segment.name) : std::nullopt);
        }
        drop_empty_end(loose);
    }
}

std::uint32_t Router::add_state(std::vector<std::uint32_t> const& alive, std::size_t depth) {
    auto const number = static_cast<std::uint32_t>(states_.size());
    states_.emplace_back();
    std::vector<std::uint32_t> with_parameter;
    std::vector<std::string_view> literals;
    for (auto const path : alive) {
        auto const& segments = templates_[path];
        if (segments.size() == depth) {
            // Of the templates that end here the most specific one: it has a literal where another
            // one has a parameter.
            auto& item = states_[number].item;
            auto const literal_count = [this](std::uint32_t index) {
                return templates_[index].size() - items_[index].parameter_segments.size();
            };
            if (item == nowhere || literal_count(path) > literal_count(item)) item = path;
        } else if (segments[depth].kind == TemplateSegment::Kind::parameter) {
            with_parameter.push_back(path);
        } else {
            literals.push_back(segments[depth].name);
        }
    }
    std::sort(literals.begin(), literals.end());
    literals.erase(std::unique(literals.begin(), literals.end()), literals.end());
    auto const table = add_table(literals.size());
    states_[number].literals = table;
    for (auto const literal : literals) {
        std::vector<std::uint32_t> next;
        for (auto const path : alive) {
            auto const& segments = templates_[path];
            if (segments.size() == depth) continue;
            bool const fits = segments[depth].kind == TemplateSegment::Kind::parameter
                                  ? !literal.empty()
                                  : segments[depth].name == literal;
            if (fits) next.push_back(path);
        }
        // The call may reallocate states_: its result is stored only afterwards.
        auto const target = add_state(next, depth + 1);
        add_edge(table, literal, target);
    }
    if (!with_parameter.empty()) {
        auto const target = add_state(with_parameter, depth + 1);
        states_[number].other = target;
        add_loose_literals(states_[number], literals);
    }
    return number;
}

void Router::add_loose_literals(State& state, std::vector<std::string_view> const& literals) {
    state.loose_literals = add_table(literals.size());
    for (auto const literal : literals) {
        LooseSpelling spelling;
        // A literal has no invalid escape, and is short enough.
        if (!spelling.take(literal)) continue;
        auto const text = spelling.text();
        add_edge(state.loose_literals, text, 0);
        // The first character of a segment that begins with neither an escape nor a dot is kept.
        state.loose_beginnings |= text.empty() ? bit_of('.') : bit_of(text.front());
    }
}

Router::Table Router::add_table(std::size_t entries) {
    if (entries == 0) return {};
    auto const slots = std::bit_ceil(entries * 2);
    Table const table{static_cast<std::uint32_t>(edges_.size()),
                      static_cast<std::uint32_t>(slots - 1)};
    edges_.resize(edges_.size() + slots);
    return table;
}

void Router::add_edge(Table const& table, std::string_view text, std::uint32_t target) {
    auto const ends = ends_of(text);
    auto slot = slot_of(ends);
    while (edges_[table.first_slot + (slot & table.slot_mask)].target != nowhere)
        ++slot;
    edges_[table.first_slot + (slot & table.slot_mask)] = {
        ends.head, ends.tail, static_cast<std::uint32_t>(literals_.size()),
        static_cast<std::uint32_t>(text.size()), target};
    literals_ += text;
}

std::uint32_t Router::find_edge(Table const& table, std::string_view text) const noexcept {
    if (table.slot_mask == 0) return nowhere;
    auto const ends = ends_of(text);
    for (auto slot = slot_of(ends);; ++slot) {
        Edge const& edge = edges_[table.first_slot + (slot & table.slot_mask)];
        if (edge.target == nowhere) return nowhere;
        bool const may_be =
            edge.head == ends.head && edge.tail == ends.tail && edge.size == text.size();
        if (!may_be) continue;
        bool const is_it =
            edge.size <= 16
            || std::memcmp(literals_.data() + edge.text, text.data(), edge.size) == 0;
        if (is_it) return edge.target;
    }
}

// RFC 3986, 6.2.2: `/%6De` is `/me` for an upstream that normalizes it; `/ME` is for one that
// ignores letter case, and `/me.` and `/me%20` for one that stores files on Windows or trims. None
// of them is a value of the parameter beside that literal: the request would be validated as
// another operation.
bool Router::may_be_read_as_literal(State const& state, std::string_view segment) const noexcept {
    char const first = segment.front();
    bool const may_be = first == '%' || (state.loose_beginnings & bit_of(first)) != 0;
    if (!may_be) return false;
    LooseSpelling spelling;
    return spelling.take(segment) && find_edge(state.loose_literals, spelling.text()) != nowhere;
}

RouteMatch Router::route(std::string_view path) const noexcept {
    if (states_.empty() || path.empty() || path.front() != '/') return {};
    // Not initialized: only elements that were written are read.
    std::array<std::string_view, max_path_segments> segments;
    std::size_t count = 0;
    State const* state = states_.data();
    char const* at = path.data() + 1;
    char const* const end = path.data() + path.size();
    for (;;) {
        if (count == max_path_segments) return {};
        auto const left = static_cast<std::size_t>(end - at);
        auto const* const slash = static_cast<char const*>(std::memchr(at, '/', left));
        std::string_view const segment{at, slash == nullptr ? left
                                                            : static_cast<std::size_t>(slash - at)};
        segments[count++] = segment;
        auto next = find_edge(state->literals, segment);
        if (next == nowhere && !segment.empty()) {
            // Inline, without a call: most parameters have no literal beside them.
            bool const has_literals = state->loose_beginnings != 0;
            if (has_literals && may_be_read_as_literal(*state, segment)) return {};
            next = state->other;
        }
        if (next == nowhere) return {};
        state = &states_[next];
        if (slash == nullptr) break;
        at = slash + 1;
    }
    if (state->item == nowhere) return {};
    RouteMatch match;
    match.item = &items_[state->item];
    for (std::size_t i = 0; i < match.item->parameter_segments.size(); ++i)
        match.parameters[i] = segments[match.item->parameter_segments[i]];
    return match;
}

RouteMatch Router::route_with_other_end(std::string_view path) const {
    if (path.size() > 1 && path.back() == '/') return route(path.substr(0, path.size() - 1));
    std::string const with_slash = std::string{path} + '/';
    auto match = route(with_slash);
    if (!match) return match;
    // Views into `path` instead of the copy.
    for (std::size_t i = 0; i < match.item->parameter_segments.size(); ++i) {
        auto& value = match.parameters[i];
        auto const at = static_cast<std::size_t>(value.data() - with_slash.data());
        value = path.substr(at, value.size());
    }
    return match;
}

bool Router::resembles(std::string_view path) const {
    if (path.empty() || path.front() != '/') return false;
    if (std::count(path.begin(), path.end(), '/') > std::ptrdiff_t{max_path_segments}) return false;
    auto const segments = split_loosely(path);
    return std::any_of(
        loose_templates_.begin(), loose_templates_.end(), [&segments](auto const& loose) {
            return std::equal(
                loose.begin(), loose.end(), segments.begin(), segments.end(),
                [](auto const& known, auto const& other) { return !known || known == other; });
        });
}

} // namespace sallyport::contract

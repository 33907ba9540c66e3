// Finds the path template of a contract that matches a request path.
#include "gateway/contract/router.h"

#include "gateway/contract/evaluate/names.h"
#include "gateway/contract/text/loose_spelling.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace sallyport::contract {

namespace {

// The literals are those of the contract: clients cannot make two of them share a slot.
[[nodiscard]] std::uint32_t slot_of(NameEnds const& ends) noexcept {
    __extension__ using Wide = unsigned __int128;
    Wide const product = Wide{ends.head ^ 0x9E37'79B9'7F4A'7C15U}
                         * ((ends.tail + ends.size) ^ 0xD6E8'FEB8'6659'FD93U);
    return static_cast<std::uint32_t>(product ^ (product >> 64));
}

// A segment as lenient upstreams compare it; none: it is too long for a literal.
[[nodiscard]] std::optional<std::string> spell(std::string_view segment) {
    LooseSpellingOf<longest_segment> spelling;
    if (!spelling.take(segment)) return std::nullopt;
    return std::string{spelling.text()};
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

bool RouteMatch::next_reading() noexcept {
    if (item == nullptr) return false;
    auto const& shared = item->shared_segments;
    // Each one that was at its last reading is at its first again, as the digits of a counter.
    return std::any_of(shared.rbegin(), shared.rend(), [this](auto const& segment) {
        return read_next(segment.literals, parameters.data() + segment.first);
    });
}

PathItem make_path_item(std::string path, PathTemplate const& segments) {
    PathItem item;
    item.path = std::move(path);
    for (std::size_t i = 0; i < segments.size(); ++i) {
        auto const& segment = segments[i];
        auto names = segment.names;
        if (segment.kind == TemplateSegment::Kind::parameter) names.push_back(segment.name);
        if (names.size() > 1) {
            item.shared_segments.push_back(
                {item.parameter_names.size(), segment.pattern.literals()});
        }
        for (auto& name : names) {
            item.parameter_names.push_back(std::move(name));
            item.parameter_segments.push_back(static_cast<std::uint8_t>(i));
        }
    }
    return item;
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
    bool const may_be = first == '%' || (state.loose_beginnings & bit_of_beginning(first)) != 0;
    if (!may_be) return false;
    LooseSpelling spelling;
    return spelling.take(segment) && find_edge(state.loose_literals, spelling.text()) != nowhere;
}

bool Router::Fitting::add(std::uint16_t number) noexcept {
    auto* const end = numbers.data() + count;
    if (std::find(numbers.data(), end, number) != end) return true;
    if (count == max_count) return false;
    numbers[count++] = number;
    return true;
}

// Adds the patterns of an index whose ends `key` has and which the segment fits. False: one of them
// is unclear, or they are too many.
bool Router::collect(Fitting& fitting, Mixed const& mixed, Index const& index, std::string_view key,
                     std::string_view segment, std::string_view loose) const noexcept {
    std::array<char, max_path_literal> joined;
    for (auto const& ends : index.ends) {
        if (key.size() <= ends.first + ends.last) continue;
        auto const last = key.substr(key.size() - ends.last);
        std::copy_n(key.data(), ends.first, joined.data());
        std::copy_n(last.data(), last.size(), joined.data() + ends.first);
        auto const bucket = find_edge(ends.table, {joined.data(), ends.first + ends.last});
        if (bucket == nowhere) continue;
        for (auto const number : index.buckets[bucket]) {
            auto const fit = mixed.patterns[number].fit(segment, loose);
            if (fit == SegmentPattern::Fit::unclear) return false;
            if (fit == SegmentPattern::Fit::yes && !fitting.add(number)) return false;
        }
    }
    return true;
}

// As with literals: a segment that only some upstreams read as a mixed one, or that they may read
// in several ways, is nothing else beside it.
std::uint32_t Router::find_mixed(Mixed const& mixed, std::uint32_t other,
                                 std::string_view segment) const noexcept {
    LooseSpellingOf<longest_segment> spelling;
    if (!spelling.take(segment)) return nowhere;
    auto const loose = spelling.text();
    Fitting fitting;
    if (!collect(fitting, mixed, mixed.as_compared, loose, segment, loose)) return nowhere;
    // Without escapes, and with nothing removed, every literal of the one spelling is in the other.
    bool const may_differ =
        loose.size() != segment.size() || segment.find('%') != std::string_view::npos;
    if (may_differ && !collect(fitting, mixed, mixed.as_sent, segment, segment, loose)) {
        return nowhere;
    }
    if (fitting.count == 0) return other;
    std::sort(fitting.numbers.data(), fitting.numbers.data() + fitting.count);
    return find_edge(mixed.sets, fitting.key());
}

std::uint32_t Router::find_other(State const& state, std::string_view segment) const noexcept {
    if (may_be_read_as_literal(state, segment)) return nowhere;
    if (state.mixed == nowhere) return state.other;
    return find_mixed(mixed_[state.mixed], state.other, segment);
}

RouteMatch Router::match_mixed(std::uint32_t item,
                               std::string_view const* segments) const noexcept {
    RouteMatch match;
    match.item = &items_[item];
    match.parameters.set_size(match.item->parameter_names.size());
    auto* value = match.parameters.data();
    for (auto const& segment : templates_[item]) {
        if (segment.kind == TemplateSegment::Kind::mixed) {
            // It was found to fit.
            (void)read_first(segment.pattern.literals(), *segments, value);
            value += segment.names.size();
        } else if (segment.kind == TemplateSegment::Kind::parameter) {
            *value++ = *segments;
        }
        ++segments;
    }
    if (match.item->shared_segments.size() < 2) return match;
    // The readings of several segments multiply.
    RouteMatch other = match;
    for (std::size_t count = 1; other.next_reading();) {
        if (++count > max_readings) return {};
    }
    return match;
}

RouteMatch Router::route(std::string_view path) const noexcept {
    if (path.empty() || path.front() != '/') return {};
    if (states_.empty()) return wide_.empty() ? RouteMatch{} : route_in_list(0, path);
    PathParts<max_path_segments> segments;
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
            // Inline, without a call: most parameters have nothing beside them.
            bool const has_more = state->loose_beginnings != 0;
            next = has_more ? find_other(*state, segment) : state->other;
        }
        if (next >= is_wide) return next == nowhere ? RouteMatch{} : route_in_list(next, path);
        state = &states_[next];
        if (slash == nullptr) break;
        at = slash + 1;
    }
    auto const item = state->item;
    // One comparison for both: most templates have no mixed segments, and pay nothing for them.
    if (item >= is_mixed_item) {
        if (item == nowhere) return {};
        return match_mixed(item & ~is_mixed_item, segments.data());
    }
    RouteMatch match;
    match.item = &items_[item];
    match.parameters.set_size(match.item->parameter_segments.size());
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

LooseSegments split_loosely(std::string_view path) {
    LooseSegments segments;
    for (std::size_t at = 1;;) {
        std::size_t const slash = std::min(path.find('/', at), path.size());
        auto& segment = segments.emplace_back();
        if (auto spelling = spell(path.substr(at, slash - at)))
            segment.push_back(std::move(*spelling));
        if (slash == path.size()) break;
        at = slash + 1;
    }
    while (!segments.empty() && segments.back() == LooseSegment{""})
        segments.pop_back();
    return segments;
}

namespace {

// Whether `segment` can be read as one of a template, written as in Router::loose_templates_.
[[nodiscard]] bool can_be_read(LooseSegment const& known, LooseSegment const& segment) {
    if (known.size() <= 1) return known.empty() || segment == known;
    // Too long to be compared: in doubt it is one.
    return segment.empty() || count_readings(known, segment.front()) != 0;
}

} // namespace

bool Router::resembles(std::string_view path) const {
    if (path.empty() || path.front() != '/') return false;
    if (std::count(path.begin(), path.end(), '/') > std::ptrdiff_t{max_path_segments}) return false;
    auto const segments = split_loosely(path);
    return std::any_of(loose_templates_.begin(), loose_templates_.end(),
                       [&segments](auto const& loose) {
                           return std::equal(loose.begin(), loose.end(), segments.begin(),
                                             segments.end(), can_be_read);
                       });
}

} // namespace sallyport::contract

// Finds the path template of a request path among those that are too many for the automaton.
#include "gateway/contract/router.h"
#include "gateway/contract/text/loose_spelling.h"

#include <algorithm>

namespace sallyport::contract {

namespace {

// How a segment of a request goes on among the templates of a list.
struct Going {
    std::vector<std::uint32_t> with_literal; // that is written so
    std::vector<std::uint32_t> with_others;  // parameters and mixed segments that it fits
    std::vector<SegmentPattern const*> patterns;
    bool resembles = false;  // a literal that is written differently
    bool is_unclear = false; // servers may disagree on it
};

void add_pattern(Going& going, SegmentPattern const& pattern) {
    bool const is_known = std::any_of(
        going.patterns.begin(), going.patterns.end(),
        [&pattern](auto const* one) { return one->literals() == pattern.literals(); });
    if (!is_known) going.patterns.push_back(&pattern);
}

} // namespace

// The templates that still match behind a segment, by the rules of the automaton: see find_other(),
// find_mixed() and add_literals().
Router::Alive Router::go_on(Alive const& alive, std::size_t depth,
                            std::string_view segment) const {
    LooseSpellingOf<longest_segment> spelling;
    bool const is_comparable = spelling.take(segment);
    auto const loose = spelling.text();
    Going going;
    for (auto const index : alive) {
        if (templates_[index].size() <= depth) continue;
        auto const& own = templates_[index][depth];
        if (own.kind == TemplateSegment::Kind::literal) {
            if (own.name == segment) going.with_literal.push_back(index);
            else if (is_comparable && is_loosely(index, depth, loose)) going.resembles = true;
        } else if (segment.empty()) {
            continue;
        } else if (own.kind == TemplateSegment::Kind::parameter) {
            going.with_others.push_back(index);
        } else {
            auto const fit = is_comparable ? own.pattern.fit(segment, loose)
                                           : SegmentPattern::Fit::unclear;
            going.is_unclear = going.is_unclear || fit == SegmentPattern::Fit::unclear;
            if (fit != SegmentPattern::Fit::yes) continue;
            add_pattern(going, own.pattern);
            going.with_others.push_back(index);
        }
    }
    if (going.with_literal.empty()) {
        bool const is_nowhere = going.resembles || going.is_unclear
                                || going.patterns.size() > Fitting::max_count;
        return is_nowhere ? Alive{} : going.with_others;
    }
    going.with_literal.insert(going.with_literal.end(), going.with_others.begin(),
                              going.with_others.end());
    return going.with_literal;
}

// Whether lenient upstreams take the text for the literal of a template.
bool Router::is_loosely(std::uint32_t index, std::size_t depth, std::string_view loose) const {
    auto const& all = loose_templates_[index];
    // Empty segments at the end are left out.
    return depth < all.size() ? all[depth].front() == loose : loose.empty();
}

RouteMatch Router::route_in_list(std::uint32_t target, std::string_view path) const {
    auto const& list = wide_[target & ~is_wide];
    PathParts<max_path_segments> segments;
    std::size_t count = 0;
    for (std::size_t at = 1;;) {
        if (count == max_path_segments) return {};
        std::size_t const slash = std::min(path.find('/', at), path.size());
        segments.set_size(count + 1);
        segments[count++] = path.substr(at, slash - at);
        if (slash == path.size()) break;
        at = slash + 1;
    }
    Alive alive = list.templates;
    for (std::size_t depth = list.depth; depth < count && !alive.empty(); ++depth)
        alive = go_on(alive, depth, segments[depth]);
    std::erase_if(alive,
                  [this, count](std::uint32_t one) { return templates_[one].size() != count; });
    auto const item = choose_item(alive);
    return item == nowhere ? RouteMatch{} : match_mixed(item & ~is_mixed_item, segments.data());
}

} // namespace sallyport::contract

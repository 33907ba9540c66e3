// Evaluates JSONPath queries over a document (RFC 9535, 2.3 to 2.5).
#include "gateway/contract/overlay/jsonpath_evaluator.h"

#include <algorithm>

namespace sallyport::contract::jsonpath {

namespace {

[[nodiscard]] std::size_t count_children(Node const& node) noexcept {
    return node.is_mapping() ? node.entries().size() : node.items().size();
}

[[nodiscard]] Node const& child_at(Node const& node, std::size_t index) {
    return node.is_mapping() ? node.entries()[index].value : node.items()[index];
}

// RFC 9535, 2.7: in single quotes, with the escapes of that section.
void append_name(std::string& out, std::string_view name) {
    constexpr std::string_view digits = "0123456789abcdef";
    for (char const c : name) {
        auto const byte = static_cast<unsigned char>(c);
        switch (c) {
        case '\b': out += "\\b"; break;
        case '\f': out += "\\f"; break;
        case '\n': out += "\\n"; break;
        case '\r': out += "\\r"; break;
        case '\t': out += "\\t"; break;
        case '\'': out += "\\'"; break;
        case '\\': out += "\\\\"; break;
        default:
            if (byte < 0x20) {
                out.append("\\u00").append(1, digits[byte >> 4U]).append(1, digits[byte & 15U]);
            } else {
                out += c;
            }
        }
    }
}

} // namespace

Evaluator::Found Evaluator::step(Found from, Node const& child, std::size_t index) {
    if (from.place == no_place) return {&child, no_place};
    places_.push_back({from.place, static_cast<std::uint32_t>(index)});
    return {&child, static_cast<std::uint32_t>(places_.size() - 1)};
}

bool Evaluator::add(std::vector<Found>& out, Node const& child, std::size_t index, Found from) {
    if (out.size() >= max_matches || !work_.take(1)) {
        has_stopped_ = true;
        return false;
    }
    out.push_back(step(from, child, index));
    return true;
}

void Evaluator::run(Query const& query, Found start, std::vector<Found>& out) {
    std::vector<Found> from{start};
    for (Segment const& segment : query.segments) {
        std::vector<Found> next;
        for (Found const& one : from) {
            if (has_stopped_) return;
            if (segment.reach == Segment::Reach::descendants) {
                descend(segment, one, next);
            } else {
                apply(segment, one, next);
            }
        }
        from = std::move(next);
    }
    out = std::move(from);
}

// RFC 9535, 2.5.2.2: a node before its children, arrays in their order. Documents are not nested
// deeper than yaml::max_depth.
void Evaluator::descend(Segment const& segment, Found from, std::vector<Found>& out) {
    apply(segment, from, out);
    std::size_t const count = count_children(*from.node);
    for (std::size_t i = 0; i < count && !has_stopped_; ++i) {
        Node const& child = child_at(*from.node, i);
        if (!child.is_scalar()) descend(segment, step(from, child, i), out);
    }
}

void Evaluator::apply(Segment const& segment, Found from, std::vector<Found>& out) {
    // A node that has no children is looked at, too.
    if (!work_.take(1)) has_stopped_ = true;
    for (Selector const& selector : segment.selectors) {
        if (has_stopped_) return;
        apply(selector, from, out);
    }
}

void Evaluator::apply(Selector const& selector, Found from, std::vector<Found>& out) {
    Node const& node = *from.node;
    switch (selector.kind) {
    case Selector::Kind::name:
        if (Entry const* const entry = node.find_entry(selector.name); entry != nullptr) {
            (void)add(out, entry->value, static_cast<std::size_t>(entry - node.entries().data()),
                      from);
        }
        return;
    case Selector::Kind::index: {
        auto const size = static_cast<std::int64_t>(node.items().size());
        std::int64_t const index = selector.index < 0 ? size + selector.index : selector.index;
        if (index < 0 || index >= size) return;
        auto const at = static_cast<std::size_t>(index);
        (void)add(out, node.items()[at], at, from);
        return;
    }
    case Selector::Kind::slice: return apply_slice(selector, from, out);
    case Selector::Kind::wildcard:
    case Selector::Kind::filter:
        for (std::size_t i = 0; i < count_children(node) && !has_stopped_; ++i) {
            Node const& child = child_at(node, i);
            if (!work_.take(1)) {
                has_stopped_ = true;
            } else if (selector.filter == nullptr || holds(*selector.filter, child)) {
                (void)add(out, child, i, from);
            }
        }
    }
}

// RFC 9535, 2.3.4.2.2.
void Evaluator::apply_slice(Selector const& selector, Found from, std::vector<Found>& out) {
    auto const& items = from.node->items();
    auto const size = static_cast<std::int64_t>(items.size());
    std::int64_t const step = selector.step;
    if (step == 0 || size == 0) return;
    auto const normalized = [size](std::int64_t i) { return i >= 0 ? i : size + i; };
    std::int64_t const start = normalized(selector.start.value_or(step > 0 ? 0 : size - 1));
    std::int64_t const end = selector.end ? normalized(*selector.end) : step > 0 ? size : -1;
    auto const take = [&](std::int64_t i) {
        auto const at = static_cast<std::size_t>(i);
        return add(out, items[at], at, from);
    };
    if (step > 0) {
        std::int64_t const upper = std::clamp<std::int64_t>(end, 0, size);
        for (auto i = std::clamp<std::int64_t>(start, 0, size); i < upper; i += step) {
            if (!take(i)) return;
        }
    } else {
        std::int64_t const lower = std::clamp<std::int64_t>(end, -1, size - 1);
        for (auto i = std::clamp<std::int64_t>(start, -1, size - 1); i > lower; i += step) {
            if (!take(i)) return;
        }
    }
}

Location Evaluator::location_of(Found found) const {
    Location location;
    for (std::uint32_t at = found.place; at != root_place; at = places_[at].parent)
        location.push_back(places_[at].index);
    std::reverse(location.begin(), location.end());
    return location;
}

Selected Evaluator::select(Query const& query) {
    std::vector<Found> found;
    run(query, {&root_, root_place}, found);
    Selected out;
    out.is_whole = !has_stopped_;
    out.bad_pattern = std::move(bad_pattern_);
    out.pattern_error = std::move(pattern_error_);
    if (has_stopped_) return out;
    out.matches.reserve(found.size());
    for (Found const& one : found)
        out.matches.push_back({one.node, location_of(one)});
    return out;
}

Selected select(Query const& query, Node const& root, Work& work) {
    return Evaluator{root, work}.select(query);
}

std::string normalized_path(Node const& root, Location const& location) {
    std::string out = "$";
    Node const* node = &root;
    for (std::uint32_t const index : location) {
        if (node->is_mapping()) {
            out += "['";
            append_name(out, node->entries()[index].key);
            out += "']";
        } else {
            out += '[' + std::to_string(index) + ']';
        }
        node = &child_at(*node, index);
    }
    return out;
}

} // namespace sallyport::contract::jsonpath

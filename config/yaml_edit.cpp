// Changes to a document that was read: see yaml_edit.h.
#include "config/yaml_edit.h"

#include "config/yaml_builder.h"

#include <algorithm>
#include <utility>

namespace sallyport::config::yaml {

Document Editor::finish(Problems problems, Extent extent) && {
    Problems all = std::move(document_.problems_);
    all.insert(all.end(), std::make_move_iterator(problems.begin()),
               std::make_move_iterator(problems.end()));
    return Document{std::move(document_.root_), extent, std::move(all)};
}

void Editor::add(Node& mapping, Entry const& entry) {
    auto& content = mapping.own_mapping();
    auto& entries = content.entries;
    auto& by_key = content.by_key;
    if (by_key.empty()) {
        entries.push_back(entry);
        return mapping.index_keys();
    }
    auto const place = std::lower_bound(by_key.begin(), by_key.end(), entry.key,
                                        [&entries](std::uint32_t index, std::string const& key) {
                                            return entries[index].key < key;
                                        });
    by_key.insert(place, static_cast<std::uint32_t>(entries.size()));
    entries.push_back(entry);
}

void Editor::remove(Node& parent, std::span<std::uint32_t const> positions) {
    auto const is_removed = [positions](std::size_t at) {
        return std::binary_search(positions.begin(), positions.end(), at);
    };
    auto const compact = [&is_removed](auto& children) {
        std::size_t kept = 0;
        for (std::size_t i = 0; i < children.size(); ++i) {
            if (is_removed(i)) continue;
            if (kept != i) children[kept] = std::move(children[i]);
            ++kept;
        }
        children.erase(children.begin() + static_cast<std::ptrdiff_t>(kept), children.end());
    };
    if (parent.is_sequence()) return compact(parent.own_list());
    auto& content = parent.own_mapping();
    compact(content.entries);
    std::vector<std::uint32_t> by_key;
    by_key.reserve(content.entries.size());
    for (std::uint32_t const index : content.by_key) {
        auto const before = std::lower_bound(positions.begin(), positions.end(), index);
        if (before != positions.end() && *before == index) continue;
        by_key.push_back(index - static_cast<std::uint32_t>(before - positions.begin()));
    }
    content.by_key = std::move(by_key);
    if (content.entries.size() <= Node::most_without_index) content.by_key.clear();
}

Node Editor::list_of(Mark mark, std::vector<Node> items) {
    return Builder::list_of(mark, std::move(items));
}

Node Editor::mapping_of(Mark mark, std::vector<Entry> entries) {
    return Builder::mapping_of(mark, std::move(entries));
}

Node Editor::text_of(Mark mark, std::string text) {
    Node node;
    node.kind_ = Kind::string;
    node.mark_ = mark;
    node.own_scalar().text = std::move(text);
    node.quoted_ = true;
    return node;
}

Node Editor::flag_of(Mark mark, bool flag) {
    Node node;
    node.kind_ = Kind::boolean;
    node.mark_ = mark;
    auto& content = node.own_scalar();
    content.text = flag ? "true" : "false";
    content.integer = flag ? 1 : 0;
    return node;
}

std::size_t size_of(Node const& node) {
    std::size_t size = 1;
    for (Node const& item : node.items())
        size += size_of(item);
    for (Entry const& entry : node.entries())
        size += size_of(entry.value);
    return size;
}

std::size_t depth_of(Node const& node) {
    if (node.is_scalar()) return 0;
    std::size_t deepest = 0;
    for (Node const& item : node.items())
        deepest = std::max(deepest, depth_of(item));
    for (Entry const& entry : node.entries())
        deepest = std::max(deepest, depth_of(entry.value));
    return deepest + 1;
}

} // namespace sallyport::config::yaml

// What aliases and merge keys stand for, written out, and the limits of that: see yaml_builder.h.
#include "config/yaml_builder.h"

#include <algorithm>

namespace sallyport::config::yaml {

namespace {

// A short text costs as much as any other value; a long one more.
std::size_t values_of(std::string const& text) {
    return 1 + text.size() / max_text_by_alias;
}

} // namespace

void Builder::anchor(Place place, std::size_t number) {
    if (number == 0) return;
    if (syntax_ == Syntax::plain) {
        // Anchors and aliases would let a small file stand for a huge one; nothing that is written
        // for this program needs them.
        refuse(place, "anchors are not read", "write the value out");
        return;
    }
    next_anchor_ = number;
}

// Adds what the node consists of; ends early where that is too much in any case.
void Builder::count_values(Node const& node, std::size_t level, Anchored& counted) const {
    counted.values += values_of(node.text());
    counted.depth = std::max(counted.depth, level + (node.is_scalar() ? 0 : 1));
    for (Node const& item : node.items()) {
        if (counted.values > max_values_by_alias) return;
        count_values(item, level + 1, counted);
    }
    for (Entry const& entry : node.entries()) {
        if (counted.values > max_values_by_alias) return;
        counted.values += values_of(entry.key);
        count_values(entry.value, level + 1, counted);
    }
}

// The copy is paid for, too: an anchor inside others is copied with each of them.
void Builder::keep_copy(Node const& node, std::size_t number) {
    if (values_by_alias_ > max_values_by_alias) return;
    Anchored anchored;
    count_values(node, 0, anchored);
    values_by_alias_ += anchored.values;
    if (values_by_alias_ > max_values_by_alias) {
        refuse_values_by_alias({node.mark_.line, node.mark_.column});
        return;
    }
    anchored.node = node;
    anchored_.emplace(number, std::move(anchored));
}

void Builder::refuse_values_by_alias(Place place) {
    refuse_document(place,
                    "more than " + std::to_string(max_values_by_alias)
                        + " values in anchors and the aliases of them",
                    "split the document, or write $ref in place of aliases");
}

Proceed Builder::alias(Place place, std::size_t number) {
    if (syntax_ == Syntax::plain) {
        refuse(place, "aliases are not read", "write the value out");
        return plain_scalar(place, {});
    }
    auto const known = anchored_.find(number);
    if (known == anchored_.end()) {
        // Unless the anchor was too much, which was a problem: it is not complete yet.
        if (values_by_alias_ > max_values_by_alias) return Proceed::no;
        refuse_document(place, "an alias inside the value that it stands for", "write $ref");
        return Proceed::no;
    }
    Anchored const& anchored = known->second;
    values_by_alias_ += anchored.values;
    if (values_by_alias_ > max_values_by_alias) {
        refuse_values_by_alias(place);
        return Proceed::no;
    }
    if (open_.size() + anchored.depth > max_depth) {
        refuse_too_deep(place);
        return Proceed::no;
    }
    add(Node{anchored.node});
    return Proceed::yes;
}

// The merge key of YAML 1.1 (yaml.org/type/merge), which documents of 1.2 use as well: keys of the
// mapping itself win, then those of the mapping that is named first.
void Builder::merge(Node& into, std::vector<Entry> const& named) {
    std::set<std::string, std::less<>> known;
    for (Entry const& entry : into.entries())
        known.insert(entry.key);
    for (Entry const& merged : named) {
        auto const& list = merged.value.items();
        bool const is_list = merged.value.is_sequence()
                             && std::all_of(list.begin(), list.end(),
                                            [](Node const& item) { return item.is_mapping(); });
        if (!is_list && !merged.value.is_mapping()) {
            add_problem(merged.mark, join_key(path(), merged.key),
                        "must be a mapping, or a list of mappings",
                        "write an alias of one, or the key in quotes");
            continue;
        }
        if (merged.value.is_mapping()) merge_mapping(into, merged.value, known);
        for (Node const& item : list)
            merge_mapping(into, item, known);
    }
}

void Builder::merge_mapping(Node& into, Node const& mapping,
                            std::set<std::string, std::less<>>& known) {
    for (Entry const& entry : mapping.entries()) {
        if (known.insert(entry.key).second) into.own_mapping().entries.push_back(entry);
    }
}

} // namespace sallyport::config::yaml

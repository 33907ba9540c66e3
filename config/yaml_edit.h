// Changes to a document that was read: values are added, replaced and removed, each with the mark
// of the place that it comes from.
#pragma once

#include "config/yaml.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sallyport::config::yaml {

/// Owns a document while it is changed. Its limits (max_nodes, max_depth) are for the caller to
/// keep: size_of() and depth_of() say what a change adds.
class Editor {
public:
    explicit Editor(Document document) : document_{std::move(document)} {}

    [[nodiscard]] Node& root() { return *document_.root_; }
    /// The changed document, with these problems in addition to its own. `extent`: whether it is
    /// fit for use.
    [[nodiscard]] Document finish(Problems problems, Extent extent) &&;

    /// A child of a list or a mapping by its position.
    [[nodiscard]] static Node& child(Node& parent, std::size_t index) {
        return parent.is_mapping() ? parent.own_mapping().entries[index].value
                                   : parent.own_list()[index];
    }
    /// Appends copies to a list.
    static void append(Node& list, Node const& item) { list.own_list().push_back(item); }
    /// Appends a copy to a mapping that does not have the key.
    static void add(Node& mapping, Entry const& entry);
    /// Replaces a value, its mark too.
    static void replace(Node& node, Node const& value) { node = Node{value}; }
    /// Removes children of a list or a mapping. `positions`: sorted, without duplicates.
    static void remove(Node& parent, std::span<std::uint32_t const> positions);

    /// Values that are made of parts of a document, or stand for something that is written in
    /// another way: `mark` is the place of that. The keys of `entries` differ.
    [[nodiscard]] static Node list_of(Mark mark, std::vector<Node> items);
    [[nodiscard]] static Node mapping_of(Mark mark, std::vector<Entry> entries);
    [[nodiscard]] static Node text_of(Mark mark, std::string text);
    [[nodiscard]] static Node flag_of(Mark mark, bool flag);

private:
    Document document_;
};

/// The number of values in a value, itself included.
[[nodiscard]] std::size_t size_of(Node const& node);
/// The number of lists and mappings in each other; 0: a scalar.
[[nodiscard]] std::size_t depth_of(Node const& node);

} // namespace sallyport::config::yaml

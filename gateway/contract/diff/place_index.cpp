// Places by marks: see place_index.h.
#include "gateway/contract/diff/place_index.h"

#include "gateway/contract/diff/schema_view.h"

#include <algorithm>

namespace sallyport::contract {

namespace yaml = config::yaml;

namespace {

[[nodiscard]] std::size_t shared_length(std::string const& left, std::string const& right) {
    auto const end = std::mismatch(left.begin(), left.end(), right.begin(), right.end()).first;
    return static_cast<std::size_t>(end - left.begin());
}

} // namespace

PlaceIndex::PlaceIndex(yaml::Node const& root) {
    add(root, {});
}

PlaceIndex::Place PlaceIndex::place_of(yaml::Node const& node) {
    yaml::Mark const& mark = node.mark();
    return {(std::uint64_t{mark.line} << 32U) | mark.column, mark.file};
}

void PlaceIndex::add(yaml::Node const& node, std::string const& pointer) {
    pointers_[place_of(node)].push_back(pointer);
    for (auto const& entry : node.entries())
        add(entry.value, below(pointer, entry.key));
    for (std::size_t i = 0; i < node.items().size(); ++i)
        add(node.items()[i], below(pointer, std::to_string(i)));
}

std::string PlaceIndex::pointer_of(yaml::Node const& node, std::string guess) const {
    auto const found = pointers_.find(place_of(node));
    if (found == pointers_.end()) return guess;
    // Of two that begin alike the one further out: a mapping has the mark of what it begins with.
    return *std::max_element(found->second.begin(), found->second.end(),
                             [&guess](std::string const& left, std::string const& right) {
                                 return shared_length(left, guess) < shared_length(right, guess);
                             });
}

} // namespace sallyport::contract

// The places of a document by the marks of its values: for objects that were made of others, which
// keep their marks.
#pragma once

#include "config/yaml.h"

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace sallyport::contract {

/// Refers to the document, which outlives it.
class PlaceIndex {
public:
    explicit PlaceIndex(config::yaml::Node const& root);

    /// The JSON Pointer of the value whose mark a node has. Of several, which an overlay or an alias
    /// makes, the one that begins most like `guess`; `guess` itself if the mark is of another file.
    [[nodiscard]] std::string pointer_of(config::yaml::Node const& node, std::string guess) const;

private:
    void add(config::yaml::Node const& node, std::string const& pointer);

    using Place = std::pair<std::uint64_t, std::string const*>; // line and column; file
    struct Hash {
        [[nodiscard]] std::size_t operator()(Place const& place) const noexcept {
            return std::hash<std::uint64_t>{}(place.first) ^ std::hash<void const*>{}(place.second);
        }
    };
    [[nodiscard]] static Place place_of(config::yaml::Node const& node);
    std::unordered_map<Place, std::vector<std::string>, Hash> pointers_;
};

} // namespace sallyport::contract

// A parameter of style deepObject whose names have several pairs of brackets, as it arrives name by
// name. What `filter[a][]` and the like mean is defined by no standard: here only names that all
// common readers (PHP, Rack, qs) take for the same value.
#pragma once

#include "gateway/contract/contract.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::contract {

inline constexpr std::size_t max_deep_brackets = 16; // of one name

enum class DeepFault : std::uint8_t {
    none,
    style,     // the schema has no value with such a name, or values at and below one name
    duplicate, // a value twice
    look_alike // a property that differs from a declared one only in letter case or the like
};

/// The values of one such parameter of one request; keeps its memory for the next one.
class DeepValue {
public:
    /// Which property of an object has a name that is not declared: its part.
    using Undeclared = std::function<std::uint32_t(DeepPart const&, std::string_view name)>;

    void clear() noexcept { nodes_.clear(); }
    /// Adds a value. `path`: the name behind that of the parameter, decoded: `[a][b]`. `parts`:
    /// Parameter::deep.
    /// `lists`: whether the name of a list may stand for each of its items.
    [[nodiscard]] DeepFault add(std::vector<DeepPart> const& parts, std::string_view path,
                                std::string_view text, Lists lists, Undeclared const& undeclared);

    enum class Kind : std::uint8_t { none, value, list, object };
    enum class ItemNames : std::uint8_t { brackets, indexes, repeated }; // a[], a[0], a
    struct Node {
        std::uint32_t part = 0; // into Parameter::deep
        Kind kind = Kind::none;
        ItemNames items = ItemNames::brackets; // of a list
        std::string text;          // of a value
        std::string name;          // in an object
        std::vector<std::uint32_t> children;
    };
    /// The first is the parameter itself; none if nothing was added.
    [[nodiscard]] std::vector<Node> const& nodes() const noexcept { return nodes_; }

private:
    [[nodiscard]] DeepFault add_at_name(std::uint32_t at, std::vector<DeepPart> const& parts,
                                        std::string_view text, Lists lists);
    [[nodiscard]] DeepFault find_item(std::uint32_t at, DeepPart const& part,
                                      std::string_view index, bool is_last, std::uint32_t& child);
    [[nodiscard]] DeepFault find_property(std::uint32_t at, DeepPart const& part,
                                          std::string_view name, Undeclared const& undeclared,
                                          std::uint32_t& child);
    [[nodiscard]] std::uint32_t add_child(std::uint32_t at, std::uint32_t part);

    std::vector<Node> nodes_;
};

} // namespace sallyport::contract

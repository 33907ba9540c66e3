// The parameter that a pair of a query belongs to.
#pragma once

#include "gateway/contract/contract.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace sallyport::contract {

/// The parameter of a pair, and how the pair is related to it.
struct QueryOwner {
    enum class As : std::uint8_t {
        whole,  // the pair is the parameter, or one of its items
        member, // one of its properties
        deep,   // what its nested names lead to (Parameter::deep): `member` is all behind its name
        misspelt, // begins like a property of a deepObject, but is not one: it belongs to no other
                  // parameter
    };
    std::size_t at = 0; // index of the parameter
    As as = As::whole;
    std::string_view member;
};

/// Fills in the index.
void index_query(PairParameters& pairs);

/// `name` is decoded. nullopt: it belongs to no declared parameter.
[[nodiscard]] std::optional<QueryOwner> find_owner(PairParameters const& pairs,
                                                   std::string_view name) noexcept;
/// The same as find_owner(), except for the object that takes all other names: whether the name is
/// declared.
[[nodiscard]] std::optional<QueryOwner> find_named(PairParameters const& pairs,
                                                   std::string_view name) noexcept;

/// Whether a pair with that name belongs to the parameter, independent of other parameters.
[[nodiscard]] bool is_named(Parameter const& parameter, std::string_view name) noexcept;

} // namespace sallyport::contract

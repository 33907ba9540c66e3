// Which parameter a pair of a query belongs to.
#pragma once

#include "gateway/contract/contract.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace sallyport::contract {

struct QueryOwner {
    enum class As : std::uint8_t {
        whole,    // the pair is the parameter, or one of its items
        member,   // one of its members
        misspelt, // begins as deepObject writes members, and is none: nobody else's all the same
    };
    std::size_t at = 0; // which parameter
    As as = As::whole;
    std::string_view member;
};

/// Fills in the index of its query's parameters.
void index_query(Operation& operation);

/// `name` is decoded. Nullopt: it belongs to none that is declared.
[[nodiscard]] std::optional<QueryOwner> find_owner(Operation const& operation,
                                                   std::string_view name) noexcept;
/// The same as find_owner without the object that takes all other names: whether it is declared.
[[nodiscard]] std::optional<QueryOwner> find_named(Operation const& operation,
                                                   std::string_view name) noexcept;

/// Whether a pair of that name is the parameter's, whatever others there are.
[[nodiscard]] bool is_named(Parameter const& parameter, std::string_view name) noexcept;

} // namespace sallyport::contract

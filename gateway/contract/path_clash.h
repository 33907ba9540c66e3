// Whether a request could be one of two contracts, or of a contract and of what lies beside it.
#pragma once

#include "gateway/contract/contract.h"

#include <optional>
#include <string>
#include <string_view>

namespace sallyport::contract {

/// The paths of a contract below a prefix, which may be empty.
struct MountedContract {
    Contract const& contract;
    std::string_view mount = {};
};

/// Two templates, one of each contract, that can match a common path.
struct PathClash {
    std::string left;
    std::string right;
};

/// Finds such a pair; nullopt: the contracts have no common path. Literals are compared as lenient
/// upstreams compare them (letter case, escapes, a slash at the end): a request must not be checked
/// by one contract and served as an operation of the other.
[[nodiscard]] std::optional<PathClash> find_clash(MountedContract const& left,
                                                  MountedContract const& right);

/// Finds a template of the contract that can match a path of `prefix`: every path below it if it
/// ends in a slash, otherwise this path alone. Compares like find_clash(); a path without the slash
/// at its end counts as one below it.
[[nodiscard]] std::optional<std::string> find_path_under(MountedContract const& contract,
                                                         std::string_view prefix);

} // namespace sallyport::contract

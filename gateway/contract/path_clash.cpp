// Whether a request could be one of two contracts, or of a contract and of what lies beside it.
#include "gateway/contract/path_clash.h"

#include <algorithm>

namespace sallyport::contract {

namespace {

// A parameter may have any value.
bool may_be_same(std::optional<std::string> const& left, std::optional<std::string> const& right) {
    return !left || !right || *left == *right;
}

} // namespace

std::optional<PathClash> find_clash(Contract const& left, Contract const& right) {
    auto const& left_templates = left.router().loose_templates();
    auto const& right_templates = right.router().loose_templates();
    for (std::size_t i = 0; i < left_templates.size(); ++i) {
        for (std::size_t j = 0; j < right_templates.size(); ++j) {
            auto const& one = left_templates[i];
            auto const& other = right_templates[j];
            bool const clash =
                std::equal(one.begin(), one.end(), other.begin(), other.end(), may_be_same);
            if (clash)
                return PathClash{left.router().items()[i].path, right.router().items()[j].path};
        }
    }
    return std::nullopt;
}

std::optional<std::string> find_path_under(Contract const& contract, std::string_view prefix) {
    bool const takes_all_below = prefix.ends_with('/');
    auto const outer = split_loosely(prefix);
    auto const& templates = contract.router().loose_templates();
    for (std::size_t i = 0; i < templates.size(); ++i) {
        auto const& one = templates[i];
        bool const may_be_long_enough =
            takes_all_below ? one.size() >= outer.size() : one.size() == outer.size();
        if (may_be_long_enough && std::equal(outer.begin(), outer.end(), one.begin(), may_be_same))
            return contract.router().items()[i].path;
    }
    return std::nullopt;
}

} // namespace sallyport::contract

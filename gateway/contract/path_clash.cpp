// Whether a request could be one of two contracts, or of a contract and of what lies beside it.
#include "gateway/contract/path_clash.h"

#include <algorithm>
#include <string_view>

namespace sallyport::contract {

namespace {

// Whether both texts may begin a segment, or end it.
bool may_share_beginning(std::string_view left, std::string_view right) {
    return left.starts_with(right) || right.starts_with(left);
}
bool may_share_end(std::string_view left, std::string_view right) {
    return left.ends_with(right) || right.ends_with(left);
}

// Whether one segment may be read as both: literals with parameters between them, a literal alone,
// or, without texts, anything.
bool may_be_same(LooseSegment const& left, LooseSegment const& right) {
    if (left.empty() || right.empty()) return true;
    if (left.size() == 1 && right.size() == 1) return left == right;
    if (left.size() == 1) return count_readings(right, left.front()) != 0;
    if (right.size() == 1) return count_readings(left, right.front()) != 0;
    // What lies between the ends is not compared: in doubt it may be the same.
    return may_share_beginning(left.front(), right.front())
           && may_share_end(left.back(), right.back());
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

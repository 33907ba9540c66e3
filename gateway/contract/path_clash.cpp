// Whether a request could be one of two contracts, or of a contract and of what lies beside it.
#include "gateway/contract/path_clash.h"

#include <algorithm>
#include <string_view>
#include <vector>

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

// The templates of the contract, as they stand in the path of a request.
std::vector<LooseSegments> mounted_templates(MountedContract const& from) {
    auto templates = from.contract.router().loose_templates();
    if (from.mount.empty()) return templates;
    auto const before = split_loosely(from.mount);
    for (auto& segments : templates)
        segments.insert(segments.begin(), before.begin(), before.end());
    return templates;
}

std::string mounted_path(MountedContract const& from, std::size_t index) {
    return std::string{from.mount} + from.contract.router().items()[index].path;
}

} // namespace

std::optional<PathClash> find_clash(MountedContract const& left, MountedContract const& right) {
    auto const left_templates = mounted_templates(left);
    auto const right_templates = mounted_templates(right);
    for (std::size_t i = 0; i < left_templates.size(); ++i) {
        for (std::size_t j = 0; j < right_templates.size(); ++j) {
            auto const& one = left_templates[i];
            auto const& other = right_templates[j];
            bool const clash =
                std::equal(one.begin(), one.end(), other.begin(), other.end(), may_be_same);
            if (clash) return PathClash{mounted_path(left, i), mounted_path(right, j)};
        }
    }
    return std::nullopt;
}

std::optional<std::string> find_path_under(MountedContract const& contract,
                                           std::string_view prefix) {
    bool const takes_all_below = prefix.ends_with('/');
    auto const outer = split_loosely(prefix);
    auto const templates = mounted_templates(contract);
    for (std::size_t i = 0; i < templates.size(); ++i) {
        auto const& one = templates[i];
        bool const may_be_long_enough =
            takes_all_below ? one.size() >= outer.size() : one.size() == outer.size();
        if (may_be_long_enough && std::equal(outer.begin(), outer.end(), one.begin(), may_be_same))
            return mounted_path(contract, i);
    }
    return std::nullopt;
}

} // namespace sallyport::contract

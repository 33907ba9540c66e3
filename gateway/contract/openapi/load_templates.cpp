// The paths of a document beside each other: which ones overlap, and the router of all.
#include "gateway/contract/openapi/load.h"

#include "gateway/text/ascii.h"

#include <algorithm>

namespace sallyport::contract {

namespace yaml = config::yaml;

namespace {

// A segment such as `v1`, after which the paths of one version of an API begin.
[[nodiscard]] bool is_version(std::string_view segment) noexcept {
    return segment.size() > 1 && (segment.front() == 'v' || segment.front() == 'V')
           && std::all_of(segment.begin() + 1, segment.end(), text::is_digit);
}

[[nodiscard]] std::string owned_prefix(PathTemplate const& segments) {
    std::string prefix = "/";
    std::string first = "/";
    for (std::size_t i = 0; i < segments.size(); ++i) {
        auto const& segment = segments[i];
        if (segment.kind != TemplateSegment::Kind::literal || segment.name.empty()) break;
        prefix += segment.name + '/';
        if (i == 0) first = prefix;
        if (is_version(segment.name)) return prefix;
    }
    return first;
}

// "a and b", or "a, b and 3 others".
[[nodiscard]] std::string list_some(std::vector<std::string> const& paths) {
    constexpr std::size_t most = 3;
    std::string text = paths.front();
    for (std::size_t i = 1; i < std::min(paths.size(), most); ++i)
        text += (i + 1 == paths.size() ? " and " : ", ") + paths[i];
    if (paths.size() > most) text += " and " + std::to_string(paths.size() - most) + " others";
    return text;
}

} // namespace

// Adds the operations of a path to another one that matches the same requests. False: both have an
// operation of one method.
bool Loader::join_path(std::size_t into, std::size_t from) {
    auto& known = items_[into].methods;
    auto const& more = items_[from].methods;
    auto const is_known = [&known](PathItem::Method const& one) {
        return std::any_of(known.begin(), known.end(),
                           [&one](auto const& other) { return other.name == one.name; });
    };
    if (std::any_of(more.begin(), more.end(), is_known)) return false;
    known.insert(known.end(), more.begin(), more.end());
    list_allowed(items_[into]);
    return true;
}

// OpenAPI 3.1, 4.8.8.2: templates that differ only in the names of parameters are one path; which
// one of two that overlap takes precedence is left to the tools.
void Loader::check_templates() {
    std::vector<std::size_t> joined; // with an earlier one
    for (std::size_t right = 1; right < templates_.size(); ++right) {
        std::vector<std::size_t> crossed;
        for (std::size_t left = 0; left < right; ++left) {
            auto const overlap = compare_templates(templates_[left], templates_[right]);
            if (overlap == Overlap::crossed) crossed.push_back(left);
            if (overlap != Overlap::same) continue;
            if (join_path(left, right)) {
                warn(*path_nodes_[right], yaml::join_key("paths", items_[right].path),
                     "is the same path as " + items_[left].path + " of line "
                         + std::to_string(path_marks_[left].line)
                         + ", which has other methods: they are read as one path",
                     "write one path for both");
                joined.push_back(right);
                break;
            }
            error(*path_nodes_[right], yaml::join_key("paths", items_[right].path),
                  "is the same path as " + items_[left].path + " of line "
                      + std::to_string(path_marks_[left].line),
                  "write one path for both");
        }
        if (joined.empty() || joined.back() != right) warn_of_crossed(right, crossed);
    }
    for (auto at = joined.rbegin(); at != joined.rend(); ++at) {
        auto const offset = static_cast<std::ptrdiff_t>(*at);
        items_.erase(items_.begin() + offset);
        templates_.erase(templates_.begin() + offset);
        path_nodes_.erase(path_nodes_.begin() + offset);
        path_marks_.erase(path_marks_.begin() + offset);
    }
}

// One warning for a path, with those before it by their precedence.
void Loader::warn_of_crossed(std::size_t right, std::vector<std::size_t> const& crossed) {
    std::vector<std::string> after;
    std::vector<std::string> before;
    std::vector<std::string> equal;
    for (auto const left : crossed) {
        auto const precedence = find_precedence(templates_[left], templates_[right]);
        auto& list = precedence == Precedence::left    ? before
                     : precedence == Precedence::right ? after
                                                       : equal;
        list.push_back(items_[left].path);
    }
    auto const warn_of = [&](std::vector<std::string> const& paths, std::string const& result) {
        if (paths.empty()) return;
        warn(*path_nodes_[right], yaml::join_key("paths", items_[right].path),
             "can match the same path as " + list_some(paths) + ": " + result,
             "write one path for both, or one that has a literal wherever the other has one");
    };
    warn_of(before, "the other one takes precedence, whose literal is further left");
    warn_of(after, "this one takes precedence, whose literal is further left");
    warn_of(equal, "a request for such a path is refused");
}

void Loader::find_owned_prefixes() {
    std::vector<std::string> all;
    for (auto const& segments : templates_)
        all.push_back(owned_prefix(segments));
    std::sort(all.begin(), all.end());
    for (auto& prefix : all) {
        auto& kept = contract_->owned_prefixes_;
        // Sorted: a prefix is after those that contain it.
        auto const is_inside = [&prefix](std::string const& outer) {
            return prefix.compare(0, outer.size(), outer) == 0;
        };
        if (std::none_of(kept.begin(), kept.end(), is_inside)) kept.push_back(std::move(prefix));
    }
}

void Loader::make_router() {
    find_owned_prefixes();
    contract_->router_ = Router{std::move(items_), std::move(templates_)};
}

} // namespace sallyport::contract

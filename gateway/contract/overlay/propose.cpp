// An overlay with which a document loads.
#include "gateway/contract/overlay/propose.h"

#include "gateway/contract/openapi/load.h"
#include "gateway/contract/overlay/jsonpath.h"
#include "gateway/contract/overlay/overlay.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

namespace sallyport::contract {

namespace yaml = config::yaml;

namespace {

// Each round removes what the one before found: behind an error there may be others.
constexpr int most_rounds = 5;
constexpr std::size_t most_targets = 2'000;

// A place in a document, as the segments of a JSONPath: `['paths']`, `[0]`, `[?@.name=='id']`.
using Segments = std::vector<std::string>;

[[nodiscard]] std::string joined(Segments const& segments) {
    std::string text = "$";
    for (auto const& one : segments)
        text += one;
    return text;
}

// RFC 9535, 2.3.1.1: a name in single quotes.
[[nodiscard]] std::string in_single_quotes(std::string_view name) {
    std::string out = "'";
    for (char const c : name) {
        if (c == '\'' || c == '\\') out += '\\';
        out += c;
    }
    return out + '\'';
}

// An item by what names it: its index changes with what is removed before it.
[[nodiscard]] std::string segment_of(yaml::Node const& item, std::size_t index) {
    auto const text_of = [&item](std::string_view key) {
        yaml::Node const* const value = item.find(key);
        return value != nullptr && value->is_string() ? in_single_quotes(value->text())
                                                      : std::string{};
    };
    if (auto const reference = text_of("$ref"); !reference.empty())
        return "[?@['$ref']==" + reference + ']';
    auto const name = text_of("name");
    auto const place = text_of("in");
    if (!name.empty() && !place.empty())
        return "[?@.name==" + name + " && @.in==" + place + ']';
    return '[' + std::to_string(index) + ']';
}

// Finds the places of errors in a document, by their marks and paths.
class PlaceSearch {
public:
    explicit PlaceSearch(yaml::Problems const& errors) {
        for (auto const& one : errors)
            wanted_[{one.where.line, one.where.column}].insert(one.path);
    }

    void visit(yaml::Node const& node, yaml::Mark const& mark, std::string const& path) {
        if (found_.size() > most_targets) return;
        for (auto const* const at : {&mark, &node.mark()}) {
            auto const known = wanted_.find({at->line, at->column});
            if (known == wanted_.end() || !known->second.contains(path)) continue;
            found_.push_back(segments_);
            // Without its reference an item of a list would say nothing, or not be valid.
            auto& place = found_.back();
            bool const is_item = place.size() > 1 && !place[place.size() - 2].starts_with("['");
            if (is_item && place.back() == "['$ref']") place.pop_back();
            return;
        }
        for (auto const& entry : node.entries()) {
            segments_.push_back('[' + in_single_quotes(entry.key) + ']');
            visit(entry.value, entry.mark, yaml::join_key(path, entry.key));
            segments_.pop_back();
        }
        for (std::size_t i = 0; i < node.items().size(); ++i) {
            auto const& item = node.items()[i];
            segments_.push_back(segment_of(item, i));
            visit(item, item.mark(), yaml::join_index(path, i));
            segments_.pop_back();
        }
    }

    [[nodiscard]] std::vector<Segments> const& found() const noexcept { return found_; }

private:
    std::map<std::pair<unsigned, unsigned>, std::set<std::string>> wanted_;
    Segments segments_;
    std::vector<Segments> found_;
};

// Whether it is a part of something: not a path, an operation or a component itself.
[[nodiscard]] bool may_be_removed(Segments const& place) {
    return place.size() > (place.empty() || place.front() != "['paths']" ? 2U : 3U);
}

[[nodiscard]] std::size_t count_selected(std::string const& target, yaml::Node const& root) {
    auto const parsed = jsonpath::parse(target);
    if (!parsed.query) return 0;
    jsonpath::Work work;
    return jsonpath::select(*parsed.query, root, work).matches.size();
}

// One target for places that differ in some of their segments, if it selects no others; else one
// for each.
[[nodiscard]] std::vector<std::string> targets_of(std::vector<Segments> const& places,
                                                  yaml::Node const& root) {
    std::vector<std::string> targets;
    if (places.size() > 1) {
        Segments common = places.front();
        for (auto const& one : places)
            for (std::size_t i = 0; i < common.size(); ++i)
                if (one[i] != common[i]) common[i] = "[*]";
        auto const target = joined(common);
        if (count_selected(target, root) == places.size()) return {target};
    }
    for (auto const& one : places)
        targets.push_back(joined(one));
    // From the end: the index of an item changes with those before it.
    std::reverse(targets.begin(), targets.end());
    return targets;
}

[[nodiscard]] std::string in_double_quotes(std::string_view text) {
    std::string out = "\"";
    for (char const c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out + '"';
}

[[nodiscard]] std::string overlay_of(std::vector<std::string> const& targets) {
    std::string text = "overlay: 1.0.0\n"
                       "info: { title: What the gateway cannot load, version: 1.0.0 }\n"
                       "actions:\n";
    for (auto const& target : targets)
        text += "  - target: " + in_double_quotes(target) + "\n    remove: true\n";
    return text;
}

} // namespace

std::string propose_overlay(std::string const& file, LoadOptions const& options,
                            JudgeContract const& judge) {
    LoadOptions own = options;
    own.folder = std::filesystem::path{file}.parent_path().string();
    std::vector<std::string> targets;
    for (int round = 0; round < most_rounds; ++round) {
        auto document =
            with_overlays(yaml::load_file(file, yaml::Syntax::full), options.overlays);
        std::string const overlay = targets.empty() ? std::string{} : overlay_of(targets);
        if (!overlay.empty()) {
            std::vector<yaml::Document> proposed;
            proposed.push_back(yaml::load_text(overlay, "proposal", yaml::Syntax::full));
            document = with_overlays(std::move(document), std::move(proposed));
        }
        if (!document.is_whole()) return {};
        auto const [loader, loaded] = load_openapi(std::move(document), own);
        auto const errors = loaded.contract ? judge(*loaded.contract) : loaded.errors;
        if (errors.empty() && loaded.contract) return overlay;
        yaml::Node const& root = loader->document().root();
        PlaceSearch search{errors};
        search.visit(root, root.mark(), {});
        // What the errors say is the same for those of one kind: their last segment names it.
        std::map<std::pair<std::size_t, std::string>, std::vector<Segments>> kinds;
        for (auto const& place : search.found()) {
            if (!may_be_removed(place)) return {};
            kinds[{place.size(), place.back()}].push_back(place);
        }
        if (kinds.empty()) return {};
        for (auto const& [kind, places] : kinds) {
            auto more = targets_of(places, root);
            targets.insert(targets.end(), more.begin(), more.end());
        }
    }
    return {};
}

} // namespace sallyport::contract

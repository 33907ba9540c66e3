// Applies overlays to a document: see overlay.h.
#include "gateway/contract/overlay/overlay.h"

#include "config/text.h"
#include "config/yaml_edit.h"
#include "gateway/contract/overlay/overlay_read.h"

#include <algorithm>
#include <map>

namespace sallyport::contract {

namespace yaml = config::yaml;

namespace {

using jsonpath::Location;
using yaml::Editor;
using yaml::Entry;
using yaml::Node;

enum class Shape : std::uint8_t { primitive, list, mapping };

[[nodiscard]] Shape shape_of(Node const& node) noexcept {
    if (node.is_mapping()) return Shape::mapping;
    return node.is_sequence() ? Shape::list : Shape::primitive;
}

constexpr std::string_view too_much_work =
    "needs more work than all overlays of a document may take";

// `api.yaml:12:3`: a place in another file than that of the problem.
[[nodiscard]] std::string place_of(Node const& node) {
    yaml::Mark const& mark = node.mark();
    return std::string{mark.file_name()} + ':' + std::to_string(mark.line) + ':'
           + std::to_string(mark.column);
}

// Changes one document by overlays. After the first action that fails nothing more is changed.
class Applier {
public:
    explicit Applier(yaml::Document document)
        : editor_{std::move(document)}, size_{yaml::size_of(editor_.root())} {}

    void apply(Overlay const& overlay) {
        version_ = overlay.version;
        check_extends(overlay);
        for (OverlayAction const& action : overlay.actions) {
            if (has_failed_) return;
            apply(action);
        }
    }

    [[nodiscard]] yaml::Document finish(yaml::Problems problems) && {
        std::move(problems_.begin(), problems_.end(), std::back_inserter(problems));
        auto const extent = has_failed_ ? yaml::Extent::nothing : yaml::Extent::whole;
        return std::move(editor_).finish(std::move(problems), extent);
    }

private:
    void warn(Node const& node, std::string path, std::string what, std::string hint) {
        if (problems_.size() >= yaml::max_problems) return;
        problems_.push_back(yaml::problem_at(node, std::move(path), std::move(what),
                                             std::move(hint), yaml::Severity::warning));
    }
    bool fail(Node const& node, std::string path, std::string_view what, std::string hint) {
        has_failed_ = true;
        problems_.push_back(
            yaml::problem_at(node, std::move(path), std::string{what}, std::move(hint)));
        return false;
    }

    [[nodiscard]] std::string document_name() {
        return std::string{editor_.root().mark().file_name()};
    }

    void check_extends(Overlay const& overlay) {
        Node const* const extends = overlay.extends;
        if (extends == nullptr
            || names_document(extends->text(), extends->mark().file_name(), document_name())) {
            return;
        }
        warn(*extends, "extends",
             "names another document than " + document_name() + ", to which the overlay is applied",
             "write the document's name, or remove extends");
    }

    void apply(OverlayAction const& action);
    bool select(jsonpath::Query const& query, Node const& at, std::string const& path,
                std::vector<Location>& out);
    bool check_targets(OverlayAction const& action, std::vector<Location> const& targets);
    bool find_source(OverlayAction const& action, Node& out);
    bool put(OverlayAction const& action, Node const& value, std::vector<Location> const& targets);
    bool put(Node& target, Node const& value, std::size_t depth);
    bool merge(Node& target, Node const& value, std::size_t depth, std::string const& path);
    bool fail_to_merge(Node const& target, Node const& value, std::string const& path);
    bool append(Node& list, Node const& value, std::size_t depth);
    bool count(Node const& value, std::size_t depth);
    bool remove(OverlayAction const& action, std::vector<Location> const& targets);

    // Where the value of the action stands in the overlay.
    [[nodiscard]] std::string value_path() const {
        return yaml::join_key(action_->path, action_->copy ? "copy" : "update");
    }
    [[nodiscard]] Node& node_at(Location const& location) {
        Node* node = &editor_.root();
        for (std::uint32_t const index : location)
            node = &Editor::child(*node, index);
        return *node;
    }

    Editor editor_;
    yaml::Problems problems_;
    jsonpath::Work work_{overlay_work};
    std::size_t size_; // of the document
    OverlayVersion version_ = OverlayVersion::v1_1;
    // Of the action that is being applied.
    OverlayAction const* action_ = nullptr;
    Node const* source_ = nullptr; // where its value is written: update, or copy
    bool has_failed_ = false;
};

// The selected places, each once, in the order of the document.
bool Applier::select(jsonpath::Query const& query, Node const& at, std::string const& path,
                     std::vector<Location>& out) {
    auto selected = jsonpath::select(query, editor_.root(), work_);
    if (!selected.is_whole) {
        return fail(at, path, too_much_work, "write a query without .. or with fewer filters");
    }
    if (!selected.bad_pattern.empty()) {
        warn(at, path,
             "the pattern " + config::in_quotes(selected.bad_pattern)
                 + " matches nothing, because it is no I-Regexp (RFC 9485): "
                 + selected.pattern_error,
             "write another");
    }
    for (auto& match : selected.matches)
        out.push_back(std::move(match.location));
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return true;
}

void Applier::apply(OverlayAction const& action) {
    action_ = &action;
    std::string const path = yaml::join_key(action.path, "target");
    std::vector<Location> targets;
    if (!select(action.target, *action.target_node, path, targets)) return;
    if (targets.empty()) {
        return warn(*action.target_node, path, "matches nothing in " + document_name(),
                    "correct it, or remove the action");
    }
    if (!check_targets(action, targets)) return;
    if (action.remove) {
        (void)remove(action, targets);
    } else if (action.copy) {
        Node source;
        if (find_source(action, source)) (void)put(action, source, targets);
    } else if (action.update != nullptr) {
        (void)put(action, *action.update, targets);
    }
}

bool Applier::check_targets(OverlayAction const& action, std::vector<Location> const& targets) {
    std::string const path = yaml::join_key(action.path, "target");
    Node const* const first = &node_at(targets.front());
    bool is_primitive = first->is_scalar();
    bool const may_differ = action.remove || version_ == OverlayVersion::v1_0;
    for (Location const& location : targets) {
        Node const& node = node_at(location);
        is_primitive = is_primitive || node.is_scalar();
        // Overlay 1.1.0, Action Object: two or more nodes are all of one kind.
        if (may_differ || shape_of(node) == shape_of(*first)) continue;
        return fail(*action.target_node, path,
                    "selects values of different kinds, at " + place_of(*first) + " and "
                        + place_of(node),
                    "write an action for each kind");
    }
    if (version_ == OverlayVersion::v1_0 && is_primitive) {
        warn(*action.target_node, path,
             "selects a value that is neither a mapping nor a list, which version 1.0 does not "
             "define",
             "write overlay: 1.1.0");
    }
    return true;
}

// The value of `copy`, before this action changes anything.
bool Applier::find_source(OverlayAction const& action, Node& out) {
    std::string const path = yaml::join_key(action.path, "copy");
    std::vector<Location> sources;
    if (!select(*action.copy, *action.copy_node, path, sources)) return false;
    if (sources.size() != 1) {
        return fail(*action.copy_node, path,
                    sources.empty() ? "matches nothing in " + document_name()
                                    : "selects " + std::to_string(sources.size()) + " values",
                    "write a JSONPath that selects one value");
    }
    Node const& source = node_at(sources.front());
    if (!work_.take(yaml::size_of(source))) {
        return fail(*action.copy_node, path, too_much_work, "copy less");
    }
    out = source;
    return true;
}

bool Applier::put(OverlayAction const& action, Node const& value,
                  std::vector<Location> const& targets) {
    source_ = action.copy_node != nullptr ? action.copy_node : action.update;
    if (version_ == OverlayVersion::v1_0 && value.is_sequence()
        && node_at(targets.front()).is_sequence()) {
        warn(*source_, yaml::join_key(action.path, "update"),
             "is appended as one item, a list in the list: so version 1.0 defines it",
             "write overlay: 1.1.0 to append its items");
    }
    for (Location const& location : targets) {
        if (!put(node_at(location), value, location.size())) return false;
    }
    return true;
}

// Overlay 1.1.0, Action Object: `update`. `depth`: of the target in the document.
bool Applier::put(Node& target, Node const& value, std::size_t depth) {
    if (target.is_sequence()) {
        bool const concatenates = version_ == OverlayVersion::v1_1 && value.is_sequence();
        if (!concatenates) return append(target, value, depth);
    }
    return merge(target, value, depth, value_path());
}

bool Applier::fail_to_merge(Node const& target, Node const& value, std::string const& path) {
    std::string const hint = "remove that one in an action before this";
    std::string const into = " cannot be merged into " + std::string{name_of(target.kind())}
                             + ", the one at " + place_of(target);
    if (!action_->copy) {
        return fail(value, path, std::string{name_of(value.kind())} + into, hint);
    }
    // The value is written in the document: the problem stands at the action that copies it.
    return fail(*source_, path,
                std::string{name_of(value.kind())} + ", the one at " + place_of(value) + "," + into,
                hint);
}

bool Applier::merge(Node& target, Node const& value, std::size_t depth, std::string const& path) {
    if (shape_of(target) != shape_of(value)) return fail_to_merge(target, value, path);
    if (!work_.take(1)) return fail(*source_, path, too_much_work, "write fewer changes");
    if (target.is_scalar()) {
        Editor::replace(target, value);
        return true;
    }
    for (Node const& item : value.items()) {
        if (!append(target, item, depth)) return false;
    }
    for (Entry const& entry : value.entries()) {
        if (auto const* const known = target.find_entry(entry.key); known != nullptr) {
            auto const index = static_cast<std::size_t>(known - target.entries().data());
            Node& child = Editor::child(target, index);
            auto const at = yaml::join_key(path, entry.key);
            if (!merge(child, entry.value, depth + 1, at)) return false;
        } else {
            if (!count(entry.value, depth)) return false;
            Editor::add(target, entry);
        }
    }
    return true;
}

bool Applier::append(Node& list, Node const& value, std::size_t depth) {
    if (!count(value, depth)) return false;
    Editor::append(list, value);
    return true;
}

// Whether a value may be added below a list or mapping at `depth`.
bool Applier::count(Node const& value, std::size_t depth) {
    std::size_t const size = yaml::size_of(value);
    std::string const path = value_path();
    size_ += size;
    if (!work_.take(size) || size_ > yaml::max_nodes) {
        return fail(*source_, path,
                    size_ > yaml::max_nodes ? "makes the document larger than "
                                                  + std::to_string(yaml::max_nodes) + " values"
                                            : std::string{too_much_work},
                    "write fewer or smaller changes");
    }
    if (depth + 1 + yaml::depth_of(value) > yaml::max_depth) {
        return fail(*source_, path,
                    "nests the document deeper than " + std::to_string(yaml::max_depth) + " levels",
                    "make it flatter");
    }
    return true;
}

bool Applier::remove(OverlayAction const& action, std::vector<Location> const& targets) {
    std::map<Location, std::vector<std::uint32_t>> by_parent;
    for (Location location : targets) {
        if (location.empty()) {
            return fail(*action.target_node, yaml::join_key(action.path, "target"),
                        "is the whole document, which cannot be removed", "remove parts of it");
        }
        std::uint32_t const index = location.back();
        location.pop_back();
        by_parent[std::move(location)].push_back(index);
    }
    // From the end: removing a child moves what comes after it, which has been changed already.
    for (auto one = by_parent.rbegin(); one != by_parent.rend(); ++one) {
        Node& parent = node_at(one->first);
        std::size_t removed = 0;
        for (std::uint32_t const index : one->second)
            removed += yaml::size_of(Editor::child(parent, index));
        std::size_t const moved = parent.items().size() + parent.entries().size();
        if (!work_.take(removed + moved)) {
            return fail(*action.target_node, yaml::join_key(action.path, "target"), too_much_work,
                        "remove what is around it");
        }
        Editor::remove(parent, one->second);
        size_ -= removed;
    }
    return true;
}

} // namespace

yaml::Document with_overlays(yaml::Document document, std::vector<std::string> const& files) {
    std::vector<yaml::Document> overlays;
    if (files.size() > max_overlays) {
        yaml::Problems problems{yaml::problem_at(
            document.root(), {}, "has more than " + std::to_string(max_overlays) + " overlays",
            "write several actions into one")};
        return Editor{std::move(document)}.finish(std::move(problems), yaml::Extent::nothing);
    }
    for (std::string const& file : files)
        overlays.push_back(yaml::load_file(file, yaml::Syntax::full));
    return with_overlays(std::move(document), std::move(overlays));
}

yaml::Document with_overlays(yaml::Document document, std::vector<yaml::Document> overlays) {
    if (overlays.empty()) return document;
    yaml::Problems problems;
    std::vector<Overlay> read;
    for (yaml::Document const& overlay : overlays) {
        problems.insert(problems.end(), overlay.problems().begin(), overlay.problems().end());
        if (overlay.is_whole()) read.push_back(read_overlay(overlay.root(), problems));
    }
    if (yaml::has_errors(problems) || !document.is_whole()) {
        return Editor{std::move(document)}.finish(std::move(problems), yaml::Extent::nothing);
    }
    Applier applier{std::move(document)};
    for (Overlay const& overlay : read)
        applier.apply(overlay);
    return std::move(applier).finish(std::move(problems));
}

} // namespace sallyport::contract

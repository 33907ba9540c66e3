// Reads overlay documents (Overlay Specification 1.1.0, "Schema").
#include "gateway/contract/overlay/overlay_read.h"

#include "config/text.h"
#include "gateway/contract/overlay/overlay.h"
#include "gateway/contract/text/uri.h"
#include "gateway/text/ascii.h"
#include "gateway/text/percent.h"
#include "gateway/text/utf8.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <span>

namespace sallyport::contract {

namespace yaml = config::yaml;

namespace {

using yaml::Entry;
using yaml::Node;

constexpr std::array<std::string_view, 4> overlay_keys{"overlay", "info", "extends", "actions"};
constexpr std::array<std::string_view, 3> info_keys{"title", "version", "description"};
constexpr std::array<std::string_view, 5> action_keys{"target", "description", "update", "copy",
                                                      "remove"};

// `1.1` and a patch version, which has no effect.
[[nodiscard]] std::optional<OverlayVersion> version_of(std::string_view text) noexcept {
    bool const is_1_0 = text.starts_with("1.0.");
    if (!is_1_0 && !text.starts_with("1.1.")) return std::nullopt;
    std::string_view const patch = text.substr(4);
    if (patch.empty() || !std::all_of(patch.begin(), patch.end(), text::is_digit)) {
        return std::nullopt;
    }
    return is_1_0 ? OverlayVersion::v1_0 : OverlayVersion::v1_1;
}

class Reader {
public:
    explicit Reader(yaml::Problems& problems) : problems_{problems} {}

    Overlay read(Node const& root) {
        Overlay out;
        if (!check_keys(root, "", "an overlay", overlay_keys)) return out;
        read_version(root, out);
        check_info(root);
        if (Node const* const extends = find_text(root, "", "extends")) out.extends = extends;
        Node const* const actions = root.find("actions");
        if (actions == nullptr || !actions->is_sequence() || actions->items().empty()) {
            error(actions != nullptr ? *actions : root, "actions",
                  "must be a list of at least one action", "write - target: $.paths");
            return out;
        }
        if (actions->items().size() > max_actions) {
            error(*actions, "actions", "has more than " + std::to_string(max_actions) + " actions",
                  "write one action for several places");
            return out;
        }
        for (std::size_t i = 0; i < actions->items().size(); ++i)
            read_action(actions->items()[i], yaml::join_index("actions", i), out);
        return out;
    }

private:
    void add(Node const& node, std::string path, std::string what, std::string hint,
             yaml::Severity severity) {
        if (problems_.size() >= yaml::max_problems) return;
        problems_.push_back(
            yaml::problem_at(node, std::move(path), std::move(what), std::move(hint), severity));
    }
    void error(Node const& node, std::string path, std::string what, std::string hint = {}) {
        add(node, std::move(path), std::move(what), std::move(hint), yaml::Severity::error);
    }

    bool check_keys(Node const& node, std::string const& path, std::string_view what,
                    std::span<std::string_view const> known) {
        if (!node.is_mapping()) {
            error(node, path, "must be a mapping, and is " + std::string{name_of(node.kind())});
            return false;
        }
        for (Entry const& entry : node.entries()) {
            bool const is_known = std::find(known.begin(), known.end(), entry.key) != known.end();
            if (is_known || entry.key.starts_with("x-")) continue;
            if (problems_.size() >= yaml::max_problems) return false;
            problems_.push_back(
                {entry.mark, yaml::join_key(path, entry.key),
                 config::in_quotes(entry.key) + " of " + std::string{what} + " is unknown",
                 config::suggestion(entry.key, known), yaml::Severity::error});
        }
        return true;
    }

    // The value of a key if it is a string; null: there is none, or a problem was added.
    Node const* find_text(Node const& node, std::string const& path, std::string_view key) {
        Node const* const value = node.find(key);
        if (value == nullptr || value->is_string()) return value;
        error(*value, yaml::join_key(path, key),
              "must be a string, and is " + std::string{name_of(value->kind())},
              value->is_scalar() ? "write it in quotes" : "");
        return nullptr;
    }

    void read_version(Node const& root, Overlay& out) {
        Node const* const node = root.find("overlay");
        auto const version =
            node != nullptr && node->is_string() ? version_of(node->text()) : std::nullopt;
        if (version) {
            out.version = *version;
        } else {
            error(node != nullptr ? *node : root, "overlay",
                  "must be version 1.0 or 1.1 of the Overlay Specification",
                  "write overlay: 1.1.0");
        }
    }

    void check_info(Node const& root) {
        Node const* const info = root.find("info");
        if (info == nullptr) {
            error(root, "info", "is missing", "write info: {title: ..., version: ...}");
            return;
        }
        if (!check_keys(*info, "info", "info", info_keys)) return;
        for (std::string_view const key : info_keys) {
            bool const is_missing = info->find(key) == nullptr && key != "description";
            if (is_missing) {
                error(*info, yaml::join_key("info", key), "is missing",
                      "write " + std::string{key} + ": ...");
            }
            (void)find_text(*info, "info", key);
        }
    }

    std::optional<jsonpath::Query> read_query(Node const& node, std::string const& path) {
        auto parsed = jsonpath::parse(node.text());
        if (parsed.query) return std::move(parsed.query);
        auto const before = std::string_view{node.text()}.substr(0, parsed.offset);
        error(node, path,
              "is no JSONPath (RFC 9535): at character "
                  + std::to_string(text::count_code_points(before) + 1) + ": " + parsed.error,
              std::move(parsed.hint));
        return std::nullopt;
    }

    void read_action(Node const& node, std::string const& path, Overlay& out) {
        if (!check_keys(node, path, "an action", action_keys)) return;
        OverlayAction action;
        action.node = &node;
        action.path = path;
        action.update = node.find("update");
        (void)find_text(node, path, "description");
        read_remove(node, path, action);
        read_copy(node, path, out.version, action);
        check_what_it_does(node, path, action);
        if (node.find("target") == nullptr) {
            return error(node, yaml::join_key(path, "target"), "is missing",
                         "write the JSONPath of what is changed, such as $.paths['/a'].get");
        }
        action.target_node = find_text(node, path, "target");
        if (action.target_node == nullptr) return;
        auto target = read_query(*action.target_node, yaml::join_key(path, "target"));
        if (!target) return;
        action.target = std::move(*target);
        out.actions.push_back(std::move(action));
    }

    void read_remove(Node const& node, std::string const& path, OverlayAction& action) {
        Node const* const remove = node.find("remove");
        if (remove == nullptr) return;
        if (!remove->is_boolean()) {
            return error(*remove, yaml::join_key(path, "remove"),
                         "must be a boolean, and is " + std::string{name_of(remove->kind())},
                         "write true or false");
        }
        action.remove = remove->as_boolean();
    }

    void read_copy(Node const& node, std::string const& path, OverlayVersion version,
                   OverlayAction& action) {
        action.copy_node = find_text(node, path, "copy");
        if (action.copy_node == nullptr) return;
        std::string const at = yaml::join_key(path, "copy");
        if (version == OverlayVersion::v1_0) {
            return error(*action.copy_node, at, "is not part of version 1.0",
                         "write overlay: 1.1.0");
        }
        action.copy = read_query(*action.copy_node, at);
    }

    // Overlay 1.1.0, Action Object: `update` and `copy` have no effect beside each other, nor
    // beside `remove: true`.
    void check_what_it_does(Node const& node, std::string const& path, OverlayAction& action) {
        if (action.update != nullptr && action.copy_node != nullptr && !action.remove) {
            error(node, path, "has update and copy, of which each takes the effect of the other",
                  "write two actions");
        } else if (action.remove && (action.update != nullptr || action.copy_node != nullptr)) {
            add(node, path,
                std::string{action.update != nullptr ? "update" : "copy"}
                    + " has no effect beside remove: true",
                "remove one of them", yaml::Severity::warning);
        } else if (!action.remove && action.update == nullptr && action.copy_node == nullptr) {
            add(node, path, "changes nothing", "write update, copy or remove: true",
                yaml::Severity::warning);
        }
    }

    yaml::Problems& problems_;
};

[[nodiscard]] std::string_view last_segment(std::string_view path) noexcept {
    return path.substr(path.rfind('/') + 1); // npos + 1: the whole
}

} // namespace

Overlay read_overlay(Node const& root, yaml::Problems& problems) {
    return Reader{problems}.read(root);
}

bool names_document(std::string_view reference, std::string_view overlay_file,
                    std::string_view document_file) {
    namespace fs = std::filesystem;
    std::string_view const uri = split_fragment(reference).uri;
    std::string_view const encoded = path_of_uri(uri);
    std::string const path = text::percent_decoded(encoded).value_or(std::string{encoded});
    bool const is_url = uri.find("://") != std::string_view::npos && !uri.starts_with("file:");
    if (is_url) return last_segment(path) == last_segment(document_file);
    fs::path const named = fs::path{overlay_file}.parent_path() / path;
    std::error_code ec;
    if (fs::equivalent(named, fs::path{document_file}, ec)) return true;
    return named.lexically_normal() == fs::path{document_file}.lexically_normal();
}

} // namespace sallyport::contract

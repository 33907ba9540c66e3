// The documents that schemas are read from: the loaded document, files of the configured folders,
// and the metaschemas; every schema resource is found by its URI.
#pragma once

#include "config/yaml.h"
#include "gateway/contract/schema/dialect.h"
#include "gateway/contract/schema/problem_list.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace sallyport::contract {

inline constexpr std::size_t max_documents = 5000; // of one contract, indirect references included
/// Of all files that the references of one contract lead to, together.
inline constexpr std::size_t max_bytes_of_files = 64 * 1024 * 1024;

/// A part of a document with its own URI, and its anchors from `$anchor` and `$dynamicAnchor` (JSON
/// Schema 2020-12 core, 4.3.5 and 8.2). A whole document is a resource, too.
struct Resource {
    struct Anchor {
        std::string name;
        config::yaml::Node const* node = nullptr;
        std::string path; // in the document, for problems
        bool is_dynamic = false;
    };
    config::yaml::Node const* root = nullptr;
    std::string path; // of the root in its document
    std::string uri;  // absolute, without fragment; empty: the document has no `$id`
    Vocabularies vocabularies = 0;
    /// Of vocabulary::unknown: where the dialect is named, and what is said of it; null: in the
    /// document that refers to this one.
    config::yaml::Node const* dialect = nullptr;
    std::string dialect_path;
    std::string dialect_fault;
    std::vector<Anchor> anchors;

    /// The anchor with that name; null: there is none.
    [[nodiscard]] Anchor const* find_anchor(std::string_view name) const noexcept;
};

/// The target of a reference: a schema, or another object.
struct Target {
    config::yaml::Node const* node = nullptr;
    std::string path; // for problems
    Resource const* resource = nullptr;
};

/// The result of resolving a reference: a target, or an error message with a hint.
struct Resolved {
    std::optional<Target> target;
    std::string error; // why there is no target
    std::string hint;
};

/// Owns all documents but the first, which outlives it. Nothing is fetched from the network.
class Documents {
public:
    using Node = config::yaml::Node;

    /// `vocabularies`: of schemas without `$schema`, in all documents. `own_folder`: that of the
    /// document, where files that its references name by relative paths are found; nullopt: none
    /// are. Problems found in the documents are added to `problems`.
    Documents(Node const& root, Vocabularies vocabularies, std::vector<std::string> folders,
              std::optional<std::string> own_folder, std::optional<std::string> outer_folder,
              ProblemList& problems);

    /// The document that is loaded.
    [[nodiscard]] Resource const& main() const noexcept { return resources_.front(); }
    /// The document in whose file a node is written; what an overlay adds belongs to main().
    [[nodiscard]] Resource const& document_of(Node const& node) const noexcept;
    /// The files beside and below the document that references lead to, also those that are
    /// missing or were refused.
    [[nodiscard]] std::vector<std::string> const& files_beside() const noexcept {
        return files_beside_;
    }
    /// The resource that begins at a node with an `$id`; null: none begins there.
    [[nodiscard]] Resource const* resource_at(Node const& node) const noexcept;

    /// Resolves a reference in a schema of `from` (JSON Schema 2020-12 core, 8.2.3); loads its
    /// document if necessary.
    [[nodiscard]] Resolved resolve(Resource const& from, std::string_view reference);

    /// Whether a reference in any of the documents refers to a node.
    [[nodiscard]] bool is_target(Node const& node);
    /// Whether this is the first call for a definition that no reference refers to.
    [[nodiscard]] bool is_unchecked(Node const& node) { return checked_.insert(&node).second; }
    /// All anchors with that name that a `$dynamicRef` may refer to.
    [[nodiscard]] std::vector<Target> dynamic_anchors(std::string_view name) const;
    /// Whether any schema so far has unevaluatedItems or unevaluatedProperties.
    [[nodiscard]] bool mentions_unevaluated() const noexcept { return mentions_unevaluated_; }

private:
    [[nodiscard]] std::string similar_reference(config::yaml::Node const& node,
                                                std::string_view uri, std::string const& fragment,
                                                std::size_t begin, std::size_t end) const;
    struct Step {
        std::string const* key; // null: an index
        std::size_t index;
    };
    struct Reference {
        Resource const* from;
        std::string_view text;
        bool is_dynamic;
    };
    [[nodiscard]] static std::string self_uri(Node const& root);
    enum class Holds : std::uint8_t {
        schema,
        names,
        paths,  // names, except for those that begin with x-
        values, // of others, in which no keyword is interpreted
    };

    void index_document(Node const& root, std::string uri, Vocabularies vocabularies);
    void index(Node const& node, Holds holds, Resource* resource);
    [[nodiscard]] static Holds held_by(std::string_view key, Holds around) noexcept;
    [[nodiscard]] Resource* index_identity(Node const& node, Resource* resource);
    void add_anchor(Resource& resource, Node const& node, std::string_view keyword);
    [[nodiscard]] std::string path_here() const;
    void find_dialect(Resource& resource);
    void refuse_dialect(Resource& resource, Node const& schema, std::string fault,
                        std::string hint);
    // Why no document has a URI, and a hint.
    struct Missing {
        std::string error;
        std::string hint;
    };
    [[nodiscard]] Resource const* find(std::string const& uri, Missing& missing);
    [[nodiscard]] bool load(std::string const& uri, Missing& missing);
    [[nodiscard]] std::string find_same_id(Node const& root, std::string const& file,
                                           std::string const& uri);
    [[nodiscard]] bool read(std::string const& uri, std::string const& file, Missing& missing);
    [[nodiscard]] std::string choose_file(std::string const& uri, Missing& missing);
    [[nodiscard]] std::string find_file(std::string const& uri);
    [[nodiscard]] std::string find_beside(std::string const& uri, Missing& missing);
    void read_identities();
    [[nodiscard]] static std::string name_of_file(std::string const& path);
    [[nodiscard]] std::string hint_for_unknown() const;

    Vocabularies vocabularies_;
    std::vector<std::string> folders_;
    std::optional<std::string> own_folder_;
    std::optional<std::string> outer_folder_; // contains it
    ProblemList& problems_;
    std::vector<std::unique_ptr<config::yaml::Document>> owned_;
    std::deque<Resource> resources_;
    std::unordered_map<std::string, Resource const*> by_uri_;
    std::unordered_map<Node const*, Resource const*> by_root_;
    std::unordered_map<std::string, Resource const*> by_file_; // the documents that are files
    std::unordered_map<std::string const*, Resource const*> by_mark_; // by the file of their marks
    std::vector<std::string> files_beside_;
    std::size_t bytes_of_files_ = 0;
    std::vector<Step> steps_;           // path to the node that is being indexed
    std::vector<Reference> references_; // not yet resolved by is_target()
    std::unordered_set<Node const*> targets_;
    std::unordered_set<Node const*> checked_; // definitions that no reference refers to
    // `$id` -> the files of the folders with that `$id`
    std::map<std::string, std::vector<std::string>> identities_;
    bool has_identities_ = false;
    bool mentions_unevaluated_ = false;
};

/// Whether the value of a keyword is data without schemas: a `$ref` or an `$id` in it has no
/// effect; this includes x- keywords of others (OpenAPI 3.1, 4.9).
[[nodiscard]] bool holds_values(std::string_view keyword) noexcept;
/// Whether the keys of its value are property names, which may look like keywords.
[[nodiscard]] bool holds_names(std::string_view keyword) noexcept;

} // namespace sallyport::contract

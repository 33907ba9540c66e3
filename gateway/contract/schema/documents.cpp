// The documents that schemas are read from: indexing a document, resolving references.
#include "gateway/contract/schema/documents.h"

#include "config/text.h"
#include "gateway/contract/schema/compile.h"
#include "gateway/contract/text/uri.h"
#include "gateway/text/ascii.h"
#include "gateway/text/digits.h"
#include "gateway/text/percent.h"

#include <algorithm>
#include <array>

namespace sallyport::contract {

namespace yaml = config::yaml;

namespace {

// RFC 6901, 4: ~1 first, then ~0.
[[nodiscard]] std::optional<std::string> unescape_token(std::string_view token) {
    std::string plain;
    for (std::size_t at = 0; at < token.size(); ++at) {
        if (token[at] != '~') {
            plain += token[at];
            continue;
        }
        char const next = at + 1 < token.size() ? token[at + 1] : '\0';
        if (next != '0' && next != '1') return std::nullopt;
        plain += next == '0' ? '~' : '/';
        ++at;
    }
    return plain;
}

// RFC 6901, 4: no leading zeros.
[[nodiscard]] std::optional<std::size_t> index_from(std::string_view token) noexcept {
    return text::parse_digits<std::size_t>(token);
}

[[nodiscard]] bool is_one_of(std::string_view word, auto const& list) noexcept {
    return std::find(list.begin(), list.end(), word) != list.end();
}

// JSON Schema 2020-12 core, 8.2.2: begins with a letter or an underscore.
[[nodiscard]] bool is_anchor(std::string_view name) noexcept {
    auto const is_letter = [](char c) { return text::is_letter(c) || c == '_'; };
    return !name.empty() && is_letter(name.front())
           && std::all_of(name.begin(), name.end(), [&is_letter](char c) {
                  return is_letter(c) || text::is_digit(c) || c == '-' || c == '.';
              });
}

// One step of a JSON Pointer (RFC 6901, 4); false: it leads nowhere, and the target is as before.
[[nodiscard]] bool step_into(Target& target, std::string const& token) {
    if (target.node->is_sequence()) {
        auto const index = index_from(token);
        if (!index || *index >= target.node->items().size()) return false;
        target.node = &target.node->items()[*index];
        target.path = yaml::join_index(target.path, *index);
        return true;
    }
    yaml::Node const* const next = target.node->find(token);
    if (next == nullptr) return false;
    target.node = next;
    target.path = yaml::join_key(target.path, token);
    return true;
}

} // namespace

bool holds_values(std::string_view keyword) noexcept {
    constexpr std::array list{
        std::string_view{"const"},   std::string_view{"enum"},         std::string_view{"default"},
        std::string_view{"example"}, std::string_view{"examples"},     std::string_view{"info"},
        std::string_view{"tags"},    std::string_view{"externalDocs"}, std::string_view{"xml"}};
    bool const is_foreign = keyword.substr(0, 2) == "x-" && keyword != "x-when";
    return is_foreign || is_one_of(keyword, list);
}

bool holds_names(std::string_view keyword) noexcept {
    constexpr std::array list{
        std::string_view{"properties"},       std::string_view{"patternProperties"},
        std::string_view{"dependentSchemas"}, std::string_view{"$defs"},
        std::string_view{"definitions"},      std::string_view{"schemas"},
        std::string_view{"responses"},        std::string_view{"paths"},
        std::string_view{"parameters"},       std::string_view{"requestBodies"},
        std::string_view{"content"},          std::string_view{"mapping"},
        std::string_view{"headers"},          std::string_view{"$vocabulary"},
        std::string_view{"mediaTypes"},       std::string_view{"additionalOperations"}};
    return is_one_of(keyword, list);
}

Resource::Anchor const* Resource::find_anchor(std::string_view name) const noexcept {
    auto const found = std::find_if(anchors.begin(), anchors.end(),
                                    [name](Anchor const& one) { return one.name == name; });
    return found == anchors.end() ? nullptr : &*found;
}

// OpenAPI 3.2, 4.1.1: a document's own URI, against which its references are resolved. What is not
// a URI is reported by the loader.
std::string Documents::self_uri(Node const& root) {
    Node const* const self = root.find("openapi") != nullptr ? root.find("$self") : nullptr;
    if (self == nullptr || !self->is_string()) return {};
    return std::string{split_fragment(self->text()).uri};
}

Documents::Documents(Node const& root, Vocabularies vocabularies, std::vector<std::string> folders,
                     std::optional<std::string> own_folder,
                     std::optional<std::string> outer_folder, ProblemList& problems)
    : vocabularies_{vocabularies}, folders_{std::move(folders)},
      own_folder_{std::move(own_folder)}, outer_folder_{std::move(outer_folder)},
      problems_{problems} {
    index_document(root, self_uri(root), vocabularies);
    std::string const file{root.mark().file_name()};
    if (!file.empty()) by_file_.emplace(name_of_file(file), &resources_.front());
}

std::string Documents::path_here() const {
    std::string path;
    for (Step const& step : steps_) {
        path = step.key != nullptr ? yaml::join_key(path, *step.key)
                                   : yaml::join_index(path, step.index);
    }
    return path;
}

void Documents::index_document(Node const& root, std::string uri, Vocabularies vocabularies) {
    auto const first = resources_.size();
    Resource& whole = resources_.emplace_back();
    whole.root = &root;
    whole.uri = std::move(uri);
    whole.vocabularies = vocabularies;
    by_root_.emplace(&root, &whole);
    by_mark_.emplace(root.mark().file, &whole);
    if (!whole.uri.empty()) by_uri_.emplace(whole.uri, &whole);
    steps_.clear();
    index(root, Holds::schema, &whole);
    for (auto i = first; i < resources_.size(); ++i)
        find_dialect(resources_[i]);
}

// Indexes everything that may be a schema, wherever it is: an OpenAPI document has schemas in many
// places.
void Documents::index(Node const& node, Holds holds, Resource* resource) {
    if (node.is_mapping() && holds == Holds::schema) resource = index_identity(node, resource);
    for (std::size_t i = 0; i < node.items().size(); ++i) {
        Node const& item = node.items()[i];
        if (item.is_scalar()) continue;
        steps_.push_back({nullptr, i});
        index(item, holds == Holds::values ? holds : Holds::schema, resource);
        steps_.pop_back();
    }
    for (yaml::Entry const& entry : node.entries()) {
        bool const is_keyword = holds == Holds::schema;
        if (is_keyword && entry.value.is_string()
            && (entry.key == "$ref" || entry.key == "$dynamicRef")) {
            references_.push_back({resource, entry.value.text(), entry.key == "$dynamicRef"});
        }
        if (entry.key == "unevaluatedItems" || entry.key == "unevaluatedProperties") {
            mentions_unevaluated_ = true;
        }
        if (entry.value.is_scalar()) continue;
        steps_.push_back({&entry.key, 0});
        index(entry.value, held_by(entry.key, holds), resource);
        steps_.pop_back();
    }
}

Documents::Holds Documents::held_by(std::string_view key, Holds around) noexcept {
    switch (around) {
    case Holds::names: return Holds::schema;
    // OpenAPI 3.1, 4.8.8: a path begins with a slash; keys with x- are extensions.
    case Holds::paths: return key.substr(0, 2) == "x-" ? Holds::values : Holds::schema;
    // Indexed nevertheless: a `$ref` may refer to a schema in it, which may have unevaluated
    // keywords.
    case Holds::values: return Holds::values;
    case Holds::schema: break;
    }
    if (holds_values(key)) return Holds::values;
    if (key == "paths") return Holds::paths;
    return holds_names(key) ? Holds::names : Holds::schema;
}

// Reads `$id`, `$anchor` and `$dynamicAnchor`. Returns the resource that the node belongs to.
Resource* Documents::index_identity(Node const& node, Resource* resource) {
    if (Node const* const id = node.find("$id"); id != nullptr && id->is_string()) {
        auto const [text, fragment] = split_fragment(id->text());
        // JSON Schema 2020-12 core, 8.2.1: no fragment, except an empty one.
        if (!fragment.empty()) {
            problems_.add(*id, yaml::join_key(path_here(), "$id"), "must be a URI without fragment",
                          "write $anchor for a name");
            return resource;
        }
        if (text.empty()) {
            problems_.add(*id, yaml::join_key(path_here(), "$id"), "is empty",
                          "write a URI, or remove it");
            return resource;
        }
        std::string uri = resolve_uri(resource->uri, text);
        if (resource->root != &node) {
            Resource* const outer = resource;
            resource = &resources_.emplace_back();
            resource->root = &node;
            resource->path = path_here();
            resource->vocabularies = outer->vocabularies;
            resource->dialect = outer->dialect;
            resource->dialect_path = outer->dialect_path;
            resource->dialect_fault = outer->dialect_fault;
        }
        resource->uri = std::move(uri);
        by_root_.emplace(&node, resource);
        auto const [known, is_new] = by_uri_.emplace(resource->uri, resource);
        if (!is_new && known->second != resource) {
            problems_.add(*id, yaml::join_key(path_here(), "$id"),
                          config::in_quotes(resource->uri) + " is also the $id of another schema",
                          "write another URI, or remove one of the two");
        }
    }
    add_anchor(*resource, node, "$anchor");
    add_anchor(*resource, node, "$dynamicAnchor");
    return resource;
}

void Documents::add_anchor(Resource& resource, Node const& node, std::string_view keyword) {
    Node const* const anchor = node.find(keyword);
    if (anchor == nullptr || !anchor->is_string()) return;
    std::string const path = path_here();
    if (!is_anchor(anchor->text())) {
        problems_.add(*anchor, yaml::join_key(path, keyword),
                      "must be a name: a letter or _, then letters, digits, -, _ and .");
        return;
    }
    Resource::Anchor const* const known = resource.find_anchor(anchor->text());
    if (known != nullptr && known->node != &node) {
        problems_.add(*anchor, yaml::join_key(path, keyword),
                      config::in_quotes(anchor->text()) + " is also the anchor of another schema",
                      "write another name");
        return;
    }
    resource.anchors.push_back({anchor->text(), &node, path, keyword == "$dynamicAnchor"});
}

Resource const* Documents::resource_at(Node const& node) const noexcept {
    auto const found = by_root_.find(&node);
    return found == by_root_.end() ? nullptr : found->second;
}

Resource const& Documents::document_of(Node const& node) const noexcept {
    auto const found = by_mark_.find(node.mark().file);
    return found == by_mark_.end() ? main() : *found->second;
}

void Documents::find_dialect(Resource& resource) {
    Node const* const schema = resource.root->find("$schema");
    if (schema == nullptr || !schema->is_string()) return;
    if (is_standard_dialect(schema->text())) return;
    std::string const uri{split_fragment(schema->text()).uri};
    Missing missing;
    Resource const* const metaschema = find(uri, missing);
    if (metaschema == nullptr) {
        return refuse_dialect(resource, *schema, std::string{unknown_dialect},
                              "write https://json-schema.org/draft/2020-12/schema");
    }
    DialectResult result = read_vocabularies(*metaschema->root);
    if (!result.error.empty()) {
        return refuse_dialect(resource, *schema, std::move(result.error), {});
    }
    resource.vocabularies = result.vocabularies;
}

// Schemas of a dialect that is not implemented say nothing: even their `$ref` may mean something
// else.
void Documents::refuse_dialect(Resource& resource, Node const& schema, std::string fault,
                               std::string hint) {
    resource.vocabularies = vocabulary::unknown;
    resource.dialect = &schema;
    resource.dialect_path = yaml::join_key(resource.path, "$schema");
    resource.dialect_fault = fault;
    problems_.add_unsupported(schema, resource.dialect_path, std::move(fault), std::move(hint));
}

Resolved Documents::resolve(Resource const& from, std::string_view reference) {
    auto const [uri, fragment] = split_fragment(reference);
    Resource const* resource = &from;
    Resolved result;
    if (!uri.empty()) {
        Missing missing;
        std::string const whole = resolve_uri(from.uri, uri);
        resource = find(whole, missing);
        if (resource == nullptr) {
            return {std::nullopt, config::in_quotes(whole) + " " + missing.error,
                    std::move(missing.hint)};
        }
    }
    Resolved const nothing{std::nullopt,
                           config::in_quotes(reference) + " refers to nothing in "
                               + (resource == &main() ? "this document" : "that document"),
                           {}};
    auto const unescaped = text::percent_decoded(fragment);
    if (!unescaped) return nothing;
    std::string const& decoded = *unescaped;
    if (!decoded.empty() && decoded.front() != '/') {
        Resource::Anchor const* const anchor = resource->find_anchor(decoded);
        if (anchor == nullptr) return nothing;
        return {Target{anchor->node, anchor->path, resource}, {}, {}};
    }
    // RFC 6901, 4. A step may lead into another resource inside this one.
    Target target{resource->root, resource->path, resource};
    for (std::size_t at = 0; at < decoded.size();) {
        std::size_t const end = std::min(decoded.find('/', at + 1), decoded.size());
        auto const token = unescape_token(std::string_view{decoded}.substr(at + 1, end - at - 1));
        Node const* const from_node = target.node;
        if (!token || !step_into(target, *token)) {
            Resolved similar = nothing;
            if (token) similar.hint = similar_reference(*from_node, uri, decoded, at, end);
            return similar;
        }
        if (Resource const* const inner = resource_at(*target.node)) target.resource = inner;
        at = end;
    }
    return {std::move(target), {}, {}};
}

// `did you mean "#/components/schemas/Pet"?`: with another name in place of the one at `begin` to
// `end`, which `node` does not have; empty: there is no similar one.
std::string Documents::similar_reference(Node const& node, std::string_view uri,
                                         std::string const& fragment, std::size_t begin,
                                         std::size_t end) const {
    std::vector<std::string_view> names;
    for (yaml::Entry const& entry : node.entries())
        names.push_back(entry.key);
    auto const near =
        config::nearest(std::string_view{fragment}.substr(begin + 1, end - begin - 1), names);
    std::string similar;
    if (near) {
        similar = fragment.substr(0, begin + 1) + escape_token(*near) + fragment.substr(end);
    } else if (uri.empty()) {
        // Where other versions of OpenAPI have schemas.
        std::string const name = fragment.substr(fragment.rfind('/') + 1);
        Node const* const components = main().root->find("components");
        Node const* const schemas = components != nullptr ? components->find("schemas") : nullptr;
        Node const* const definitions = main().root->find("definitions");
        if (schemas != nullptr && schemas->find(name) != nullptr)
            similar = "/components/schemas/" + name;
        else if (definitions != nullptr && definitions->find(name) != nullptr)
            similar = "/definitions/" + name;
    }
    if (similar.empty()) return {};
    return "did you mean " + config::in_quotes(std::string{uri} + '#' + similar) + "?";
}

std::vector<Target> Documents::dynamic_anchors(std::string_view name) const {
    std::vector<Target> found;
    for (Resource const& resource : resources_) {
        Resource::Anchor const* const anchor = resource.find_anchor(name);
        if (anchor != nullptr && anchor->is_dynamic) {
            found.push_back({anchor->node, anchor->path, &resource});
        }
    }
    return found;
}

bool Documents::is_target(Node const& node) {
    // Resolving a reference may load a document with more references.
    while (!references_.empty()) {
        Reference const reference = references_.back();
        references_.pop_back();
        auto const resolved = resolve(*reference.from, reference.text);
        if (resolved.target) targets_.insert(resolved.target->node);
    }
    if (targets_.count(&node) != 0) return true;
    return node.find("$dynamicAnchor") != nullptr;
}

} // namespace sallyport::contract

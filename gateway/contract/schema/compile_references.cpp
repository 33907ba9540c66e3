// `$ref` and `$dynamicRef`: finding their targets, and recursive schemas.
#include "gateway/contract/schema/compile.h"

#include "config/text.h"
#include "gateway/contract/text/uri.h"

#include <algorithm>

namespace sallyport::contract {

namespace yaml = config::yaml;

std::vector<Target> const& SchemaCompiler::references_in(Node const& schema,
                                                         Resource const& resource) {
    if (auto const known = references_.find(&schema); known != references_.end()) {
        return known->second;
    }
    std::vector<Target> found;
    struct Open {
        Node const* node;
        Resource const* resource;
        bool has_names;
    };
    std::vector<Open> open{{&schema, &resource, false}};
    while (!open.empty()) {
        auto [node, within, has_names] = open.back();
        open.pop_back();
        if (Resource const* const own = documents_.resource_at(*node); own != nullptr) within = own;
        for (auto const& item : node->items()) {
            if (!item.is_scalar()) open.push_back({&item, within, false});
        }
        for (auto const& entry : node->entries()) {
            if (!has_names && holds_values(entry.key)) continue;
            bool const is_dynamic = entry.key == "$dynamicRef";
            if (!has_names && (is_dynamic || entry.key == "$ref") && entry.value.is_string()) {
                auto const resolved = documents_.resolve(*within, entry.value.text());
                if (resolved.target) found.push_back(*resolved.target);
                if (!is_dynamic) continue;
                auto const name = split_fragment(entry.value.text()).fragment;
                for (Target const& one : documents_.dynamic_anchors(name))
                    found.push_back(one);
                continue;
            }
            if (entry.value.is_scalar()) continue;
            open.push_back({&entry.value, within, !has_names && holds_names(entry.key)});
        }
    }
    return references_.emplace(&schema, std::move(found)).first->second;
}

bool SchemaCompiler::is_recursive(Node const& schema, Resource const& resource) {
    // Only the target of a reference can be recursive.
    if (!documents_.is_target(schema)) return false;
    if (auto const known = recursive_.find(&schema); known != recursive_.end()) {
        return known->second;
    }
    std::set<Node const*> reached;
    std::vector<Target> open{{&schema, {}, &resource}};
    bool is_met = false;
    while (!open.empty() && !is_met) {
        Target const from = open.back();
        open.pop_back();
        for (Target const& target : references_in(*from.node, *from.resource)) {
            is_met = is_met || target.node == &schema;
            if (reached.insert(target.node).second) open.push_back(target);
        }
    }
    recursive_.emplace(&schema, is_met);
    return is_met;
}

std::uint32_t SchemaCompiler::enter(std::uint32_t scope, Resource const& resource) {
    auto const is_new = [this, scope](Resource::Anchor const& anchor) {
        return anchor.is_dynamic && scopes_[scope].count(anchor.name) == 0;
    };
    if (std::none_of(resource.anchors.begin(), resource.anchors.end(), is_new)) return scope;
    Scope inner = scopes_[scope];
    for (Resource::Anchor const& anchor : resource.anchors) {
        if (is_new(anchor)) inner[anchor.name] = {anchor.node, anchor.path, &resource};
    }
    std::vector<std::pair<std::string, Node const*>> key;
    for (auto const& [name, target] : inner)
        key.emplace_back(name, target.node);
    auto const number = static_cast<std::uint32_t>(scopes_.size());
    auto const [known, is_first] = scope_numbers_.emplace(std::move(key), number);
    if (is_first) scopes_.push_back(std::move(inner));
    return known->second;
}

void SchemaCompiler::unresolved_reference(Node const& value, std::string const& path,
                                          Resolved resolved) {
    if (resolved.hint.empty()) {
        // Only an OpenAPI document has components.
        bool const is_openapi = documents_.main().root->find("openapi") != nullptr;
        bool const is_swagger = (documents_.main().vocabularies & vocabulary::swagger) != 0;
        resolved.hint = std::string{"write #/"}
                        + (is_swagger   ? "definitions"
                           : is_openapi ? "components/schemas"
                                        : "$defs")
                        + "/ and a name that is defined there";
    }
    error(value, path, std::move(resolved.error), std::move(resolved.hint));
}

void SchemaCompiler::keyword_ref(Draft& draft, Node const& value, std::string const& path) {
    if (!value.is_string()) return error(value, path, "must be a string");
    auto resolved = documents_.resolve(*draft.place.resource, value.text());
    if (!resolved.target) {
        return unresolved_reference(value, path, std::move(resolved));
    }
    refer_to(draft, *resolved.target, "$ref", value, path);
}

void SchemaCompiler::keyword_dynamic_ref(Draft& draft, Node const& value, std::string const& path) {
    if (!value.is_string()) return error(value, path, "must be a string");
    auto resolved = documents_.resolve(*draft.place.resource, value.text());
    if (!resolved.target) {
        return unresolved_reference(value, path, std::move(resolved));
    }
    // JSON Schema 2020-12 core, 8.2.3.2: like `$ref`, unless the target is a dynamic anchor; then
    // the outermost one with its name in the dynamic scope is the target.
    Target target = *resolved.target;
    auto const name = split_fragment(value.text()).fragment;
    Resource::Anchor const* const anchor = target.resource->find_anchor(name);
    if (anchor != nullptr && anchor->is_dynamic && anchor->node == target.node) {
        Scope const& scope = scopes_[enter(draft.place.scope, *target.resource)];
        if (auto const outermost = scope.find(name); outermost != scope.end()) {
            target = outermost->second;
        }
    }
    refer_to(draft, target, "$dynamicRef", value, path);
}

// Whether a recursive schema that was expanded before is expanded once more. While it is open, the
// reference is a turn of it, which is shared.
bool SchemaCompiler::may_repeat(Opened const& opened, Place const& place) const {
    if (opened.is_open) return false;
    // Forms that apply to the same value share their common schemas, so that each is checked once
    // (verdicts.h); separate expansions would be checked again and again.
    if (place.trial != 0 && opened.trial == place.trial) return false;
    // Not at large depth, so that a schema does not become too deep by repeated expansion.
    if (depth_ > max_repeat_depth) return false;
    std::size_t const repeated = repeated_.spent(work_);
    return repeated < max_repeated && repeated - repeated_before_ < max_repeated_in_body
           && (recursions_ == 0 || repeated_inside_.spent(work_) < max_repeated_inside);
}

SchemaCompiler::Compiled SchemaCompiler::repeat(Node const& schema, Place const& place) {
    bool const is_inside = recursions_ != 0;
    repeated_.begin(work_);
    if (is_inside) repeated_inside_.begin(work_);
    Compiled const compiled = compile_node(schema, place);
    if (is_inside) repeated_inside_.end(work_);
    repeated_.end(work_);
    return compiled;
}

// A `$ref` that is expanded: nullopt: a problem was added.
std::optional<SchemaCompiler::Compiled> SchemaCompiler::expand(Target const& target,
                                                               Place const& place,
                                                               Node const& value,
                                                               std::string const& path) {
    auto const known =
        opened_.find({target.node, place.trial != 0, place.is_parent, place.scope});
    if (known == opened_.end()) return compile_node(*target.node, place);
    if (may_repeat(known->second, place)) return repeat(*target.node, place);
    Opened const& opened = known->second;
    if (opened.is_open && opened.descents == descents_) {
        refers_in_place(value, path);
        return std::nullopt;
    }
    links_.push_back({opened.node, &value, path, place.is_exact});
    ++declaring_; // possibly
    held_.emplace_back(place.holder, opened.holder);
    return Compiled{opened.node, opened.is_deprecated};
}

void SchemaCompiler::refers_in_place(Node const& value, std::string const& path) {
    error(value, path,
          config::in_quotes(value.text())
              + " refers back to this schema without a property or an item in between",
          "put it into properties or items, or remove it");
}

// Inheritance as generators write it: a parent lists its children in oneOf, for its discriminator,
// and each child has the parent in its allOf. Taken literally a child would have to be a child
// again, without end; meant are the other rules of the parent.
bool SchemaCompiler::is_listed_by(Draft const& draft, Target const& parent) {
    Node const* const child = draft.place.part_of;
    if (child == nullptr || parent.node->find("discriminator") == nullptr) return false;
    auto const is_child = [child](Node const& node, Resource const&) { return &node == child; };
    for (std::string_view const keyword : {"oneOf", "anyOf"}) {
        Node const* const forms = parent.node->find(keyword);
        if (forms == nullptr) continue;
        for (Node const& form : forms->items())
            if (any_in_place(form, *parent.resource, is_child)) return true;
    }
    return false;
}

void SchemaCompiler::refer_to(Draft& draft, Target const& target, std::string_view keyword,
                              Node const& value, std::string const& path) {
    Place place = inside(draft, keyword, target.path);
    place.whole = draft.place.whole;
    place.resource = target.resource;
    place.scope = enter(draft.place.scope, *target.resource);
    place.is_parent = is_listed_by(draft, target);
    if (place.is_parent) {
        problems_.add(value, path,
                      "leads back to the schema that lists this one as a form of its "
                      "discriminator: of that schema all rules apply here but the list",
                      "write the list in a schema of its own", yaml::Severity::warning);
    }
    bool const is_shared = shares_ && !place.is_parent;
    auto const compiled = is_shared ? share(draft, {target, std::move(place), value, path})
                                    : expand(target, place, value, path);
    if (!compiled) return;
    draft.is_deprecated = draft.is_deprecated || compiled->is_deprecated;
    if (compiled->node == anything) return;
    program_.children.push_back({{compiled->node}, true});
    draft.any.push_back({Op::all_of, no_rule, program_.children.size() - 1});
}

} // namespace sallyport::contract

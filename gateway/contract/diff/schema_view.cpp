// Views of schemas.
#include "gateway/contract/diff/schema_view.h"

#include "gateway/contract/schema/compile.h"
#include "gateway/contract/schema/constants.h"

#include <algorithm>
#include <array>
#include <utility>

namespace sallyport::contract {

namespace yaml = config::yaml;

namespace {

constexpr std::size_t max_expanded = 256 * 1024;
constexpr std::size_t max_shown = 120;

[[nodiscard]] bool is_without_effect(std::string_view keyword, bool is_of_2_0) noexcept {
    constexpr std::array list{std::string_view{"title"},      std::string_view{"description"},
                              std::string_view{"$comment"},   std::string_view{"default"},
                              std::string_view{"example"},    std::string_view{"examples"},
                              std::string_view{"deprecated"}, std::string_view{"externalDocs"},
                              std::string_view{"xml"},        std::string_view{"discriminator"},
                              std::string_view{"$defs"},      std::string_view{"definitions"},
                              std::string_view{"x-source"},   std::string_view{"$anchor"}};
    return std::find(list.begin(), list.end(), keyword) != list.end()
           || (keyword.starts_with("x-") && keyword != "x-when"
               && !(is_of_2_0 && keyword == "x-nullable"));
}

// Writes a schema; false: there is no text.
class Expander {
public:
    enum class Holds : std::uint8_t { schema, names, values };

    [[nodiscard]] bool put(SchemaView const& view, Holds holds) {
        if (out.size() > max_expanded || depth_ > 100) return false;
        yaml::Node const& node = *view.node;
        if (node.is_sequence()) {
            out += '[';
            for (auto const& item : node.items())
                if (!put_child(view, item, holds)) return false;
            out += ']';
            return true;
        }
        if (!node.is_mapping()) return append_json(out, node);
        if (holds == Holds::schema && node.find("$dynamicRef") != nullptr) return false;
        auto const open = std::find(open_.begin(), open_.end(), &node);
        if (open != open_.end()) {
            out += '^' + std::to_string(open_.end() - open);
            return true;
        }
        open_.push_back(&node);
        bool const is_done = put_entries(view, holds);
        open_.pop_back();
        return is_done;
    }
    std::string out;

private:
    [[nodiscard]] bool put_child(SchemaView const& view, yaml::Node const& node, Holds holds) {
        SchemaView child = view;
        child.node = &node;
        if (Resource const* const own = view.documents->resource_at(node)) child.resource = own;
        return put_deeper(child, holds);
    }

    [[nodiscard]] bool put_deeper(SchemaView const& view, Holds holds) {
        ++depth_;
        bool const is_done = put(view, holds);
        --depth_;
        out += ',';
        return is_done;
    }

    [[nodiscard]] static Holds held_by(std::string_view keyword, Holds around) noexcept {
        if (around != Holds::schema) return around == Holds::names ? Holds::schema : around;
        bool const is_data = keyword == "dependentRequired" || keyword == "labels"
                             || keyword == "required" || holds_values(keyword);
        if (is_data) return Holds::values;
        return holds_names(keyword) ? Holds::names : Holds::schema;
    }

    [[nodiscard]] bool put_entries(SchemaView const& view, Holds holds) {
        std::vector<yaml::Entry const*> entries;
        for (auto const& entry : view.node->entries()) {
            bool const has_effect =
                holds != Holds::schema || !is_without_effect(entry.key, view.is_of_2_0());
            if (has_effect) entries.push_back(&entry);
        }
        std::sort(entries.begin(), entries.end(),
                  [](auto const* left, auto const* right) { return left->key < right->key; });
        out += view.is_of_2_0() ? "{2" : view.is_of_3_0() ? "{0" : "{";
        for (auto const* const entry : entries) {
            append_json_string(out, entry->key);
            out += ':';
            if (holds == Holds::schema && entry->key == "$ref") {
                SchemaView const target = view.target();
                if (target.node == nullptr || !put_deeper(target, Holds::schema)) return false;
            } else if (!put_child(view, entry->value, held_by(entry->key, holds))) {
                return false;
            }
        }
        out += '}';
        return true;
    }

    std::vector<yaml::Node const*> open_;
    std::size_t depth_ = 0;
};

} // namespace

bool SchemaView::accepts_all() const noexcept {
    return node == nullptr || (node->is_boolean() ? node->as_boolean() : false)
           || (node->is_mapping()
               && std::all_of(node->entries().begin(), node->entries().end(),
                              [this](yaml::Entry const& one) {
                                  return is_without_effect(one.key, is_of_2_0());
                              }));
}

bool SchemaView::accepts_none() const noexcept {
    return node != nullptr && node->is_boolean() && !node->as_boolean();
}

bool SchemaView::is_of_2_0() const noexcept {
    return resource != nullptr && (resource->vocabularies & vocabulary::swagger) != 0;
}

bool SchemaView::is_nullable() const noexcept {
    if (node == nullptr) return false;
    yaml::Node const* const flag = node->find("nullable");
    yaml::Node const* const own = is_of_2_0() ? node->find("x-nullable") : nullptr;
    return (flag != nullptr && flag->as_boolean()) || (own != nullptr && own->as_boolean());
}

bool SchemaView::is_of_3_0() const noexcept {
    return resource != nullptr && (resource->vocabularies & vocabulary::openapi_3_0) != 0;
}

bool SchemaView::has_reference() const noexcept {
    yaml::Node const* const reference = node->find("$ref");
    return reference != nullptr && reference->is_string();
}

bool SchemaView::is_opaque() const noexcept {
    return resource != nullptr && resource->vocabularies != dialect::contract
           && resource->vocabularies != dialect::openapi_3_0
           && resource->vocabularies != dialect::swagger_2_0;
}

yaml::Node const* SchemaView::find(std::string_view keyword) const noexcept {
    if (node == nullptr) return nullptr;
    // Swagger 2.0: a list of schemas in `items` is what later versions call prefixItems.
    bool const is_prefix = keyword == "prefixItems";
    if (is_of_2_0() && (is_prefix || keyword == "items")) {
        yaml::Node const* const items = node->find("items");
        return items != nullptr && items->is_sequence() == is_prefix ? items : nullptr;
    }
    if (!is_of_3_0()) return node->find(keyword);
    // OpenAPI 3.0, 4.7.23: keywords beside a `$ref` are ignored.
    bool const is_ignored = keyword == "$dynamicRef"
                            || (has_reference() && !is_rule_of_later_beside_ref(keyword));
    return is_ignored ? nullptr : node->find(keyword);
}

SchemaView SchemaView::at(yaml::Node const& below, std::string more) const {
    Resource const* const own = documents->resource_at(below);
    if (places != nullptr) more = places->pointer_of(below, std::move(more));
    return {&below, own != nullptr ? own : resource, documents, std::move(more), places};
}

SchemaView SchemaView::child(std::string_view keyword) const {
    yaml::Node const* const value = find(keyword);
    if (value == nullptr) return {};
    return at(*value, below(pointer, keyword));
}

SchemaView SchemaView::child(std::string_view keyword, std::string_view name) const {
    yaml::Node const* const value = find(keyword);
    yaml::Node const* const own = value != nullptr ? value->find(name) : nullptr;
    if (own == nullptr) return {};
    return at(*own, below(below(pointer, keyword), name));
}

SchemaView SchemaView::child(std::string_view keyword, std::size_t index) const {
    yaml::Node const* const value = find(keyword);
    if (value == nullptr || index >= value->items().size()) return {};
    return at(value->items()[index], below(below(pointer, keyword), std::to_string(index)));
}

SchemaView SchemaView::target() const {
    yaml::Node const* const reference = node != nullptr ? node->find("$ref") : nullptr;
    if (reference == nullptr || !reference->is_string()) return {};
    auto const resolved = documents->resolve(*resource, reference->text());
    if (!resolved.target) return {};
    std::string const& text = reference->text();
    bool const is_here = text.starts_with("#/") && resource == &documents->main();
    return {resolved.target->node, resolved.target->resource, documents,
            is_here ? text.substr(1) : below(pointer, "$ref"), places};
}

namespace {

void add_parts(SchemaView const& view, bool is_nullable, std::size_t depth, SchemaParts& parts) {
    if (depth > max_schema_depth || view.accepts_all()) return;
    if (!view.node->is_mapping()) return parts.push_back({view, is_nullable});
    is_nullable = is_nullable || view.is_nullable();
    SchemaView const target = view.target();
    // OpenAPI 3.0, 4.7.23: most keywords beside a `$ref` are ignored.
    bool const is_alone =
        target.node != nullptr && view.is_of_3_0()
        && std::none_of(view.node->entries().begin(), view.node->entries().end(),
                        [](auto const& one) { return is_rule_of_later_beside_ref(one.key); });
    if (!is_alone) parts.push_back({view, is_nullable});
    if (target.node != nullptr) add_parts(target, is_nullable, depth + 1, parts);
    yaml::Node const* const all = view.find("allOf");
    for (std::size_t i = 0; all != nullptr && i < all->items().size(); ++i)
        add_parts(view.child("allOf", i), is_nullable, depth + 1, parts);
}

} // namespace

SchemaParts parts_of(SchemaView const& view) {
    SchemaParts parts;
    add_parts(view, false, 0, parts);
    return parts;
}

std::string expanded_text(SchemaView const& view) {
    Expander expander;
    if (view.node == nullptr || view.is_opaque() || !expander.put(view, Expander::Holds::schema))
        return {};
    return std::move(expander.out);
}

std::string shown(yaml::Node const* node) {
    std::string text;
    if (node == nullptr || !append_json(text, *node)) return text;
    if (text.size() > max_shown) {
        std::size_t end = max_shown;
        while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U)
            --end;
        text.resize(end);
        text += "...";
    }
    return text;
}

std::string below(std::string_view pointer, std::string_view token) {
    return std::string{pointer} + '/' + escape_token(token);
}

} // namespace sallyport::contract

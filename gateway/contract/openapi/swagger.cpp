// Objects of Swagger 2.0 as OpenAPI 3.0 writes them: see swagger.h.
#include "gateway/contract/openapi/swagger.h"

#include "config/yaml_edit.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace sallyport::contract::swagger {

namespace yaml = config::yaml;

namespace {

using yaml::Editor;
using yaml::Entry;

// Swagger 2.0, Parameter Object, Header Object and Items Object: the keys that are no rules of the
// value.
constexpr std::array own_keys{
    std::string_view{"name"},
    std::string_view{"in"},
    std::string_view{"description"},
    std::string_view{"required"},
    std::string_view{"allowEmptyValue"},
    std::string_view{"collectionFormat"},
};

[[nodiscard]] bool is_own(std::string_view key) noexcept {
    return std::find(own_keys.begin(), own_keys.end(), key) != own_keys.end();
}

// `required` of a schema is a list, and so a rule.
[[nodiscard]] Node items_of(Node const& items) {
    std::vector<Entry> entries;
    for (Entry const& entry : items.entries()) {
        if (entry.key == "collectionFormat") continue;
        entries.push_back(entry.key == "items" ? Entry{entry.key, entry.mark, items_of(entry.value)}
                                               : entry);
    }
    return items.is_mapping() ? Editor::mapping_of(items.mark(), std::move(entries)) : items;
}

[[nodiscard]] std::string_view style_of(CollectionFormat format) noexcept {
    switch (format) {
    case CollectionFormat::ssv: return "spaceDelimited";
    case CollectionFormat::pipes: return "pipeDelimited";
    case CollectionFormat::csv:
    case CollectionFormat::tsv:
    case CollectionFormat::multi: break;
    }
    return "form";
}

// The entries of an object that 3.0 has under the same name.
[[nodiscard]] std::vector<Entry> copy_of(Node const& object,
                                         std::initializer_list<std::string_view> keys) {
    std::vector<Entry> entries;
    for (std::string_view const key : keys) {
        if (Entry const* const entry = object.find_entry(key)) entries.push_back(*entry);
    }
    return entries;
}

} // namespace

Node schema_in(Node const& object) {
    std::vector<Entry> entries;
    bool const is_bytes = is_file(object);
    for (Entry const& entry : object.entries()) {
        if (is_own(entry.key) || (is_bytes && entry.key == "format")) continue;
        if (is_bytes && entry.key == "type") {
            yaml::Mark const& mark = entry.value.mark();
            entries.push_back({"type", entry.mark, Editor::text_of(mark, "string")});
            entries.push_back({"format", entry.mark, Editor::text_of(mark, "binary")});
            continue;
        }
        entries.push_back(entry.key == "items" ? Entry{entry.key, entry.mark, items_of(entry.value)}
                                               : entry);
    }
    return Editor::mapping_of(object.mark(), std::move(entries));
}

Node encoding_of(Node const& parameter, CollectionFormat format) {
    Node const* const written = parameter.find("collectionFormat");
    yaml::Mark const& mark = (written != nullptr ? *written : parameter).mark();
    std::vector<Entry> entries;
    entries.push_back({"style", mark, Editor::text_of(mark, std::string{style_of(format)})});
    entries.push_back({"explode", mark, Editor::flag_of(mark, format == CollectionFormat::multi)});
    return Editor::mapping_of(mark, std::move(entries));
}

Node parameter_of(Node const& parameter, CollectionFormat const* format) {
    auto entries = copy_of(parameter, {"name", "in", "required", "allowEmptyValue", "x-source"});
    entries.push_back({"schema", parameter.mark(), schema_in(parameter)});
    if (format != nullptr) {
        Node const encoding = encoding_of(parameter, *format);
        entries.insert(entries.end(), encoding.entries().begin(), encoding.entries().end());
    }
    return Editor::mapping_of(parameter.mark(), std::move(entries));
}

Node header_of(Node const& header) {
    return Editor::mapping_of(header.mark(), {{"schema", header.mark(), schema_in(header)}});
}

Node media_type_of(Node const& at, Node const* schema) {
    std::vector<Entry> entries;
    if (schema != nullptr) entries.push_back({"schema", schema->mark(), *schema});
    return Editor::mapping_of(at.mark(), std::move(entries));
}

bool is_file(Node const& schema) {
    Node const* const type = schema.find("type");
    return type != nullptr && type->text() == "file";
}

Node nothing_at(Node const& node) {
    return Editor::mapping_of(node.mark(), {});
}

Node with(Node mapping, std::string_view key, Node value) {
    std::vector<Entry> entries = mapping.entries();
    std::erase_if(entries, [key](Entry const& entry) { return entry.key == key; });
    yaml::Mark const mark = value.mark();
    entries.push_back({std::string{key}, mark, std::move(value)});
    return Editor::mapping_of(mapping.mark(), std::move(entries));
}

} // namespace sallyport::contract::swagger

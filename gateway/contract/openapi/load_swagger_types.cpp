// The media types of Swagger 2.0: `consumes` and `produces` are lists for all bodies of an
// operation, whose schemas describe values, not texts.
#include "gateway/contract/openapi/in_place.h"
#include "gateway/contract/openapi/load.h"

#include "config/text.h"
#include "config/yaml_edit.h"
#include "gateway/contract/openapi/swagger.h"

#include <algorithm>
#include <set>
#include <string>

namespace sallyport::contract {

namespace yaml = config::yaml;

namespace {

constexpr std::string_view urlencoded = "application/x-www-form-urlencoded";
constexpr std::string_view multipart = "multipart/form-data";

// In lower case, without parameters.
[[nodiscard]] std::string plain_name(std::string_view type) {
    std::string name = in_lower_case(type.substr(0, type.find(';')));
    name.erase(name.find_last_not_of(' ') + 1);
    return name;
}

// Whether a value of the schema has a plain text: all types that it names are plain ones.
[[nodiscard]] bool is_plain(Documents& documents, Target const& schema) {
    bool is_named = false;
    bool is_nested = false;
    visit_schemas_in_place(documents, schema, [&](Target const& one) {
        yaml::Node const* const type = one.node->find("type");
        if (type == nullptr) return;
        is_named = true;
        is_nested =
            is_nested || !type->is_string() || type->text() == "object" || type->text() == "array";
    });
    return is_named && !is_nested;
}

[[nodiscard]] bool has_type(auto const& types, std::string_view name) {
    return std::any_of(types.begin(), types.end(),
                       [name](auto const& one) { return plain_name(one.node->text()) == name; });
}

} // namespace

// `consumes` or `produces` of the document or of an operation; nullopt: it has none.
std::optional<Loader::TypeList> Loader::read_types(Node const& node, std::string const& path,
                                                   std::string_view key) {
    Node const* const list = node.find(key);
    if (list == nullptr) return std::nullopt;
    std::string const at = yaml::join_key(path, key);
    TypeList types;
    if (!list->is_sequence()) {
        error(*list, at, "must be a list of media types");
        return types;
    }
    for (std::size_t i = 0; i < list->items().size(); ++i) {
        Node const& item = list->items()[i];
        std::string const item_path = yaml::join_index(at, i);
        if (!item.is_string()) {
            error(item, item_path, "must be a media type");
            continue;
        }
        auto const is_same = [&item](NamedType const& one) {
            return one.node->text() == item.text();
        };
        if (std::any_of(types.begin(), types.end(), is_same)) continue;
        types.push_back({&item, item_path});
    }
    return types;
}

Loader::NamedType Loader::json_at(Node const& node, std::string const& path) {
    return {keep(yaml::Editor::text_of(node.mark(), "application/json"), path, nullptr).node, path};
}

// How the schema of a response can be checked in bodies of a media type.
Loader::Checked Loader::checked_in(std::string_view type, Target const& schema) {
    std::string const name = plain_name(type);
    if (is_json(name) || says_only_bytes(*schema.node) || is_binary(*documents_, schema)) {
        return Checked::yes;
    }
    if (name == "*/*" || name == "application/*") return Checked::as_json;
    bool const is_range = name.find('*') != std::string::npos;
    return !is_range && is_plain(*documents_, schema) ? Checked::yes : Checked::no;
}

// The media types of a parameter in body.
Loader::TypeList Loader::body_types(ParameterNode const& parameter, TypeList const& consumes) {
    TypeList types;
    for (NamedType const& type : consumes) {
        std::string const name = plain_name(type.node->text());
        if (is_json(name) && has_type(types, name)) continue; // with another charset
        types.push_back(type);
    }
    // Nothing else can be checked: without `consumes` the document does not say what a body is.
    if (consumes.empty()) types.push_back(json_at(*parameter.node, parameter.path));
    return types;
}

// The media types of the response of an operation, and whether its schema is checked in each.
std::vector<std::pair<Loader::NamedType, bool>> Loader::response_types(Target const& schema) {
    std::vector<std::pair<NamedType, bool>> types;
    bool const is_bytes = swagger::is_file(*schema.node);
    bool const has_json = has_type(produces_, "application/json");
    bool is_json_added = has_json || is_bytes;
    auto const add_range = [&](NamedType const& range) {
        if (!is_json_added) types.emplace_back(json_at(*range.node, range.path), true);
        is_json_added = true;
        types.emplace_back(range, false);
    };
    std::set<std::string> names;
    for (NamedType const& type : produces_) {
        // Parameters do not distinguish media types, and all have one schema.
        if (!names.insert(plain_name(type.node->text())).second) continue;
        Checked const checked = is_bytes ? Checked::no : checked_in(type.node->text(), schema);
        if (checked == Checked::as_json) {
            add_range(type);
            continue;
        }
        types.emplace_back(type, checked == Checked::yes);
        if (is_bytes || checked == Checked::yes) continue;
        if (!warned_words_.insert("produces " + type.node->text()).second) continue;
        warn(*type.node, type.path,
             "responses of " + config::in_quotes(type.node->text())
                 + " are not checked where they have a schema of an object or a list, which is "
                   "checked in JSON");
    }
    if (!produces_.empty()) return types;
    // The document does not say what comes: what is not JSON is not checked.
    add_range({keep(yaml::Editor::text_of(schema.node->mark(), "*/*"), schema.path, nullptr).node,
               schema.path});
    return types;
}

// The media types of a form that an operation takes.
Loader::TypeList Loader::form_types(Written const& operation,
                                    std::vector<ParameterNode> const& fields,
                                    TypeList const& consumes) {
    TypeList types;
    for (NamedType const& one : consumes) {
        std::string const name = in_lower_case(one.node->text());
        if (name == urlencoded || name == multipart) types.push_back(one);
    }
    if (!types.empty()) return types;
    bool const has_file = std::any_of(fields.begin(), fields.end(), [](ParameterNode const& one) {
        return swagger::is_file(*one.node);
    });
    std::string const name{has_file ? multipart : urlencoded};
    warn(operation.node, operation.path,
         "has parameters in formData, and no media type of a form in consumes; bodies of " + name
             + " are accepted",
         "write consumes: [" + name + "]");
    types.push_back(
        {keep(yaml::Editor::text_of(operation.node.mark(), name), operation.path, nullptr).node,
         operation.path});
    return types;
}

} // namespace sallyport::contract

// Reads how the fields of forms and multipart bodies are written: the Encoding Object (OpenAPI 3.1,
// 4.8.15) and, where it says nothing, the types of their schemas.
#include "gateway/contract/evaluate/query_owner.h"
#include "gateway/contract/openapi/in_place.h"
#include "gateway/contract/openapi/load.h"

#include "config/text.h"
#include "gateway/contract/schema/constants.h"

#include <algorithm>
#include <array>
#include <utility>

namespace sallyport::contract {

namespace yaml = config::yaml;

namespace {

struct StyleName {
    std::string_view name;
    ParameterStyle style;
};
constexpr std::array field_styles{
    StyleName{"form", ParameterStyle::form},
    StyleName{"spaceDelimited", ParameterStyle::space_delimited},
    StyleName{"pipeDelimited", ParameterStyle::pipe_delimited},
    StyleName{"deepObject", ParameterStyle::deep_object},
};

// The media types of `contentType`, which are separated by commas.
[[nodiscard]] std::vector<std::string> split_types(std::string_view text) {
    std::vector<std::string> types;
    while (!text.empty()) {
        auto const end = std::min(text.find(','), text.size());
        std::string type = in_lower_case(text.substr(0, text.find_first_of(",;")));
        std::erase_if(type, [](char c) { return c == ' ' || c == '\t'; });
        types.push_back(std::move(type));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return types;
}

[[nodiscard]] bool is_type_or_range(std::string_view type) noexcept {
    auto const slash = type.find('/');
    return slash != std::string_view::npos && is_token(type.substr(0, slash))
           && is_token(type.substr(slash + 1));
}

[[nodiscard]] bool are_json(std::vector<std::string> const& types) noexcept {
    return !types.empty() && std::all_of(types.begin(), types.end(), is_json);
}

// "image/png or image/gif"
[[nodiscard]] std::string joined(std::vector<std::string> const& types) {
    std::string text;
    for (auto const& type : types)
        text.append(text.empty() ? "" : " or ").append(type);
    return text;
}

} // namespace

void Loader::field_error(FieldPlace const& place, std::string what, std::string hint) {
    bool const has_schema = !place.schemas.empty();
    Target const& at = has_schema ? place.schemas.front() : place.form.schema;
    unsupported(*at.node, at.path, std::move(what), std::move(hint));
}

Loader::FieldPlace Loader::find_field(FormPlace const& place, PropertyKinds const& kinds) {
    FieldPlace field{place, kinds, {}, {}, "/encoding/" + escape_token(kinds.name)};
    if (kinds.name.empty()) {
        field.schemas = schemas_below(*documents_, place.schema, "additionalProperties");
        return field;
    }
    field.schemas = schemas_of_property(*documents_, place.schema, kinds.name);
    if (place.encoding == nullptr || !place.encoding->is_mapping()) return field;
    Node const* const own = place.encoding->find(kinds.name);
    if (own == nullptr) return field;
    std::string path = yaml::join_key(place.encoding_path, kinds.name);
    if (check_encoding_object(*own, path))
        field.encoding = {own, std::move(path), place.schema.resource};
    return field;
}

// OpenAPI 3.2, 4.15.1.1: the encodings of a part that consists of parts, which is refused.
bool Loader::check_encoding_object(Node const& node, std::string const& path) {
    Keys keys{"an encoding",
              {"contentType", "headers", "style", "explode", "allowReserved"},
              {"description"},
              {}};
    if (is_3_2_) keys.refused = {"encoding", "prefixEncoding", "itemEncoding"};
    if (!check_keys(node, path, keys)) return false;
    for (std::string_view const word : keys.refused)
        unsupported_ += node.find(word) != nullptr ? 1U : 0U;
    return true;
}

void Loader::check_encoding(FormPlace const& place, FormBody const& form) {
    if (place.encoding == nullptr) return;
    if (!place.encoding->is_mapping())
        return error(*place.encoding, place.encoding_path, "must be a mapping of properties");
    auto const& fields = form.fields.query_parameters;
    for (yaml::Entry const& entry : place.encoding->entries()) {
        bool const is_known = std::any_of(fields.begin(), fields.end(), [&](Parameter const& one) {
            return one.name == entry.key;
        });
        if (is_known) continue;
        problems_.add_at(entry.mark, yaml::join_key(place.encoding_path, entry.key),
                         "has no effect: the schema has no such property", {},
                         yaml::Severity::warning);
    }
}

void Loader::read_form(FormPlace const& place, FormBody& form) {
    Program const& program = *contract_->program_;
    BodySchema const schema = *place.type.schema;
    ObjectKinds const object = read_properties(program, program.schemas[schema.index].root);
    auto const begin = [&](FieldPlace const& field) {
        Parameter parameter;
        parameter.name = field.kinds.name;
        parameter.place = ParameterPlace::query;
        parameter.style = ParameterStyle::form;
        parameter.explode = Explode::yes;
        parameter.schema = schema;
        return parameter;
    };
    Operation known; // for the search for names that two fields could have
    for (PropertyKinds const& kinds : object.members) {
        FieldPlace const field = find_field(place, kinds);
        Parameter parameter = begin(field);
        FormField detail;
        read_field(field, parameter, detail);
        Node const& at = *(field.schemas.empty() ? place.schema : field.schemas.front()).node;
        std::string const path =
            yaml::join_key(yaml::join_key(place.schema.path, "properties"), kinds.name);
        (void)check_owners(known, parameter,
                           {&at, path, place.schema.resource, kinds.name, "query"});
        known.query_parameters.push_back(std::move(parameter));
        form.details.push_back(std::move(detail));
    }
    form.fields.query_parameters = std::move(known.query_parameters);
    index_query(form.fields);
    check_encoding(place, form);
    auto const read_undeclared = [&](PropertyKinds const& kinds) {
        FieldPlace const field = find_field(place, kinds);
        FormBody::Undeclared undeclared{kinds.pattern, begin(field), {}};
        read_field(field, undeclared.parameter, undeclared.detail);
        return undeclared;
    };
    for (PropertyKinds const& kinds : object.patterns)
        form.patterns.push_back(read_undeclared(kinds));
    form.others = read_undeclared(object.others);
    form.others_are_free = object.others.schemas.empty();
}

void Loader::read_field(FieldPlace const& place, Parameter& parameter, FormField& field) {
    bool const is_multipart = place.form.type.syntax == BodySyntax::multipart;
    field.part = place.kinds.part;
    parameter.reading = field.part.reading;
    read_type_names(place, field);
    constexpr unsigned list = value_bits::array | value_bits::null;
    bool const is_list = place.kinds.may_be_nested && (place.kinds.kinds.accepted & ~list) == 0;
    if (!are_json(field.content_types)) {
        read_field_shape(place, parameter, field);
    } else {
        // OpenAPI 3.1.1, 4.8.15.1.1: of a list "one encoded value per array item".
        if (is_list) read_field_list(place, parameter, field);
        parameter.shape = is_list ? ParameterShape::list : ParameterShape::json;
        field.content = FieldContent::json;
    }
    if (is_multipart) {
        read_content_types(place, field);
        read_part_headers(place, field);
    } else {
        field.content_types.clear();
        read_field_style(place, parameter, field);
    }
    if (parameter.shape == ParameterShape::object && parameter.is_spread()) {
        // Any other name belongs to the form itself.
        Program const& program = *contract_->program_;
        for (auto const& one : place.kinds.schemas)
            read_others(program, one.node, parameter);
        if (parameter.takes_others) {
            field_error(place, "takes fields of any name, and so does the form",
                        "write style: deepObject, or additionalProperties: false");
        }
        parameter.takes_others = false;
        parameter.closed_by.reset();
    }
}

void Loader::read_type_names(FieldPlace const& place, FormField& field) {
    Node const* const types =
        place.encoding.node != nullptr ? place.encoding.node->find("contentType") : nullptr;
    if (types == nullptr) return;
    field.content_types = split_types(types->text());
    auto const& all = field.content_types;
    if (!all.empty() && std::all_of(all.begin(), all.end(), is_type_or_range)) return;
    error(*types, yaml::join_key(place.encoding.path, "contentType"),
          "must be media types, separated by commas");
}

// Whether it is a plain value, a list, an object or a file.
void Loader::read_field_shape(FieldPlace const& place, Parameter& parameter, FormField& field) {
    bool const is_multipart = place.form.type.syntax == BodySyntax::multipart;
    Kinds const& kinds = place.kinds.kinds;
    auto const binary = [this](std::vector<Target> const& schemas) {
        return std::any_of(schemas.begin(), schemas.end(),
                           [this](Target const& one) { return is_binary(*documents_, one); });
    };
    if (!place.kinds.may_be_nested) {
        // OpenAPI 3.1, 4.8.14.4: in a multipart body a property without a type is bytes.
        bool const is_untyped = is_multipart && !place.schemas.empty() && kinds.named == 0;
        if (is_multipart && (is_untyped || binary(place.schemas)))
            read_bytes(place, place.kinds.schemas, field);
        return;
    }
    if (!is_multipart && read_nested_field(place, parameter)) return;
    constexpr unsigned nested = value_bits::array | value_bits::object;
    constexpr unsigned plain = value_bits::any & ~(nested | value_bits::null);
    bool const is_one = (kinds.accepted & plain) == 0 && (kinds.accepted & nested) != nested;
    if (!is_one) return read_several_shapes(place, parameter, field);
    if ((kinds.accepted & value_bits::array) != 0) return read_field_list(place, parameter, field);
    Node const* const encoding = place.encoding.node;
    bool const has_style =
        encoding != nullptr
        && (encoding->find("style") != nullptr || encoding->find("explode") != nullptr);
    if (is_multipart || !has_style) {
        // OpenAPI 3.1, 4.8.15.1.1: the default of an object is application/json.
        field.content = FieldContent::json;
        parameter.shape = ParameterShape::json;
        return;
    }
    parameter.shape = ParameterShape::object;
    if (auto const fault = read_members(*contract_->program_, place.kinds.schemas, parameter)) {
        field_error(place, *fault + " may be a list or an object, which no style can nest",
                    "write plain types, or encoding with contentType: application/json");
    }
}

// As Loader::read_nested_names().
bool Loader::read_nested_field(FieldPlace const& place, Parameter& parameter) {
    Node const* const style =
        place.encoding.node != nullptr ? place.encoding.node->find("style") : nullptr;
    if (style == nullptr || style->text() != "deepObject") return false;
    Program const& program = *contract_->program_;
    if (!has_deep_names(program, place.kinds.schemas)) return false;
    if (auto const fault = read_deep_names(program, place.kinds.schemas, parameter)) {
        field_error(place, *fault + ", which names with brackets do not show",
                    "write one type, or encoding with contentType: application/json");
    }
    return true;
}

void Loader::read_field_list(FieldPlace const& place, Parameter& parameter, FormField& field) {
    parameter.shape = ParameterShape::list;
    auto const fault = read_items(*contract_->program_, place.kinds.schemas, parameter);
    std::vector<Target> items;
    for (auto const& schema : place.schemas) {
        auto const below = schemas_below(*documents_, schema, "items");
        items.insert(items.end(), below.begin(), below.end());
    }
    bool const is_multipart = place.form.type.syntax == BodySyntax::multipart;
    bool const is_bytes =
        is_multipart && std::any_of(items.begin(), items.end(), [this](Target const& one) {
            return is_binary(*documents_, one);
        });
    if (is_bytes) {
        std::vector<SchemaInPlace> schemas;
        for (auto const node : parameter.others.nodes)
            schemas.push_back({node, Effect::always});
        read_bytes(place, schemas, field);
        if (!parameter.first.empty())
            field_error(place, "prefixItems of files are not implemented", "write items");
    } else if (fault) {
        field.content = FieldContent::json; // of each item
    }
}

void Loader::read_bytes(FieldPlace const& place, std::vector<SchemaInPlace> const& schemas,
                        FormField& field) {
    field.content = FieldContent::bytes;
    std::vector<SizeLimit> sizes;
    if (auto const fault = take_sizes(*contract_->program_, schemas, sizes)) {
        field_error(place, "files with " + *fault + " are not implemented",
                    "write minLength and maxLength alone");
    }
    for (auto const& [is_least, size, rule] : sizes)
        field.sizes.push_back(
            {is_least ? SizeRule::Bound::least : SizeRule::Bound::most, size, rule});
}

std::optional<ParameterStyle> Loader::read_style_name(FieldPlace const& place) {
    Node const* const style =
        place.encoding.node != nullptr ? place.encoding.node->find("style") : nullptr;
    if (style == nullptr) return ParameterStyle::form;
    auto const known =
        std::find_if(field_styles.begin(), field_styles.end(),
                     [style](StyleName const& one) { return one.name == style->text(); });
    if (known != field_styles.end()) return known->style;
    error(*style, yaml::join_key(place.encoding.path, "style"),
          "the style " + config::in_quotes(style->text()) + " is unknown",
          "write form, spaceDelimited, pipeDelimited or deepObject");
    return std::nullopt;
}

void Loader::read_field_style(FieldPlace const& place, Parameter& parameter,
                              FormField const& field) {
    auto const style = read_style_name(place);
    if (place.encoding.node == nullptr || !style) return;
    Node const& encoding = *place.encoding.node;
    (void)read_flag(encoding, place.encoding.path, "allowReserved"); // values are decoded anyway
    bool const is_delimited =
        *style == ParameterStyle::space_delimited || *style == ParameterStyle::pipe_delimited;
    bool const explodes =
        read_flag(encoding, place.encoding.path, "explode").value_or(!is_delimited);
    bool const is_list = parameter.shape == ParameterShape::list;
    bool const is_object = parameter.shape == ParameterShape::object || !parameter.deep.empty();
    bool const is_deep = *style == ParameterStyle::deep_object;
    if (is_deep && !is_list && !is_object && !field.is_several) {
        // Undefined by OpenAPI; a plain value has no names for brackets.
        return warn(encoding, place.encoding.path,
                    "the style \"deepObject\" has no effect on a plain value",
                    "write form, or leave it out");
    }
    bool const is_possible = (!is_delimited || is_list || (!is_object && !explodes))
                             && (!is_deep || (is_object && explodes));
    bool const nests = field.content == FieldContent::json && is_list && !explodes;
    if (!is_possible || nests) {
        unsupported(
            encoding, place.encoding.path,
            "this style is not defined for the type of the property (OpenAPI 3.1, 4.8.12.3)",
            "write form; of a list of plain values also spaceDelimited or pipeDelimited, of an "
            "object deepObject with explode");
        return;
    }
    parameter.style = *style;
    parameter.explode = explodes ? Explode::yes : Explode::no;
}

// The media types that a part may have, as a rule of its own.
void Loader::read_content_types(FieldPlace const& place, FormField& field) {
    if (place.encoding.node == nullptr) return;
    for (auto const* const word : {"style", "explode"}) {
        Node const* const own = place.encoding.node->find(word);
        if (own == nullptr) continue;
        warn(*own, yaml::join_key(place.encoding.path, word),
             place.form.type.syntax == BodySyntax::parts
                 ? "has no effect: it is for forms"
                 : "has no effect: each item of a list is a part");
    }
    if (field.content_types.empty()) return;
    Program& program = *contract_->program_;
    CompiledSchema compiled;
    compiled.operation = place.form.use.operation;
    compiled.first_rule = static_cast<RuleIndex>(program.rules.size());
    Rule rule;
    rule.keyword = "contentType";
    rule.pointer = place.pointer + "/contentType";
    rule.source = place.form.use.source;
    rule.mark = place.encoding.node->mark();
    append_json_string(rule.expected, joined(field.content_types));
    rule.phrase = "must have the media type " + joined(field.content_types);
    field.content_type_rule = compiled.first_rule;
    program.rules.push_back(std::move(rule));
    compiled.end_rule = static_cast<RuleIndex>(program.rules.size());
    program.schemas.push_back(compiled);
}

// OpenAPI 3.1, 4.8.15.1: fields of the head of a part; Content-Type is ignored.
void Loader::read_part_headers(FieldPlace const& place, FormField& field) {
    Node const* const headers =
        place.encoding.node != nullptr ? place.encoding.node->find("headers") : nullptr;
    if (headers == nullptr) return;
    std::string const path = yaml::join_key(place.encoding.path, "headers");
    if (!headers->is_mapping()) return error(*headers, path, "must be a mapping of fields");
    for (yaml::Entry const& entry : headers->entries()) {
        std::string const name = in_lower_case(entry.key);
        std::string const at = yaml::join_key(path, entry.key);
        auto const target = follow(entry.value, at);
        Keys const keys{"a field of a part",
                        {"required", "schema", "content", "style", "explode", "deprecated"},
                        {"description", "example", "examples"},
                        {}};
        if (!target || !check_keys(*target->node, target->path, keys)) continue;
        // RFC 7578, 4.8: other fields of named parts are ignored. Parts without names have more.
        bool const has_names = place.form.type.syntax != BodySyntax::parts;
        if (name == "content-type" || (has_names && name.starts_with("content-"))) {
            warn(*target->node, target->path, "has no effect: use contentType");
            continue;
        }
        if (!is_token(name)) {
            error(*target->node, at, "is not the name of a header field");
            continue;
        }
        Operation owner;
        owner.source = place.form.use.source;
        owner.index = place.form.use.operation;
        ParameterNode node{target->node, target->path, target->resource, entry.key, "header"};
        node.pointer = place.pointer + "/headers/" + escape_token(entry.key);
        auto parameter = read_parameter(owner, node);
        if (parameter && !parameter->is_unread) field.headers.push_back(std::move(*parameter));
    }
}

} // namespace sallyport::contract

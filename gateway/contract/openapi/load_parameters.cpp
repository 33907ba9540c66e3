// Reads the parameters of an operation: place, style and schema of each.
#include "gateway/contract/openapi/load.h"

#include "config/text.h"
#include "gateway/contract/evaluate/plain_rule.h"
#include "gateway/contract/evaluate/query_owner.h"
#include "gateway/contract/schema/accepted.h"
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
constexpr std::array style_names{
    StyleName{"simple", ParameterStyle::simple},
    StyleName{"form", ParameterStyle::form},
    StyleName{"spaceDelimited", ParameterStyle::space_delimited},
    StyleName{"pipeDelimited", ParameterStyle::pipe_delimited},
    StyleName{"deepObject", ParameterStyle::deep_object},
    StyleName{"label", ParameterStyle::label},
    StyleName{"matrix", ParameterStyle::matrix},
    StyleName{"cookie", ParameterStyle::cookie},
};

[[nodiscard]] ParameterPlace place_from(std::string_view name) noexcept {
    if (name == "path") return ParameterPlace::path;
    if (name == "cookie") return ParameterPlace::cookie;
    return name == "query" ? ParameterPlace::query : ParameterPlace::header;
}

// What to write instead of a style that does not exist for a place.
[[nodiscard]] std::string_view hint_for_style(ParameterPlace place) noexcept {
    switch (place) {
    case ParameterPlace::path: return "write simple, label or matrix, or leave it out";
    case ParameterPlace::cookie: return "write form or cookie, or leave it out";
    case ParameterPlace::query:
        return "write form; of a list also spaceDelimited or pipeDelimited, of an object "
               "deepObject, or those two with explode: false";
    default: return "write simple, or leave it out";
    }
}

[[nodiscard]] ParameterStyle default_style(ParameterPlace place) noexcept {
    bool const is_form = place == ParameterPlace::query || place == ParameterPlace::cookie;
    return is_form ? ParameterStyle::form : ParameterStyle::simple;
}

} // namespace

bool Loader::is_possible(Parameter const& parameter) noexcept {
    if (!parameter.readings.empty()) return true; // each is
    ParameterPlace const place = parameter.place;
    bool const is_query = place == ParameterPlace::query;
    bool const is_object = parameter.shape == ParameterShape::object;
    switch (parameter.style) {
    case ParameterStyle::simple:
        return place == ParameterPlace::path || place == ParameterPlace::header;
    case ParameterStyle::label:
    case ParameterStyle::matrix: return place == ParameterPlace::path;
    case ParameterStyle::form: return is_query || place == ParameterPlace::cookie;
    case ParameterStyle::cookie: return place == ParameterPlace::cookie;
    case ParameterStyle::space_delimited:
    case ParameterStyle::pipe_delimited:
        return is_query
               && (parameter.shape == ParameterShape::list
                   || (is_object && parameter.explode == Explode::no));
    case ParameterStyle::deep_object: break;
    }
    return is_query && (is_object || !parameter.deep.empty());
}

void Loader::read_parameters(Operation& operation, PathItem const& item,
                             std::vector<ParameterNode> const& parameters, Node const& node,
                             std::string const& path) {
    operation.parameter_names = item.parameter_names;
    operation.path_parameters.resize(item.parameter_names.size());
    std::vector<bool> is_declared(item.parameter_names.size(), false);
    has_unread_query_ = false;
    for (ParameterNode one : parameters) {
        one.shares_name =
            std::count_if(parameters.begin(), parameters.end(),
                          [&one](ParameterNode const& other) { return other.name == one.name; })
            > 1;
        if (!is_read(one)) continue;
        source_.parameters.push_back({one.node, one.path, one.resource});
        if (one.place == "querystring") {
            read_query_string(operation, one);
            continue;
        }
        if (auto parameter = read_parameter(operation, one))
            add_parameter(operation, item, one, std::move(*parameter), is_declared);
    }
    if (operation.query_string && !operation.query_parameters.empty()) {
        error(node, path,
              "has a parameter for the whole query and others in it (OpenAPI 3.2, 4.12.1)",
              "describe all of the query by one of the two");
    }
    if (has_unread_query_) forget_open_objects(operation);
    index_query(operation);
    for (std::size_t i = 0; i < is_declared.size(); ++i) {
        if (is_declared[i]) continue;
        warn(node, path,
             "the parameter " + config::in_quotes(item.parameter_names[i])
                 + " of the path is not among the parameters: any value passes",
             "write it, with its schema");
        Parameter& any = operation.path_parameters[i];
        any.name = item.parameter_names[i];
        any.mark = node.mark();
        any.document_path = path;
        any.place = ParameterPlace::path;
        any.pointer = "/parameters/" + escape_token(any.name);
        any.required = true;
    }
}

// What is known of it without its schema and its style.
Parameter Loader::as_unread(Parameter const& parameter) {
    Parameter result;
    result.name = parameter.name;
    result.mark = parameter.mark;
    result.document_path = parameter.document_path;
    result.pointer = parameter.pointer;
    result.place = parameter.place;
    result.required = parameter.place == ParameterPlace::path;
    result.is_unread = true;
    return result;
}

std::optional<bool> Loader::read_flag(Node const& node, std::string const& path,
                                      std::string_view key) {
    Node const* const value = node.find(key);
    if (value == nullptr) return std::nullopt;
    if (value->is_boolean()) return value->as_boolean();
    std::string const at = yaml::join_key(path, key);
    if (auto const flag = flag_in_text(*value)) {
        std::string const word = *flag ? "true" : "false";
        warn(*value, at, "is a text, and is read as " + word, "write " + word + ", without quotes");
        return flag;
    }
    error(*value, at, "must be true or false");
    return std::nullopt;
}

std::string Loader::pointer_of(ParameterNode const& parameter) {
    if (!parameter.pointer.empty()) return parameter.pointer;
    std::string pointer = "/parameters/";
    if (parameter.shares_name) pointer += parameter.place + '/';
    return pointer + escape_token(parameter.name);
}

std::optional<Parameter> Loader::read_parameter(Operation const& operation,
                                                ParameterNode const& parameter) {
    Node const& node = *parameter.node;
    Parameter result;
    result.name = parameter.name;
    result.mark = node.mark();
    result.document_path = parameter.path;
    result.place = place_from(parameter.place);
    result.required = read_flag(node, parameter.path, "required").value_or(false);
    if (result.place == ParameterPlace::path && !result.required) {
        // It cannot be left out.
        warn(node, parameter.path, "must have required: true, as every parameter of a path");
        result.required = true;
    }
    // What a client does not need to encode is decoded nevertheless.
    (void)read_flag(node, parameter.path, "allowReserved");
    result.allows_empty = read_flag(node, parameter.path, "allowEmptyValue").value_or(false)
                          && result.place == ParameterPlace::query;
    std::size_t const before = unsupported_;
    result.pointer = pointer_of(parameter);
    Target schema{node.find("schema"), yaml::join_key(parameter.path, "schema"),
                  parameter.resource};
    if (Node const* const content = node.find("content"); content != nullptr) {
        schema = read_content(result, parameter, *content);
        if (unsupported_ != before) return as_unread(result);
        if (schema.node == nullptr) return std::nullopt;
    } else if (schema.node == nullptr) {
        error(node, parameter.path, "must have a schema");
        return std::nullopt;
    }
    SchemaUse use;
    use.side = parameter.side;
    use.pointer = result.pointer;
    use.source = operation.source;
    if (Node const* const source = node.find("x-source"); source != nullptr) {
        use.source = source->text();
    }
    use.member = parameter.name;
    use.operation = operation.index;
    result.schema = compiler_->compile(schema, use);
    if (result.shape == ParameterShape::json) return result;
    Program const& program = *contract_->program_;
    NodeIndex const root = program.schemas[result.schema->index].root;
    bool const has_names =
        read_nested_names(result, node, schema) || read_lists_of_object(result, node);
    if (!has_names) read_shape(result, *schema.node, schema.path);
    if (node.find("content") == nullptr) {
        read_style(result, parameter);
    } else if (!result.readings.empty()) {
        result = Parameter{result.readings.front()}; // a text has no other
    }
    if (node.find("content") != nullptr && result.shape != ParameterShape::value) {
        unsupported(*schema.node, schema.path, "must be for plain values, as every text",
                    "write content: {application/json: ...}, or schema with a style");
    }
    if (unsupported_ != before) {
        forget_rules(*result.schema);
        return as_unread(result);
    }
    if (result.shape == ParameterShape::value) {
        result.plain_rule = find_plain_rule(program, root, result.reading);
    }
    if (result.is_spread()) read_others(program, root, result);
    return result;
}

// OpenAPI 3.2, 4.12.2.3: a parameter has exactly one media type; `path` becomes its own. Null: a
// problem was added.
yaml::Entry const* Loader::find_only_content(ParameterNode const& parameter, Node const& content,
                                             std::string& path) {
    for (auto const* const word :
         {"schema", "style", "explode", "allowReserved", "allowEmptyValue"}) {
        if (parameter.node->find(word) == nullptr) continue;
        error(*parameter.node, parameter.path,
              "has content and " + config::in_quotes(word)
                  + ": only one of them can define its format");
        return nullptr;
    }
    if (!content.is_mapping() || content.entries().size() != 1) {
        error(content, path, "must be a mapping of one media type");
        return nullptr;
    }
    path = yaml::join_key(path, content.entries().front().key);
    return &content.entries().front();
}

// The schema of a parameter with a media type; `path` becomes its own. No node: it is not
// supported, and a problem was added.
Target Loader::read_content(Parameter& result, ParameterNode const& parameter,
                            Node const& content) {
    std::string path = yaml::join_key(parameter.path, "content");
    yaml::Entry const* const entry = find_only_content(parameter, content, path);
    if (entry == nullptr) return {};
    result.shape = is_json(entry->key) ? ParameterShape::json : ParameterShape::value;
    if (!is_json(entry->key) && entry->key != "text/plain") {
        unsupported(entry->value, path,
                    "parameters of the media type " + config::in_quotes(entry->key)
                        + " are not implemented",
                    "write application/json, or text/plain");
        return {};
    }
    auto const target = follow(entry->value, path, parameter.resource);
    Keys const keys{"a media type", {"schema"}, {"example", "examples"}, {"encoding"}};
    if (!target || !check_keys(*target->node, target->path, keys)) return {};
    Node const* const schema = target->node->find("schema");
    if (schema == nullptr) error(*target->node, target->path, "must have a schema");
    return {schema, yaml::join_key(target->path, "schema"), target->resource};
}

// Whether it is a plain value, a list or an object: the text does not show it.
void Loader::read_shape(Parameter& result, Node const& schema, std::string const& path) {
    Program const& program = *contract_->program_;
    NodeIndex const root = program.schemas[result.schema->index].root;
    Kinds const kinds = kinds_of(program, root);
    if (!may_be_nested(kinds)) {
        result.reading = reading_of(kinds);
        return;
    }
    auto const fault = read_readings(result, kinds);
    if (!fault) return;
    // OpenAPI 3.1, 4.8.12.3 does not define how these are written.
    unsupported(schema, path,
                *fault + " may be a list or an object, which no style of parameters can nest",
                is_swagger() ? "write plain types"
                             : "write plain types, or content: {application/json: {schema: ...}} "
                               "in place of schema");
}

void Loader::read_style(Parameter& result, ParameterNode const& parameter) {
    Node const& node = *parameter.node;
    result.style = default_style(result.place);
    Node const* const style = node.find("style");
    bool is_known = true;
    if (style != nullptr) {
        auto const known =
            std::find_if(style_names.begin(), style_names.end(),
                         [style](StyleName const& one) { return one.name == style->text(); });
        is_known = known != style_names.end();
        if (is_known) result.style = known->style;
    }
    bool const is_deep = result.style == ParameterStyle::deep_object;
    bool const is_exploded =
        is_deep || result.style == ParameterStyle::form || result.style == ParameterStyle::cookie;
    bool const explodes = read_flag(node, parameter.path, "explode").value_or(is_exploded);
    result.explode = explodes ? Explode::yes : Explode::no;
    if (!is_known) {
        error(*style, yaml::join_key(parameter.path, "style"),
              "the style " + config::in_quotes(style->text()) + " is unknown",
              std::string{hint_for_style(result.place)});
    } else if (!result.readings.empty()) {
        fit_readings(result, node, parameter.path);
    }
    // Of a plain value every style of a query is name=value.
    bool const is_plain =
        result.shape == ParameterShape::value && result.place == ParameterPlace::query;
    if (is_plain && (is_deep || result.style == ParameterStyle::simple)) {
        warn(*style, yaml::join_key(parameter.path, "style"),
             is_deep ? "the style \"deepObject\" has no effect on a plain value"
                     : "the style \"simple\" is none of a query, and is read as \"form\"");
        result.style = ParameterStyle::form;
    }
    if (is_known && style != nullptr && !is_possible(result)) {
        unsupported(*style, yaml::join_key(parameter.path, "style"),
                    "the style " + config::in_quotes(style->text()) + " is not implemented here",
                    std::string{hint_for_style(result.place)});
    }
    if (is_deep && !explodes) {
        unsupported(node, parameter.path,
                    "deepObject without explode is not defined (OpenAPI 3.1, 4.8.12)");
    }
}

} // namespace sallyport::contract

// Reads parameters whose place has rules of its own: paths with the style matrix, cookies, and a
// query that is one value as a whole.
#include "gateway/contract/openapi/load.h"

#include "config/text.h"
#include "gateway/contract/forms/form_body.h"
#include "gateway/text/ascii.h"

#include <algorithm>
#include <utility>

namespace sallyport::contract {

namespace yaml = config::yaml;

namespace {

// RFC 3986, 2.3: never percent-encoded, so that each has one spelling.
[[nodiscard]] bool is_unreserved(char c) noexcept {
    return text::is_letter(c) || text::is_digit(c) || c == '-' || c == '.' || c == '_' || c == '~';
}

} // namespace

void Loader::add_parameter(Operation& operation, PathItem const& item, ParameterNode const& node,
                           Parameter parameter, std::vector<bool>& is_declared) {
    switch (parameter.place) {
    case ParameterPlace::query_string: break; // read_query_string()
    case ParameterPlace::query:
        return add_query_parameter(operation, std::move(parameter), node);
    case ParameterPlace::header:
        operation.header_names.push_back(node.name);
        if (!parameter.is_unread) operation.header_parameters.push_back(std::move(parameter));
        return;
    case ParameterPlace::cookie:
        if (is_cookie(node, parameter)) operation.cookie_parameters.push_back(std::move(parameter));
        return;
    case ParameterPlace::path: {
        auto const& names = item.parameter_names;
        auto const found = std::find(names.begin(), names.end(), node.name);
        if (found == names.end()) {
            if (parameter.schema) forget_rules(*parameter.schema);
            std::vector<std::string_view> const known{names.begin(), names.end()};
            auto const near = config::nearest(node.name, known);
            return warn(*node.node, node.path,
                        "has no effect: the path has no parameter " + config::in_quotes(node.name),
                        near ? "did you mean " + config::in_quotes(*near) + "?"
                             : "write {" + node.name + "} into the path, or remove it");
        }
        if (parameter.style == ParameterStyle::matrix) check_matrix(item, node);
        auto const at = static_cast<std::size_t>(found - names.begin());
        operation.path_parameters[at] = std::move(parameter);
        is_declared[at] = true;
        break;
    }
    }
}

// A `;` passes only where such a parameter is: it must be clear where it begins and ends.
void Loader::check_matrix(PathItem const& item, ParameterNode const& node) {
    if (!std::all_of(node.name.begin(), node.name.end(), is_unreserved)) {
        error(*node.node, node.path,
              "has a name that is percent-encoded in paths, in more than one way",
              "write a name of letters, digits, -, ., _ and ~");
    }
    std::string_view const path = item.path;
    std::string const template_text = '{' + node.name + '}';
    std::size_t const begin = path.find(template_text);
    if (begin == std::string_view::npos) return;
    auto const before = path.substr(0, begin);
    auto const behind = path.substr(begin + template_text.size());
    bool const is_alone = before.substr(before.rfind('/') + 1).find('}') == std::string_view::npos
                          && (behind.empty() || behind.front() == '/');
    if (is_alone) return;
    error(*node.node, node.path,
          "a parameter of style matrix must be the only one of its segment, and at its end",
          "write a path such as /cars/{" + node.name + "}");
}

// OpenAPI 3.2, 4.12.3 and appendix D.
bool Loader::is_cookie(ParameterNode const& node, Parameter const& parameter) {
    // RFC 6265, 4.1.1: the name is a token.
    if (!is_token(in_lower_case(node.name)))
        error(*node.node, yaml::join_key(node.path, "name"), "is not the name of a cookie");
    bool const is_nested =
        parameter.shape == ParameterShape::list || parameter.shape == ParameterShape::object;
    if (parameter.is_unread) return false;
    if (!is_nested || parameter.explode == Explode::no) return true;
    if (parameter.style == ParameterStyle::form) {
        unsupported(*node.node, node.path,
                    "is exploded with &, which does not separate cookies (OpenAPI 3.2, appendix D)",
                    "write explode: false, or of a list style: cookie");
    } else if (parameter.shape == ParameterShape::object) {
        unsupported(*node.node, node.path, "objects in several cookies are not implemented",
                    "write explode: false, or a parameter for each cookie");
    } else {
        return true;
    }
    forget_rules(*parameter.schema);
    return false;
}

// OpenAPI 3.2, 4.12.1: one for an operation, and no parameter of the query beside it.
void Loader::read_query_string(Operation& operation, ParameterNode const& node) {
    if (operation.query_string) {
        return error(*node.node, node.path,
                     "is a second parameter for the whole query (OpenAPI 3.2, 4.12.1)",
                     "remove one of the two");
    }
    Node const* const content = node.node->find("content");
    std::string path = yaml::join_key(node.path, "content");
    if (content == nullptr) {
        return error(*node.node, node.path, "must have content, as every parameter of this place",
                     "write content: {application/x-www-form-urlencoded: {schema: ...}}");
    }
    yaml::Entry const* const entry = find_only_content(node, *content, path);
    if (entry == nullptr) return;
    QueryString whole;
    Parameter& parameter = whole.parameter;
    parameter.name = node.name;
    parameter.mark = node.node->mark();
    parameter.document_path = node.path;
    parameter.place = ParameterPlace::query_string;
    parameter.required = read_flag(*node.node, node.path, "required").value_or(false);
    parameter.pointer = pointer_of(node);
    SchemaUse use;
    use.pointer = parameter.pointer;
    use.source = operation.source;
    use.member = node.name;
    use.operation = operation.index;
    whole.type =
        read_media_type(in_lower_case(entry->key), {&entry->value, path, node.resource}, use);
    if (is_multipart(whole.type.syntax)) {
        return error(entry->value, path, "no query is a multipart body",
                     "write application/x-www-form-urlencoded");
    }
    bool const is_json = whole.type.syntax == BodySyntax::json;
    parameter.shape = is_json ? ParameterShape::json : ParameterShape::value;
    parameter.schema = whole.type.schema;
    if (whole.type.form != nullptr) parameter.reading = whole.type.form->reading;
    operation.query_string = std::move(whole);
}

} // namespace sallyport::contract

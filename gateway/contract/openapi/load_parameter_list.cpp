// Reads which parameters an operation has: their names and places, without their schemas.
#include "gateway/contract/openapi/load.h"

#include "config/text.h"
#include "gateway/contract/diff/plain_rules.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace sallyport::contract {

namespace yaml = config::yaml;

namespace {

// OpenAPI 3.1, 4.8.12.1: such header parameters are ignored.
[[nodiscard]] bool is_ignored_header(std::string_view name) {
    std::string const lower = in_lower_case(name);
    return lower == "accept" || lower == "content-type" || lower == "authorization";
}

// The places of Swagger 2.0 that are no places of parameters in version 3.
[[nodiscard]] bool is_in_body(std::string_view place) noexcept {
    return place == "body" || place == "formData";
}

// What a parameter says of values: all but its texts, and what is the default.
[[nodiscard]] std::map<std::string_view, std::string> meaning_of(yaml::Node const& parameter) {
    std::map<std::string_view, std::string> meaning;
    for (yaml::Entry const& entry : parameter.entries()) {
        bool const is_text = entry.key == "description" || entry.key == "example"
                             || entry.key == "examples" || entry.key == "deprecated"
                             || entry.key.starts_with("x-");
        bool const is_default =
            entry.key == "required" && entry.value.is_boolean() && !entry.value.as_boolean();
        if (!is_text && !is_default) meaning.emplace(entry.key, canonical_text(entry.value));
    }
    return meaning;
}

[[nodiscard]] bool say_the_same(yaml::Node const& one, yaml::Node const& other) {
    return &one == &other || meaning_of(one) == meaning_of(other);
}

} // namespace

bool Loader::ParameterNode::is_same(ParameterNode const& other) const {
    if (place != other.place) return false;
    // RFC 9110, 5.1: names of header fields are case-insensitive.
    return place == "header" ? in_lower_case(name) == in_lower_case(other.name)
                             : name == other.name;
}

std::vector<Loader::ParameterNode> Loader::list_parameters(Node const* list,
                                                           std::string const& path) {
    std::vector<ParameterNode> result;
    if (list == nullptr) return result;
    if (list->is_null()) {
        warn(*list, path, "is empty: there are no parameters", "remove it");
        return result;
    }
    if (!list->is_sequence()) {
        error(*list, path, "must be a list of parameters");
        return result;
    }
    for (std::size_t i = 0; i < list->items().size(); ++i) {
        auto parameter = name_parameter(list->items()[i], yaml::join_index(path, i));
        if (!parameter) continue;
        auto const is_same = [&parameter](ParameterNode const& other) {
            return other.is_same(*parameter);
        };
        auto const known = std::find_if(result.begin(), result.end(), is_same);
        if (known != result.end()) {
            bool const are_alike = say_the_same(*known->node, *parameter->node);
            problems_.add(list->items()[i], yaml::join_index(path, i),
                          "the parameter " + config::in_quotes(parameter->name) + " is listed twice"
                              + (are_alike ? ", with the same meaning" : ""),
                          "remove one of the two",
                          are_alike ? yaml::Severity::warning : yaml::Severity::error);
            continue;
        }
        result.push_back(std::move(*parameter));
    }
    return result;
}

// Parameters of an operation take precedence over those of its path (OpenAPI 3.1, 4.8.10).
std::vector<Loader::ParameterNode>
Loader::own_and_shared(Node const& node, std::string const& path,
                       std::vector<ParameterNode> const& shared) {
    auto parameters = list_parameters(node.find("parameters"), yaml::join_key(path, "parameters"));
    for (auto const& one : shared) {
        auto const is_same = [&one](ParameterNode const& other) { return other.is_same(one); };
        if (std::none_of(parameters.begin(), parameters.end(), is_same)) {
            parameters.push_back(one);
        }
    }
    return parameters;
}

std::optional<Loader::ParameterNode> Loader::name_parameter(Node const& node,
                                                            std::string const& path) {
    auto target = follow(node, path);
    if (target && is_swagger()) target = swagger_parameter(std::move(*target));
    if (!target) return std::nullopt;
    Keys const keys{"a parameter",
                    {"name", "in", "required", "schema", "content", "style", "explode",
                     "allowReserved", "allowEmptyValue", "x-source"},
                    {"description", "example", "examples", "deprecated"},
                    {}};
    Node const* const name = target->node->find("name");
    Node const* const place = target->node->find("in");
    bool const is_of_body = is_swagger() && place != nullptr && is_in_body(place->text());
    if (!is_of_body && !check_keys(*target->node, target->path, keys)) return std::nullopt;
    if (name == nullptr || place == nullptr || !name->is_string() || !place->is_string()
        || name->text().empty()) {
        error(*target->node, target->path, "must have a name and in");
        return std::nullopt;
    }
    if (place->text() == "header" && !is_token(in_lower_case(name->text()))) {
        error(*name, yaml::join_key(target->path, "name"), "is not the name of a header field");
        return std::nullopt;
    }
    return ParameterNode{target->node, target->path, target->resource, name->text(), place->text()};
}

// What to write in place of one that is no place in this version.
std::string Loader::hint_for_place(std::string_view place) const {
    if (is_swagger()) return "write path, query, header, body or formData";
    if (is_in_body(place)) {
        // As Swagger 2.0 has them.
        return std::string{"write requestBody beside parameters: {content: {"}
               + (place == "body" ? "application/json: {schema: ...}}}"
                                  : "application/x-www-form-urlencoded: {schema: ...}}}, with a "
                                    "property for each field");
    }
    return is_3_2_ ? "write path, query, querystring, header or cookie"
                   : "write path, query, header or cookie";
}

// Whether the parameter is used; otherwise a problem is added.
bool Loader::is_read(ParameterNode const& parameter) {
    if (is_swagger() && is_in_body(parameter.place)) return false; // read with the body
    if (parameter.place == "header" && is_ignored_header(parameter.name)) {
        warn(*parameter.node, parameter.path,
             "has no effect: OpenAPI ignores this header parameter");
        return false;
    }
    bool const is_known = parameter.place == "path" || parameter.place == "query"
                          || parameter.place == "header"
                          || (!is_swagger() && parameter.place == "cookie")
                          || (is_3_2_ && parameter.place == "querystring");
    if (is_known) return true;
    error(*parameter.node, yaml::join_key(parameter.path, "in"),
          config::in_quotes(parameter.place) + " is no place of a parameter",
          hint_for_place(parameter.place));
    return false;
}

} // namespace sallyport::contract

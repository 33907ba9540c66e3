// Reads the header fields of responses (OpenAPI 3.2, 4.21).
#include "gateway/contract/openapi/in_place.h"
#include "gateway/contract/openapi/load.h"

#include "config/text.h"
#include "gateway/contract/schema/constants.h"

#include <utility>

namespace sallyport::contract {

namespace yaml = config::yaml;

namespace {

// Whether a field has no rules, and so needs no check.
[[nodiscard]] bool says_nothing(Parameter const& parameter, yaml::Node const& header) {
    yaml::Node const* const schema = header.find("schema");
    bool const has_rules =
        header.find("content") != nullptr || (schema != nullptr && !says_only_bytes(*schema));
    return !parameter.required && !has_rules;
}

} // namespace

void Loader::read_response_headers(Operation const& operation, Response& response,
                                   std::string const& status, Target const& target) {
    Node const* const headers = target.node->find("headers");
    if (headers == nullptr) return;
    std::string const path = yaml::join_key(target.path, "headers");
    if (headers->is_null()) return;
    if (!headers->is_mapping()) return error(*headers, path, "must be a mapping of fields");
    for (yaml::Entry const& entry : headers->entries()) {
        std::string const at = yaml::join_key(path, entry.key);
        if (entry.key.starts_with("x-") && !entry.value.is_mapping()) continue;
        if (in_lower_case(entry.key) == "content-type") {
            warn(entry.value, at, "has no effect: OpenAPI ignores this field; see content");
            continue;
        }
        if (!is_token(in_lower_case(entry.key))) {
            problems_.add_at(entry.mark, at, "is not the name of a header field");
            continue;
        }
        ParameterNode node{&entry.value, at, target.resource, entry.key, "header"};
        node.side = CompiledSchema::Side::response;
        auto header =
            read_response_header(operation, std::move(node),
                                 "/responses/" + status + "/headers/" + escape_token(entry.key));
        if (header) response.headers.push_back(std::move(*header));
    }
}

// None: the field has no rules, or a problem was added.
std::optional<ResponseHeader> Loader::read_response_header(Operation const& operation,
                                                           ParameterNode node,
                                                           std::string const& pointer) {
    auto const target = follow(*node.node, node.path, node.resource);
    Keys const keys{
        "a field of a response",
        {"required", "schema", "content", "style", "explode"},
        {"description", "deprecated", "example", "examples", "allowEmptyValue", "allowReserved"},
        {}};
    if (!target || !check_keys(*target->node, target->path, keys)) return std::nullopt;
    node.node = target->node;
    node.path = target->path;
    node.resource = target->resource;
    node.pointer = pointer;
    ResponseHeader header;
    Parameter& parameter = header.parameter;
    parameter.required = read_flag(*node.node, node.path, "required").value_or(false);
    if (says_nothing(parameter, *node.node)) return std::nullopt;
    bool const is_typed =
        node.node->find("schema") != nullptr || node.node->find("content") != nullptr;
    if (is_typed) {
        auto read = read_parameter(operation, node);
        if (!read || read->is_unread) return std::nullopt;
        parameter = std::move(*read);
    } else {
        parameter.name = node.name;
        parameter.pointer = pointer;
        parameter.place = ParameterPlace::header;
    }
    add_response_rules(operation, pointer, *node.node, {{header.malformed, "malformed"}});
    if (parameter.required)
        add_response_rules(operation, pointer, *node.node, {{header.required, "required"}});
    return header;
}

} // namespace sallyport::contract

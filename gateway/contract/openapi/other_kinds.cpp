// Documents that are no OpenAPI, by what they are.
#include "gateway/contract/openapi/other_kinds.h"

#include <array>
#include <string>

namespace sallyport::contract {

namespace yaml = config::yaml;

std::string_view other_kind_of(yaml::Node const& root) {
    if (!root.is_mapping() || root.find("openapi") != nullptr || root.find("paths") != nullptr)
        return {};
    yaml::Node const* const info = root.find("info");
    yaml::Node const* const schema = info != nullptr ? info->find("schema") : nullptr;
    bool const is_postman =
        info != nullptr
        && (info->find("_postman_id") != nullptr
            || (schema != nullptr
                && schema->text().find("getpostman.com") != std::string::npos));
    if (is_postman) return "a Postman collection";
    struct Row {
        std::string_view key;
        std::string_view and_key;
        std::string_view kind;
    };
    constexpr std::array rows{
        Row{"_postman_variable_scope", "values", "a Postman environment"},
        Row{"__export_format", "resources", "an Insomnia export"},
        Row{"asyncapi", "asyncapi", "an AsyncAPI document"},
        Row{"arazzo", "arazzo", "an Arazzo document"},
        Row{"overlay", "actions", "an overlay, which changes an OpenAPI document"},
        Row{"apiVersion", "kind", "a Kubernetes manifest"},
        Row{"listeners", "listeners", "a configuration of the gateway"},
        Row{"upstreams", "apis", "a configuration of the gateway"},
        Row{"swaggerVersion", "apis", "a document of Swagger 1"},
    };
    for (auto const& row : rows)
        if (root.find(row.key) != nullptr && root.find(row.and_key) != nullptr) return row.kind;
    return {};
}

} // namespace sallyport::contract

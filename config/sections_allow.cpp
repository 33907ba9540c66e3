// `allow:` of a credential: everything, or operations, APIs and parameter values.
#include "config/patterns.h"
#include "config/sections.h"
#include "config/text.h"

#include <algorithm>

namespace sallyport::config {

namespace {

struct Draft {
    Allow* allow = nullptr;
    std::vector<std::string> const* apis = nullptr;
};

bool check_api(Reader& reader, Value const& value, std::string const& api,
               std::vector<std::string> const& apis) {
    // Of a configuration whose APIs could not be read nothing is known.
    if (apis.empty() || std::find(apis.begin(), apis.end(), api) != apis.end()) return true;
    std::vector<std::string_view> const names{apis.begin(), apis.end()};
    reader.refuse(value, "no API is called " + in_quotes(api), suggestion(api, names));
    return false;
}

void read_operations(Reader& reader, Value const& value, Draft& out) {
    for (Value const& item : reader.read_list(value, Empty::refused)) {
        auto const text = reader.read_line(item, 512);
        if (!text) continue;
        std::size_t const slash = text->find('/');
        if (slash == std::string::npos || slash == 0 || slash + 1 == text->size()) {
            reader.refuse(item, Reader::shown(item) + " is not an operation",
                          "write API/operationId, or API/* for all of them");
            continue;
        }
        std::string api = text->substr(0, slash);
        std::string operation = text->substr(slash + 1);
        if (operation == "*") {
            operation.clear();
        } else if (operation.find('*') != std::string::npos) {
            reader.refuse(item, "'*' stands for all operations of an API, not for a part of a name",
                          "write API/* or whole operationIds");
            continue;
        }
        if (!check_api(reader, item, api, *out.apis)) continue;
        out.allow->operations.push_back(
            {std::move(api), std::move(operation), Reader::origin_of(item)});
    }
}

void read_allowed_apis(Reader& reader, Value const& value, Draft& out) {
    for (Value const& item : reader.read_list(value, Empty::refused)) {
        auto api = reader.read_line(item, 64);
        if (!api || !check_api(reader, item, *api, *out.apis)) continue;
        out.allow->apis.push_back({std::move(*api), Reader::origin_of(item)});
    }
}

// `API/operationId` or `API/*`.
std::string operation_pattern() {
    std::string const name = name_pattern();
    return name.substr(0, name.size() - 1) + R"(/(\*|[^*]+)$)";
}

Section<Draft> const& allow_section() {
    KeyInfo operations{"operations", list_shape(text_shape(512, operation_pattern()), 1),
                       "API/operationId, or API/* for all of an API"};
    KeyInfo apis{"apis", list_shape(text_shape(64, name_pattern()), 1),
                 "whole APIs, those without a contract too"};
    KeyInfo parameter{"PARAMETER", list_shape(text_shape(1024), 1),
                      "a path parameter of the contract, by its name: the values that are allowed"};
    static Section<Draft> const section{
        "allow",
        {
            custom_key<Draft>(std::move(operations), read_operations),
            custom_key<Draft>(std::move(apis), read_allowed_apis),
        },
        {.fewest_keys = 1, .others = {parameter}}};
    return section;
}

// Every other key is a path parameter of the contract, which is not known here.
void read_parameter(Reader& reader, yaml::Entry const& entry, Value const& value, Allow& out) {
    std::vector<std::string_view> const keys{"operations", "apis"};
    if (auto const meant = nearest(entry.key, keys)) {
        reader.warn(value, "taken for a path parameter of the contract",
                    "did you mean " + in_quotes(*meant) + '?');
    }
    AllowedParameter parameter;
    parameter.name = entry.key;
    parameter.origin = Origin{entry.mark, value.path};
    if (!value.node->is_sequence()) {
        reader.refuse_type(value, "a list of the values that are allowed",
                           "write " + entry.key + ": [...]");
        return;
    }
    for (Value const& item : reader.read_list(value, Empty::refused)) {
        if (auto text = reader.read_line(item, 1024)) parameter.values.push_back(std::move(*text));
    }
    out.parameters.push_back(std::move(parameter));
}

} // namespace

SectionInfo const& allow_info() {
    return allow_section().info();
}

void read_allow(Reader& reader, Value const& value, std::vector<std::string> const& apis,
                Allow& out) {
    if (value.node->is_string() && value.node->text() == "all") {
        out.extent = Allowed::all;
        return;
    }
    if (!value.node->is_mapping()) {
        reader.refuse(value, "must be all or a mapping",
                      "write allow: all, or allow: { operations: [...] }");
        return;
    }
    if (value.node->entries().empty()) {
        reader.refuse(value, "is empty: it would allow nothing",
                      "write allow: all, or allow: { operations: [...] }");
        return;
    }
    Draft draft{&out, &apis};
    for (yaml::Entry const& entry : value.node->entries()) {
        Value const child{&entry.value, yaml::join_key(value.path, entry.key)};
        if (entry.key == "operations") {
            read_operations(reader, child, draft);
        } else if (entry.key == "apis") {
            read_allowed_apis(reader, child, draft);
        } else {
            read_parameter(reader, entry, child, out);
        }
    }
}

} // namespace sallyport::config

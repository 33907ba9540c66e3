// Walks over the schemas of one value.
#include "gateway/contract/openapi/in_place.h"

#include "gateway/contract/openapi/load.h"
#include "gateway/text/ascii.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

namespace sallyport::contract {

namespace yaml = config::yaml;

void visit_schemas_in_place(Documents& documents, Target const& schema,
                            std::function<void(Target const&)> const& visit) {
    std::set<yaml::Node const*> seen;
    std::vector<Target> open{schema};
    while (!open.empty()) {
        Target const one = std::move(open.back());
        open.pop_back();
        if (!one.node->is_mapping() || !seen.insert(one.node).second) continue;
        visit(one);
        yaml::Node const* const reference = one.node->find("$ref");
        if (reference != nullptr && reference->is_string()) {
            auto resolved = documents.resolve(*one.resource, reference->text());
            if (resolved.target) open.push_back(std::move(*resolved.target));
        }
        for (auto const* const keyword : {"allOf", "anyOf", "oneOf"}) {
            yaml::Node const* const parts = one.node->find(keyword);
            if (parts == nullptr || !parts->is_sequence()) continue;
            for (auto const& part : parts->items())
                open.push_back({&part, one.path, one.resource});
        }
    }
}

namespace {

[[nodiscard]] bool says_binary(yaml::Node const& schema) {
    yaml::Node const* const format = schema.find("format");
    if (format != nullptr && format->text() == "binary") return true;
    yaml::Node const* const type = schema.find("contentMediaType");
    if (type == nullptr || schema.find("contentEncoding") != nullptr) return false;
    std::string const name = in_lower_case(type->text());
    return name.rfind("text/", 0) != 0 && !is_json(name);
}

} // namespace

bool is_binary(Documents& documents, Target const& schema) {
    bool is_found = false;
    visit_schemas_in_place(documents, schema, [&is_found](Target const& one) {
        is_found = is_found || says_binary(*one.node);
    });
    return is_found;
}

std::vector<Target> schemas_of_property(Documents& documents, Target const& object,
                                        std::string_view name) {
    std::vector<Target> found;
    visit_schemas_in_place(documents, object, [&](Target const& one) {
        yaml::Node const* const properties = one.node->find("properties");
        yaml::Node const* const own =
            properties != nullptr && properties->is_mapping() ? properties->find(name) : nullptr;
        if (own == nullptr) return;
        auto const path = yaml::join_key(yaml::join_key(one.path, "properties"), std::string{name});
        found.push_back({own, path, one.resource});
    });
    return found;
}

std::vector<Target> schemas_below(Documents& documents, Target const& schema,
                                  std::string_view keyword) {
    std::vector<Target> found;
    visit_schemas_in_place(documents, schema, [&](Target const& one) {
        yaml::Node const* const own = one.node->find(keyword);
        if (own == nullptr || !own->is_mapping()) return;
        found.push_back({own, yaml::join_key(one.path, std::string{keyword}), one.resource});
    });
    return found;
}

std::vector<Target> schemas_of_item(Documents& documents, Target const& list, std::size_t index) {
    std::vector<Target> found;
    visit_schemas_in_place(documents, list, [&](Target const& one) {
        std::string_view keyword = "prefixItems";
        yaml::Node const* own = one.node->find(keyword);
        bool const is_first =
            own != nullptr && own->is_sequence() && index < own->items().size();
        if (!is_first) {
            keyword = "items";
            own = one.node->find(keyword);
            if (own == nullptr || !own->is_mapping()) return;
        }
        std::string path = yaml::join_key(one.path, std::string{keyword});
        if (is_first) path = yaml::join_index(path, index);
        found.push_back({is_first ? &own->items()[index] : own, std::move(path), one.resource});
    });
    return found;
}

bool has_keyword(Documents& documents, Target const& schema,
                 std::initializer_list<std::string_view> keywords) {
    bool is_found = false;
    visit_schemas_in_place(documents, schema, [&](Target const& one) {
        is_found = is_found || std::any_of(keywords.begin(), keywords.end(), [&](auto keyword) {
            return one.node->find(keyword) != nullptr;
        });
    });
    return is_found;
}

bool says_only_bytes(yaml::Node const& schema) {
    if (!schema.is_mapping()) return schema.as_boolean();
    return std::all_of(
        schema.entries().begin(), schema.entries().end(), [](yaml::Entry const& entry) {
            if (entry.key == "type") return entry.value.text() == "string";
            if (entry.key == "format") return entry.value.text() == "binary";
            return entry.key == "description" || entry.key == "title" || entry.key == "example"
                   || entry.key == "examples" || entry.key == "x-source";
        });
}

} // namespace sallyport::contract

// The implemented keywords, one row each. A keyword without a row is a problem.
#include "gateway/contract/schema/compile.h"

#include <algorithm>
#include <array>

namespace sallyport::contract {

// Ordered by name.
std::vector<SchemaCompiler::Keyword> const& SchemaCompiler::keywords() {
    using Self = SchemaCompiler;
    static std::vector<Keyword> const rows{
        {"$anchor", &Self::keyword_identity, vocabulary::core},
        {"$comment", &Self::keyword_text, vocabulary::core},
        {"$defs", &Self::keyword_definitions, vocabulary::core},
        {"$dynamicAnchor", &Self::keyword_identity, vocabulary::core},
        {"$dynamicRef", &Self::keyword_dynamic_ref, vocabulary::core},
        {"$id", &Self::keyword_identity, vocabulary::core},
        {"$ref", &Self::keyword_ref, vocabulary::core},
        {"$schema", &Self::keyword_identity, vocabulary::core},
        {"$vocabulary", &Self::keyword_vocabulary, vocabulary::core},
        {"additionalProperties", &Self::keyword_members, vocabulary::applicator},
        {"allOf", &Self::keyword_all_of, vocabulary::applicator},
        {"anyOf", &Self::keyword_any_of, vocabulary::applicator},
        {"const", &Self::keyword_const, vocabulary::validation},
        {"contains", &Self::keyword_contains, vocabulary::applicator},
        {"contentEncoding", &Self::keyword_text, vocabulary::content},
        {"contentMediaType", &Self::keyword_text, vocabulary::content},
        {"contentSchema", &Self::keyword_annotation, vocabulary::content},
        {"default", &Self::keyword_annotation, vocabulary::meta_data},
        {"definitions", &Self::keyword_definitions, vocabulary::core},
        {"dependentRequired", &Self::keyword_members, vocabulary::validation},
        {"dependentSchemas", &Self::keyword_members, vocabulary::applicator},
        {"deprecated", &Self::keyword_deprecated, vocabulary::meta_data},
        {"description", &Self::keyword_text, vocabulary::meta_data},
        {"discriminator", &Self::keyword_discriminator, vocabulary::openapi},
        {"else", &Self::keyword_with_if, vocabulary::applicator},
        {"enum", &Self::keyword_enum, vocabulary::validation},
        {"example", &Self::keyword_annotation, vocabulary::openapi},
        {"examples", &Self::keyword_annotation, vocabulary::meta_data},
        {"exclusiveMaximum", &Self::keyword_exclusive_maximum, vocabulary::validation},
        {"exclusiveMinimum", &Self::keyword_exclusive_minimum, vocabulary::validation},
        {"externalDocs", &Self::keyword_annotation, vocabulary::openapi},
        {"format", &Self::keyword_format,
         vocabulary::format_annotation | vocabulary::format_assertion},
        {"if", &Self::keyword_if, vocabulary::applicator},
        {"items", &Self::keyword_items, vocabulary::applicator},
        {"maxContains", &Self::keyword_with_contains, vocabulary::validation},
        {"maxItems", &Self::keyword_max_items, vocabulary::validation},
        {"maxLength", &Self::keyword_max_length, vocabulary::validation},
        {"maxProperties", &Self::keyword_max_properties, vocabulary::validation},
        {"maximum", &Self::keyword_maximum, vocabulary::validation},
        {"minContains", &Self::keyword_with_contains, vocabulary::validation},
        {"minItems", &Self::keyword_min_items, vocabulary::validation},
        {"minLength", &Self::keyword_min_length, vocabulary::validation},
        {"minProperties", &Self::keyword_min_properties, vocabulary::validation},
        {"minimum", &Self::keyword_minimum, vocabulary::validation},
        {"multipleOf", &Self::keyword_multiple_of, vocabulary::validation},
        {"not", &Self::keyword_not, vocabulary::applicator},
        {"nullable", &Self::keyword_nullable, vocabulary::openapi_3_0},
        {"oneOf", &Self::keyword_one_of, vocabulary::applicator},
        {"pattern", &Self::keyword_pattern, vocabulary::validation},
        {"patternProperties", &Self::keyword_members, vocabulary::applicator},
        {"prefixItems", &Self::keyword_prefix_items, vocabulary::applicator},
        {"properties", &Self::keyword_members, vocabulary::applicator},
        {"propertyNames", &Self::keyword_property_names, vocabulary::applicator},
        {"readOnly", &Self::keyword_read_only, vocabulary::meta_data},
        {"required", &Self::keyword_members, vocabulary::validation},
        {"then", &Self::keyword_with_if, vocabulary::applicator},
        {"title", &Self::keyword_text, vocabulary::meta_data},
        {"type", &Self::keyword_type, vocabulary::validation},
        {"unevaluatedItems", &Self::keyword_unevaluated_items, vocabulary::unevaluated},
        {"unevaluatedProperties", &Self::keyword_unevaluated_properties, vocabulary::unevaluated},
        {"uniqueItems", &Self::keyword_unique_items, vocabulary::validation},
        {"writeOnly", &Self::keyword_secret, vocabulary::meta_data},
        {"x-secret", &Self::keyword_secret, vocabulary::gateway},
        {"x-source", &Self::keyword_text, vocabulary::gateway},
        {"x-when", &Self::keyword_x_when, vocabulary::gateway},
        {"xml", &Self::keyword_annotation, vocabulary::openapi},
    };
    return rows;
}

SchemaCompiler::Keyword const* SchemaCompiler::find_keyword(std::string_view name) {
    auto const& rows = keywords();
    auto const found =
        std::lower_bound(rows.begin(), rows.end(), name,
                         [](Keyword const& row, std::string_view key) { return row.name < key; });
    return found == rows.end() || found->name != name ? nullptr : &*found;
}

// OpenAPI 3.0, 4.7.24: a subset of JSON Schema, and some keywords of its own.
bool SchemaCompiler::is_in_openapi_3_0(std::string_view name) {
    using namespace std::string_view_literals;
    constexpr std::array others{
        "$anchor"sv,
        "$comment"sv,
        "$defs"sv,
        "$dynamicAnchor"sv,
        "$dynamicRef"sv,
        "$id"sv,
        "$schema"sv,
        "$vocabulary"sv,
        "const"sv,
        "contains"sv,
        "contentEncoding"sv,
        "contentMediaType"sv,
        "contentSchema"sv,
        "definitions"sv,
        "dependentRequired"sv,
        "dependentSchemas"sv,
        "else"sv,
        "examples"sv,
        "if"sv,
        "maxContains"sv,
        "minContains"sv,
        "patternProperties"sv,
        "prefixItems"sv,
        "propertyNames"sv,
        "then"sv,
        "unevaluatedItems"sv,
        "unevaluatedProperties"sv,
    };
    return std::find(others.begin(), others.end(), name) == others.end();
}

std::vector<std::string_view> SchemaCompiler::keyword_names() {
    std::vector<std::string_view> names;
    for (Keyword const& row : keywords())
        names.push_back(row.name);
    return names;
}

} // namespace sallyport::contract

// The implemented keywords, one row each. A keyword without a row has no effect, and is a problem.
#include "gateway/contract/schema/compile.h"

#include <algorithm>
#include <array>

namespace sallyport::contract {

// In the order of their names, in which find_keyword() searches.
std::array<SchemaCompiler::Keyword, 67> const SchemaCompiler::keywords{{
    {"$anchor", &SchemaCompiler::keyword_identity, vocabulary::core},
    {"$comment", &SchemaCompiler::keyword_annotation, vocabulary::core},
    {"$defs", &SchemaCompiler::keyword_definitions, vocabulary::core},
    {"$dynamicAnchor", &SchemaCompiler::keyword_identity, vocabulary::core},
    {"$dynamicRef", &SchemaCompiler::keyword_dynamic_ref, vocabulary::core},
    {"$id", &SchemaCompiler::keyword_identity, vocabulary::core},
    {"$ref", &SchemaCompiler::keyword_ref, vocabulary::core},
    {"$schema", &SchemaCompiler::keyword_identity, vocabulary::core},
    {"$vocabulary", &SchemaCompiler::keyword_vocabulary, vocabulary::core},
    {"additionalProperties", &SchemaCompiler::keyword_members, vocabulary::applicator},
    {"allOf", &SchemaCompiler::keyword_all_of, vocabulary::applicator},
    {"anyOf", &SchemaCompiler::keyword_any_of, vocabulary::applicator},
    {"const", &SchemaCompiler::keyword_const, vocabulary::validation},
    {"contains", &SchemaCompiler::keyword_contains, vocabulary::applicator},
    {"contentEncoding", &SchemaCompiler::keyword_annotation, vocabulary::content},
    {"contentMediaType", &SchemaCompiler::keyword_annotation, vocabulary::content},
    {"contentSchema", &SchemaCompiler::keyword_annotation, vocabulary::content},
    {"default", &SchemaCompiler::keyword_annotation, vocabulary::meta_data},
    {"definitions", &SchemaCompiler::keyword_definitions, vocabulary::core},
    {"dependentRequired", &SchemaCompiler::keyword_members, vocabulary::validation},
    {"dependentSchemas", &SchemaCompiler::keyword_members, vocabulary::applicator},
    {"deprecated", &SchemaCompiler::keyword_deprecated, vocabulary::meta_data},
    {"description", &SchemaCompiler::keyword_annotation, vocabulary::meta_data},
    {"discriminator", &SchemaCompiler::keyword_discriminator, vocabulary::openapi},
    {"else", &SchemaCompiler::keyword_with_if, vocabulary::applicator},
    {"enum", &SchemaCompiler::keyword_enum, vocabulary::validation},
    {"example", &SchemaCompiler::keyword_annotation, vocabulary::openapi},
    {"examples", &SchemaCompiler::keyword_annotation, vocabulary::meta_data},
    {"exclusiveMaximum", &SchemaCompiler::keyword_exclusive_maximum, vocabulary::validation},
    {"exclusiveMinimum", &SchemaCompiler::keyword_exclusive_minimum, vocabulary::validation},
    {"externalDocs", &SchemaCompiler::keyword_annotation, vocabulary::openapi},
    {"format", &SchemaCompiler::keyword_format,
     vocabulary::format_annotation | vocabulary::format_assertion},
    {"if", &SchemaCompiler::keyword_if, vocabulary::applicator},
    {"items", &SchemaCompiler::keyword_items, vocabulary::applicator},
    {"maxContains", &SchemaCompiler::keyword_with_contains, vocabulary::validation},
    {"maxItems", &SchemaCompiler::keyword_max_items, vocabulary::validation},
    {"maxLength", &SchemaCompiler::keyword_max_length, vocabulary::validation},
    {"maxProperties", &SchemaCompiler::keyword_max_properties, vocabulary::validation},
    {"maximum", &SchemaCompiler::keyword_maximum, vocabulary::validation},
    {"minContains", &SchemaCompiler::keyword_with_contains, vocabulary::validation},
    {"minItems", &SchemaCompiler::keyword_min_items, vocabulary::validation},
    {"minLength", &SchemaCompiler::keyword_min_length, vocabulary::validation},
    {"minProperties", &SchemaCompiler::keyword_min_properties, vocabulary::validation},
    {"minimum", &SchemaCompiler::keyword_minimum, vocabulary::validation},
    {"multipleOf", &SchemaCompiler::keyword_multiple_of, vocabulary::validation},
    {"not", &SchemaCompiler::keyword_not, vocabulary::applicator},
    {"nullable", &SchemaCompiler::keyword_nullable, vocabulary::openapi},
    {"oneOf", &SchemaCompiler::keyword_one_of, vocabulary::applicator},
    {"pattern", &SchemaCompiler::keyword_pattern, vocabulary::validation},
    {"patternProperties", &SchemaCompiler::keyword_members, vocabulary::applicator},
    {"prefixItems", &SchemaCompiler::keyword_prefix_items, vocabulary::applicator},
    {"properties", &SchemaCompiler::keyword_members, vocabulary::applicator},
    {"propertyNames", &SchemaCompiler::keyword_property_names, vocabulary::applicator},
    {"readOnly", &SchemaCompiler::keyword_read_only, vocabulary::meta_data},
    {"required", &SchemaCompiler::keyword_members, vocabulary::validation},
    {"then", &SchemaCompiler::keyword_with_if, vocabulary::applicator},
    {"title", &SchemaCompiler::keyword_annotation, vocabulary::meta_data},
    {"type", &SchemaCompiler::keyword_type, vocabulary::validation},
    {"unevaluatedItems", &SchemaCompiler::keyword_unevaluated_items, vocabulary::unevaluated},
    {"unevaluatedProperties", &SchemaCompiler::keyword_unevaluated_properties,
     vocabulary::unevaluated},
    {"uniqueItems", &SchemaCompiler::keyword_unique_items, vocabulary::validation},
    {"writeOnly", &SchemaCompiler::keyword_secret, vocabulary::meta_data},
    {"x-nullable", &SchemaCompiler::keyword_nullable, vocabulary::swagger},
    {"x-secret", &SchemaCompiler::keyword_secret, vocabulary::gateway},
    {"x-source", &SchemaCompiler::keyword_text, vocabulary::gateway},
    {"x-when", &SchemaCompiler::keyword_x_when, vocabulary::gateway},
    {"xml", &SchemaCompiler::keyword_annotation, vocabulary::openapi},
}};

SchemaCompiler::Keyword const* SchemaCompiler::find_keyword(std::string_view name) {
    auto const* const found =
        std::lower_bound(keywords.begin(), keywords.end(), name,
                         [](Keyword const& row, std::string_view key) { return row.name < key; });
    return found == keywords.end() || found->name != name ? nullptr : found;
}

bool SchemaCompiler::is_rule(std::string_view keyword) {
    Keyword const* const known = find_keyword(keyword);
    constexpr std::array<Handler, 7> without_rules{
        &SchemaCompiler::keyword_annotation, &SchemaCompiler::keyword_deprecated,
        &SchemaCompiler::keyword_definitions, &SchemaCompiler::keyword_discriminator,
        &SchemaCompiler::keyword_identity, &SchemaCompiler::keyword_text,
        &SchemaCompiler::keyword_vocabulary};
    return known != nullptr
           && std::find(without_rules.begin(), without_rules.end(), known->handler)
                  == without_rules.end();
}

// OpenAPI 3.0, 4.7.24: a subset of JSON Schema, and some keywords of its own. What has no effect in
// either version is accepted in both.
SchemaCompiler::Words SchemaCompiler::words_of_3_0(std::string_view name) {
    using namespace std::string_view_literals;
    constexpr std::array without_rules{"$defs"sv, "$vocabulary"sv, "definitions"sv};
    constexpr std::array references{"$anchor"sv, "$dynamicAnchor"sv, "$dynamicRef"sv, "$id"sv,
                                    "$schema"sv};
    auto const has = [name](auto const& list) {
        return std::find(list.begin(), list.end(), name) != list.end();
    };
    if (is_rule_of_later(name)) return Words::of_later;
    if (has(without_rules)) return Words::without_rules;
    return has(references) ? Words::of_references : Words::of_3_0;
}

std::vector<std::string_view> SchemaCompiler::keyword_names() {
    std::vector<std::string_view> names;
    for (Keyword const& row : keywords)
        names.push_back(row.name);
    return names;
}

} // namespace sallyport::contract

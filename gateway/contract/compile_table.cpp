// The keywords that are implemented: one row each. Whatever is not here does not load.
#include "gateway/contract/compile.h"

#include <algorithm>

namespace sallyport::contract {

std::vector<SchemaCompiler::Keyword> const& SchemaCompiler::keywords() {
    using Self = SchemaCompiler;
    static std::vector<Keyword> const rows{
        {"$comment", &Self::keyword_text},
        {"$defs", &Self::keyword_definitions},
        {"$ref", &Self::keyword_ref},
        {"$schema", &Self::keyword_schema},
        {"additionalProperties", &Self::keyword_members},
        {"allOf", &Self::keyword_all_of},
        {"anyOf", &Self::keyword_any_of},
        {"const", &Self::keyword_const},
        {"default", &Self::keyword_annotation},
        {"dependentRequired", &Self::keyword_members},
        {"deprecated", &Self::keyword_deprecated},
        {"description", &Self::keyword_text},
        {"else", &Self::keyword_with_if},
        {"enum", &Self::keyword_enum},
        {"example", &Self::keyword_annotation},
        {"examples", &Self::keyword_annotation},
        {"exclusiveMaximum", &Self::keyword_exclusive_maximum},
        {"exclusiveMinimum", &Self::keyword_exclusive_minimum},
        {"externalDocs", &Self::keyword_annotation},
        {"format", &Self::keyword_format},
        {"if", &Self::keyword_if},
        {"items", &Self::keyword_items},
        {"maxItems", &Self::keyword_max_items},
        {"maxLength", &Self::keyword_max_length},
        {"maxProperties", &Self::keyword_max_properties},
        {"maximum", &Self::keyword_maximum},
        {"minItems", &Self::keyword_min_items},
        {"minLength", &Self::keyword_min_length},
        {"minProperties", &Self::keyword_min_properties},
        {"minimum", &Self::keyword_minimum},
        {"multipleOf", &Self::keyword_multiple_of},
        {"not", &Self::keyword_not},
        {"oneOf", &Self::keyword_one_of},
        {"pattern", &Self::keyword_pattern},
        {"prefixItems", &Self::keyword_prefix_items},
        {"properties", &Self::keyword_members},
        {"readOnly", &Self::keyword_flag},
        {"required", &Self::keyword_members},
        {"then", &Self::keyword_with_if},
        {"title", &Self::keyword_text},
        {"type", &Self::keyword_type},
        {"uniqueItems", &Self::keyword_unique_items},
        {"writeOnly", &Self::keyword_secret},
        {"x-secret", &Self::keyword_secret},
        {"x-source", &Self::keyword_text},
        {"x-when", &Self::keyword_x_when},
    };
    return rows;
}

SchemaCompiler::Handler SchemaCompiler::find_handler(std::string_view name) {
    auto const& rows = keywords();
    auto const found = std::find_if(rows.begin(), rows.end(),
                                    [name](Keyword const& row) { return row.name == name; });
    return found == rows.end() ? nullptr : found->handler;
}

std::vector<std::string_view> SchemaCompiler::keyword_names() {
    std::vector<std::string_view> names;
    for (Keyword const& row : keywords())
        names.push_back(row.name);
    return names;
}

} // namespace sallyport::contract

// Assertions for one value, and annotations.
#include "gateway/contract/schema/compile.h"

#include "config/text.h"
#include "gateway/contract/schema/constants.h"
#include "gateway/text/ascii.h"

#include <algorithm>
#include <array>

namespace sallyport::contract {

namespace yaml = config::yaml;

namespace {

struct TypeName {
    std::string_view name;
    std::uint8_t bits;
    std::string_view words;
};

constexpr std::array type_names{
    TypeName{"null", value_bits::null, "null"},
    TypeName{"boolean", value_bits::boolean, "a boolean"},
    TypeName{"integer", value_bits::integer, "an integer"},
    // JSON Schema 2020-12 validation, 6.1.1: an integer is a number too.
    TypeName{"number", value_bits::number | value_bits::integer, "a number"},
    TypeName{"string", value_bits::string, "a string"},
    TypeName{"array", value_bits::array, "an array"},
    TypeName{"object", value_bits::object, "an object"},
};

constexpr std::array type_words{std::string_view{"null"},    std::string_view{"boolean"},
                                std::string_view{"integer"}, std::string_view{"number"},
                                std::string_view{"string"},  std::string_view{"array"},
                                std::string_view{"object"}};

// The type that a node names; null: none. YAML's null is a value, not the string "null", and can
// mean nothing else.
[[nodiscard]] TypeName const* type_at(yaml::Node const& node) {
    if (!node.is_null() && !node.is_string()) return nullptr;
    std::string_view const name = node.is_null() ? std::string_view{"null"} : node.text();
    auto const* const known =
        std::find_if(type_names.begin(), type_names.end(), [name](TypeName const& one) {
            return text::equals_ignoring_case(one.name, name);
        });
    return known != type_names.end() ? known : nullptr;
}

// A longer enum is not listed in the message; the violation contains all values.
constexpr std::size_t max_listed = 8;

} // namespace

void SchemaCompiler::keyword_type(Draft& draft, Node const& value, std::string const& path) {
    // OpenAPI 3.0, 4.7.24: a single type, not a list; there is no null. What 3.1 has is clear.
    // Swagger 2.0 has the types of JSON Schema draft 4.
    Vocabularies const vocabularies = draft.place.resource->vocabularies;
    bool const is_of_3_0 =
        (vocabularies & vocabulary::openapi_3_0) != 0 && (vocabularies & vocabulary::swagger) == 0;
    bool const is_as_in_3_1 =
        is_of_3_0 && (value.is_sequence() || value.is_null() || value.text() == "null");
    if (is_as_in_3_1) {
        problems_.add(value, path,
                      "must be one type in OpenAPI 3.0, where null is not a type; it is read as in "
                      "3.1",
                      "write nullable: true beside it, or openapi: 3.1.0", yaml::Severity::warning);
    }
    std::vector<Node const*> names;
    if (value.is_sequence()) {
        for (Node const& item : value.items())
            names.push_back(&item);
    } else {
        names.push_back(&value);
    }
    if (names.empty()) return error(value, path, "must be a type, or a list of types");
    std::uint8_t types = 0;
    std::string expected;
    // OpenAPI 3.0 does not have `null`, which is the first.
    auto const known_words = std::span{type_words}.subspan(is_of_3_0 && !is_as_in_3_1 ? 1 : 0);
    std::vector<std::string_view> words;
    for (Node const* const name : names) {
        TypeName const* const known = type_at(*name);
        if (known == nullptr) {
            error(*name, path,
                  name->is_string() ? "the type " + config::in_quotes(name->text()) + " is unknown"
                                    : "must be a type, or a list of types",
                  config::suggestion(name->text(), known_words));
            continue;
        }
        if (!name->is_string() || name->text() != known->name) {
            std::string const written = config::in_quotes(known->name);
            std::string const found =
                name->is_null() ? "YAML's null" : config::in_quotes(name->text());
            problems_.add(*name, path, "has " + found + ", which is read as the type " + written,
                          "write " + written + (name->is_null() ? ", in quotes" : ""),
                          yaml::Severity::warning);
        }
        // JSON Schema 2020-12 validation, 6.1.1: the types are unique.
        if (std::find(words.begin(), words.end(), known->words) != words.end()) {
            problems_.add(*name, path, "has the type " + config::in_quotes(known->name) + " twice",
                          "remove one of the two", yaml::Severity::warning);
            continue;
        }
        types |= known->bits;
        words.push_back(known->words);
        expected += (expected.empty() ? "\"" : ",\"") + std::string{known->name} + '"';
    }
    // OpenAPI 3.0, 4.7.24: items must be present where the type is array.
    if (is_of_3_0 && types == value_bits::array && draft.schema->find("items") == nullptr) {
        problems_.add(value, path,
                      "must have items beside it in OpenAPI 3.0; any items are accepted",
                      "write items: {}", yaml::Severity::warning);
    }
    if (words.empty()) return;
    if (value.is_sequence()) expected = '[' + expected + ']';
    draft.types = types;
    draft.type_rule =
        add_rule(draft, "type", std::move(expected), "must be " + config::list_of(words));
}

void SchemaCompiler::keyword_enum(Draft& draft, Node const& value, std::string const& path) {
    if (!value.is_sequence()) return error(value, path, "must be a list of values");
    if (value.items().empty()) {
        problems_.add(value, path, "is empty: no value is valid", "", yaml::Severity::warning);
    }
    ConstantSet set;
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < value.items().size(); ++i) {
        std::string& text = texts.emplace_back();
        if (!append_json(text, value.items()[i]) || !add_constant(set, value.items()[i])) {
            return error(value.items()[i], yaml::join_index(path, i),
                         "contains a number that JSON does not allow");
        }
    }
    contract::finish(set);
    std::string expected = "[";
    for (auto const& text : texts)
        expected += (expected.size() == 1 ? "" : ",") + text;
    expected += ']';
    std::vector<std::string_view> const words{texts.begin(), texts.end()};
    std::string phrase = "must be ";
    if (words.empty()) {
        phrase += "one of the values that the contract lists, and it lists none";
    } else if (words.size() <= max_listed) {
        phrase += config::list_of(words);
    } else {
        phrase += "one of the " + std::to_string(words.size()) + " values of the contract";
    }
    program_.constants.push_back(std::move(set));
    auto const rule = add_rule(draft, "enum", std::move(expected), std::move(phrase));
    draft.any.push_back({Op::constant, rule, program_.constants.size() - 1});
}

void SchemaCompiler::keyword_const(Draft& draft, Node const& value, std::string const& path) {
    ConstantSet set;
    std::string text;
    if (!append_json(text, value) || !add_constant(set, value)) {
        return error(value, path, "contains a number that JSON does not allow");
    }
    contract::finish(set);
    program_.constants.push_back(std::move(set));
    auto const rule = add_rule(draft, "const", text, "must be " + text);
    draft.any.push_back({Op::constant, rule, program_.constants.size() - 1});
}

// A number in quotes can mean nothing else.
std::optional<std::string> SchemaCompiler::read_number(Node const& value, std::string const& path) {
    auto text = bound_text(value);
    if (text && value.is_string()) {
        problems_.add(value, path, "is a text, and is read as the number",
                      "write it without quotes", yaml::Severity::warning);
    }
    return text;
}

void SchemaCompiler::add_bound(Draft& draft, Node const& value, std::string const& path,
                               Bound const& bound) {
    auto text = read_number(value, path);
    if (!text) return error(value, path, "must be a number, written as in JSON");
    std::string phrase{bound.phrase};
    phrase += ' ' + *text;
    auto const rule = add_rule(draft, bound.keyword, *text, std::move(phrase));
    fill_number(program_.numbers.emplace_back(), std::move(*text));
    draft.number.push_back({bound.op, rule, program_.numbers.size() - 1});
}

// OpenAPI 3.0 has the keywords of JSON Schema draft 4, where exclusive bounds are flags. A flag in
// 3.1 and a number in 3.0 can mean nothing else than in the other version.
bool SchemaCompiler::is_exclusive(Draft const& draft, std::string_view flag) {
    Node const* const value = draft.schema->find(flag);
    return value != nullptr && value->as_boolean();
}

bool SchemaCompiler::is_exclusive_flag(Draft const& draft, Node const& value,
                                       std::string const& path) {
    bool const is_of_3_0 = (draft.place.resource->vocabularies & vocabulary::openapi_3_0) != 0;
    if (is_of_3_0 && value.is_number()) {
        problems_.add(value, path, "is a number, as in OpenAPI 3.1, and is read as the bound",
                      "write the bound without \"exclusive\", and true here",
                      yaml::Severity::warning);
        return false;
    }
    if (is_of_3_0 || !value.is_boolean()) return is_of_3_0;
    problems_.add(value, path, "is a flag, as in OpenAPI 3.0, and is read like there",
                  "write the bound itself here, as OpenAPI 3.1 does", yaml::Severity::warning);
    return true;
}

void SchemaCompiler::keyword_minimum(Draft& draft, Node const& value, std::string const& path) {
    if (is_exclusive(draft, "exclusiveMinimum")) {
        add_bound(draft, value, path, {Op::exclusive_minimum, "minimum", "must be greater than"});
    } else {
        add_bound(draft, value, path, {Op::minimum, "minimum", "must be at least"});
    }
}
void SchemaCompiler::keyword_maximum(Draft& draft, Node const& value, std::string const& path) {
    if (is_exclusive(draft, "exclusiveMaximum")) {
        add_bound(draft, value, path, {Op::exclusive_maximum, "maximum", "must be less than"});
    } else {
        add_bound(draft, value, path, {Op::maximum, "maximum", "must be at most"});
    }
}
void SchemaCompiler::keyword_exclusive_flag(Draft& draft, Node const& value,
                                            std::string const& path, std::string_view bound) {
    keyword_flag(draft, value, path);
    if (!value.as_boolean() || draft.schema->find(bound) != nullptr) return;
    problems_.add(value, path, "has no effect without " + std::string{bound},
                  "write " + std::string{bound} + ", or remove it", yaml::Severity::warning);
}
void SchemaCompiler::keyword_exclusive_minimum(Draft& draft, Node const& value,
                                               std::string const& path) {
    if (is_exclusive_flag(draft, value, path)) {
        return keyword_exclusive_flag(draft, value, path, "minimum");
    }
    add_bound(draft, value, path,
              {Op::exclusive_minimum, "exclusiveMinimum", "must be greater than"});
}
void SchemaCompiler::keyword_exclusive_maximum(Draft& draft, Node const& value,
                                               std::string const& path) {
    if (is_exclusive_flag(draft, value, path)) {
        return keyword_exclusive_flag(draft, value, path, "maximum");
    }
    add_bound(draft, value, path, {Op::exclusive_maximum, "exclusiveMaximum", "must be less than"});
}

void SchemaCompiler::keyword_multiple_of(Draft& draft, Node const& value, std::string const& path) {
    auto const text = read_number(value, path);
    // JSON Schema 2020-12 validation, 6.2.1: strictly greater than 0.
    Decimal const divisor{text ? std::string_view{*text} : std::string_view{}};
    if (divisor.is_zero() || divisor.is_negative()) {
        return error(value, path, "must be a number above 0, written as in JSON");
    }
    std::uint64_t coefficient = 0;
    if (!divisor.coefficient(coefficient)) {
        return leave_out(value.mark(), path, "has more than 19 digits",
                         "write at most 19 digits, not counting zeros at either end");
    }
    add_bound(draft, value, path, {Op::multiple_of, "multipleOf", "must be a multiple of"});
    NumberOperand& operand = program_.numbers.back();
    operand.coefficient = coefficient;
    operand.exponent = operand.decimal.exponent();
}

std::optional<std::uint64_t> SchemaCompiler::count_of(Node const& value, std::string const& path) {
    auto const text = read_number(value, path);
    // JSON Schema 2020-12 validation, 6.3.1: a non-negative integer; 2.0 is one.
    NumberOperand number;
    if (text) fill_number(number, *text);
    if (!text || !number.decimal.is_integer() || number.decimal.is_negative()) {
        error(value, path, "must be an integer, 0 or above", "write one such as 64");
        return std::nullopt;
    }
    // A larger number is more than any body has, like this one.
    return number.is_whole ? static_cast<std::uint64_t>(number.whole) : UINT64_MAX;
}

void SchemaCompiler::add_count(Draft& draft, Node const& value, std::string const& path,
                               Count const& count) {
    auto const known = count_of(value, path);
    if (!known) return;
    std::uint64_t const operand = *known;
    std::string phrase{count.phrase};
    phrase += ' ' + std::to_string(operand) + ' ';
    phrase += operand == 1 ? count.one : count.many;
    auto const rule = add_rule(draft, count.keyword, std::to_string(operand), std::move(phrase));
    (draft.*count.group).push_back({count.op, rule, operand});
}

void SchemaCompiler::keyword_min_length(Draft& draft, Node const& value, std::string const& path) {
    add_count(draft, value, path,
              {Op::min_length, "minLength", "must have at least", "character", "characters",
               &Draft::string});
}
void SchemaCompiler::keyword_max_length(Draft& draft, Node const& value, std::string const& path) {
    add_count(draft, value, path,
              {Op::max_length, "maxLength", "must have at most", "character", "characters",
               &Draft::string});
}
void SchemaCompiler::keyword_min_items(Draft& draft, Node const& value, std::string const& path) {
    add_count(draft, value, path,
              {Op::min_items, "minItems", "must have at least", "item", "items", &Draft::array});
}
void SchemaCompiler::keyword_max_items(Draft& draft, Node const& value, std::string const& path) {
    add_count(draft, value, path,
              {Op::max_items, "maxItems", "must have at most", "item", "items", &Draft::array});
}
void SchemaCompiler::keyword_min_properties(Draft& draft, Node const& value,
                                            std::string const& path) {
    add_count(draft, value, path,
              {Op::min_properties, "minProperties", "must have at least", "property", "properties",
               &Draft::object});
}
void SchemaCompiler::keyword_max_properties(Draft& draft, Node const& value,
                                            std::string const& path) {
    add_count(draft, value, path,
              {Op::max_properties, "maxProperties", "must have at most", "property", "properties",
               &Draft::object});
}

void SchemaCompiler::keyword_unique_items(Draft& draft, Node const& value,
                                          std::string const& path) {
    if (!read_flag(value, path)) return;
    auto const rule = add_rule(draft, "uniqueItems", "true", "must not contain an item twice");
    draft.array.push_back({Op::unique_items, rule, 0});
}

void SchemaCompiler::keyword_format(Draft& draft, Node const& value, std::string const& path) {
    if (!value.is_string()) return error(value, path, "must be a string");
    if (value.text() == "password") mark_secret(draft, value, path);
    if ((draft.place.resource->vocabularies & vocabulary::format_assertion) == 0) return;
    auto const format = format_from(value.text());
    if (!format) {
        // JSON Schema 2020-12 validation, 7.2.3: one that is unknown is an annotation.
        auto const near = config::nearest(value.text(), known_formats());
        if (!near || is_annotation(value.text())) return;
        problems_.add(value, path,
                      "the format " + config::in_quotes(value.text())
                          + " is unknown: nothing is checked",
                      "did you mean " + config::in_quotes(*near) + "?", yaml::Severity::warning);
        return;
    }
    std::string expected;
    append_json_string(expected, value.text());
    std::string phrase = "must be ";
    phrase += describe(*format);
    auto const rule = add_rule(draft, "format", std::move(expected), std::move(phrase));
    auto const operand = static_cast<std::uint64_t>(*format);
    if (is_of_numbers(*format)) {
        draft.number.push_back({Op::number_format, rule, operand});
    } else {
        draft.string.push_back({Op::string_format, rule, operand});
    }
}

void SchemaCompiler::keyword_annotation(Draft&, Node const&, std::string const&) {}

void SchemaCompiler::keyword_text(Draft&, Node const& value, std::string const& path) {
    if (!value.is_string()) error(value, path, "must be a string");
}

bool SchemaCompiler::read_flag(Node const& value, std::string const& path) {
    if (auto const flag = flag_in_text(value)) {
        std::string const word = *flag ? "true" : "false";
        problems_.add(value, path, "is a text, and is read as " + word,
                      "write " + word + ", without quotes", yaml::Severity::warning);
        return *flag;
    }
    if (!value.is_boolean()) error(value, path, "must be true or false");
    return value.as_boolean();
}

void SchemaCompiler::keyword_flag(Draft&, Node const& value, std::string const& path) {
    if (!value.is_boolean()) error(value, path, "must be true or false");
}

void SchemaCompiler::keyword_deprecated(Draft& draft, Node const& value, std::string const&) {
    draft.is_deprecated = draft.is_deprecated || value.as_boolean();
}

void SchemaCompiler::keyword_secret(Draft& draft, Node const& value, std::string const& path) {
    keyword_flag(draft, value, path);
    if (value.as_boolean()) mark_secret(draft, value, path);
}

// `$schema` and `$id` were evaluated when the document was indexed.
void SchemaCompiler::keyword_identity(Draft& draft, Node const& value, std::string const& path) {
    if (!value.is_string()) return error(value, path, "must be a string");
    // JSON Schema 2020-12 core, 8.1.1: `$schema` is only allowed at the root of a resource.
    bool const is_root = draft.place.resource->root == draft.schema;
    if (&value != draft.schema->find("$schema") || is_root) return;
    if (!is_root_of_openapi(draft)) {
        error(value, path, "is in a schema without $id, and must be at the root", "remove it");
    }
}

// OpenAPI 3.1, 4.8.24.5: `$schema` is allowed in any root Schema Object, that is one that is not
// inside another.
bool SchemaCompiler::is_root_of_openapi(Draft const& draft) const {
    Node const& document = *draft.place.resource->root;
    if (document.find("openapi") == nullptr) return false;
    if (draft.schema == root_) return true;
    Node const* const components = document.find("components");
    Node const* const schemas = components != nullptr ? components->find("schemas") : nullptr;
    if (schemas == nullptr) return false;
    auto const& entries = schemas->entries();
    return std::any_of(entries.begin(), entries.end(),
                       [&draft](yaml::Entry const& entry) { return &entry.value == draft.schema; });
}

void SchemaCompiler::keyword_vocabulary(Draft&, Node const& value, std::string const& path) {
    if (!value.is_mapping()) error(value, path, "must be a mapping of URIs to true or false");
}

} // namespace sallyport::contract

// Warns of schemas that no value can satisfy, and of values in them that never pass: they load as
// they are written, and are probably not meant so.
#include "gateway/contract/schema/compile.h"

#include "config/text.h"
#include "gateway/contract/schema/constants.h"
#include "gateway/contract/text/decimal.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sallyport::contract {

namespace yaml = config::yaml;

namespace {

// The types of a value; a number without a fraction is an integer, too.
[[nodiscard]] std::uint8_t types_of_value(yaml::Node const& value) {
    switch (value.kind()) {
    case yaml::Kind::null: return value_bits::null;
    case yaml::Kind::boolean: return value_bits::boolean;
    case yaml::Kind::string: return value_bits::string;
    case yaml::Kind::sequence: return value_bits::array;
    case yaml::Kind::mapping: return value_bits::object;
    default: break;
    }
    auto const text = number_text(value);
    bool const is_integer = text && Decimal{std::string_view{*text}}.is_integer();
    return is_integer ? value_bits::integer | value_bits::number : value_bits::number;
}

[[nodiscard]] bool is_false(yaml::Node const* node) {
    return node != nullptr && node->is_boolean() && !node->as_boolean();
}

// Whether the schema accepts no other properties than those of `properties`.
[[nodiscard]] bool is_closed(yaml::Node const& schema) {
    return is_false(schema.find("additionalProperties"))
           && schema.find("patternProperties") == nullptr;
}

[[nodiscard]] bool declares(yaml::Node const& schema, std::string_view name) {
    yaml::Node const* const properties = schema.find("properties");
    return properties != nullptr && properties->find(name) != nullptr;
}

} // namespace

void SchemaCompiler::warn_of_contradictions(Draft const& draft) {
    warn_of_bounds(draft);
    warn_of_excluded_values(draft);
    warn_of_closed_object(draft);
    if (draft.schema->find("allOf") != nullptr) warn_of_parts(draft);
}

void SchemaCompiler::warn_of_bounds(Draft const& draft) {
    auto const warn = [&](std::string_view keyword, std::string_view other) {
        Node const& value = *draft.schema->find(keyword);
        problems_.add(value, yaml::join_key(draft.place.path, keyword),
                      "is above " + std::string{other} + ": no value is valid",
                      "write it below", yaml::Severity::warning);
    };
    constexpr std::array<std::pair<std::string_view, std::string_view>, 4> counts{
        {{"minLength", "maxLength"},
         {"minItems", "maxItems"},
         {"minProperties", "maxProperties"},
         {"minContains", "maxContains"}}};
    for (auto const& [least, most] : counts) {
        Node const* const low = draft.schema->find(least);
        Node const* const high = low != nullptr ? draft.schema->find(most) : nullptr;
        auto const from = low != nullptr ? number_text(*low) : std::nullopt;
        auto const to = high != nullptr ? number_text(*high) : std::nullopt;
        bool const is_above =
            from && to
            && Decimal::compare(Decimal{std::string_view{*from}}, Decimal{std::string_view{*to}})
                   > 0;
        if (is_above) warn(least, most);
    }
    for (Instruction const& low : draft.number) {
        if (low.op != Op::minimum && low.op != Op::exclusive_minimum) continue;
        for (Instruction const& high : draft.number) {
            if (high.op != Op::maximum && high.op != Op::exclusive_maximum) continue;
            int const order =
                Decimal::compare(program_.numbers[static_cast<std::size_t>(low.operand)].decimal,
                                 program_.numbers[static_cast<std::size_t>(high.operand)].decimal);
            bool const is_open =
                low.op == Op::exclusive_minimum || high.op == Op::exclusive_maximum;
            if (order < 0 || (order == 0 && !is_open)) continue;
            warn(program_.rules[low.rule].keyword, program_.rules[high.rule].keyword);
        }
    }
}

// Values of enum and const that `type` excludes: mostly texts without quotes.
void SchemaCompiler::warn_of_excluded_values(Draft const& draft) {
    if (draft.types == value_bits::any) return;
    unsigned const types = draft.types | (draft.is_nullable ? value_bits::null : 0U);
    auto const check = [&](Node const& value, std::string const& path) {
        if ((types_of_value(value) & types) != 0) return;
        bool const takes_text = (types & value_bits::string) != 0 && value.is_scalar();
        problems_.add(value, path, "never passes: it is " + std::string{name_of(value.kind())}
                                       + ", which type excludes",
                      takes_text && !value.is_null() ? "write it in quotes"
                                                     : "write its type, or remove it",
                      yaml::Severity::warning);
    };
    std::string const path = yaml::join_key(draft.place.path, "enum");
    if (Node const* const list = draft.schema->find("enum"); list != nullptr) {
        for (std::size_t i = 0; i < list->items().size(); ++i)
            check(list->items()[i], yaml::join_index(path, i));
    }
    Node const* const only = draft.schema->find("const");
    if (only != nullptr) check(*only, yaml::join_key(draft.place.path, "const"));
}

// What a closed object requires, and does not allow.
void SchemaCompiler::warn_of_closed_object(Draft const& draft) {
    Node const* const required = draft.schema->find("required");
    if (required == nullptr || !required->is_sequence()) return;
    Node const* const properties = draft.schema->find("properties");
    for (std::size_t i = 0; i < required->items().size(); ++i) {
        Node const& name = required->items()[i];
        if (!name.is_string()) continue;
        bool const is_refused = properties != nullptr && is_false(properties->find(name.text()));
        bool const is_excluded = is_closed(*draft.schema) && !declares(*draft.schema, name.text());
        if (!is_refused && !is_excluded) continue;
        problems_.add(name, yaml::join_index(yaml::join_key(draft.place.path, "required"), i),
                      config::in_quotes(name.text())
                          + (is_refused ? " is required, and false in properties"
                                        : " is required, and additionalProperties excludes it")
                          + ": no object is valid",
                      "write it in properties, or remove it here", yaml::Severity::warning);
    }
}

// What the parts of an allOf refuse of each other.
void SchemaCompiler::warn_of_parts(Draft const& draft) {
    std::vector<Node const*> parts;
    (void)any_in_place(*draft.schema, *draft.place.resource,
                       [&parts](Node const& schema, Resource const&) {
                           parts.push_back(&schema);
                           return false;
                       });
    std::string const path = yaml::join_key(draft.place.path, "allOf");
    Node const& at = *draft.schema->find("allOf");
    for (Node const* const part : parts) {
        if (!is_closed(*part)) continue;
        for (Node const* const other : parts) {
            Node const* const properties = other->find("properties");
            if (properties == nullptr) continue;
            auto const& entries = properties->entries();
            auto const refused =
                std::find_if(entries.begin(), entries.end(), [part](yaml::Entry const& entry) {
                    return !declares(*part, entry.key);
                });
            if (refused == entries.end()) continue;
            bool const is_of_3_0 =
                (draft.place.resource->vocabularies & vocabulary::openapi_3_0) != 0;
            problems_.add(at, path,
                          "the additionalProperties of one part excludes "
                              + config::in_quotes(refused->key)
                              + " of another: no object with it is valid",
                          is_of_3_0 ? "remove additionalProperties: false from the parts"
                                    : "write unevaluatedProperties: false beside allOf in place of "
                                      "additionalProperties: false in its parts",
                          yaml::Severity::warning);
            return;
        }
    }
}

} // namespace sallyport::contract

// From tables to a JSON Schema: see json_schema.h.
#include "config/json_schema.h"

#include "config/patterns.h"
#include "config/units.h"

#include <algorithm>
#include <optional>

namespace sallyport::config {

namespace {

JsonValue schema_of(Shape const& shape);

JsonValue any_of(std::vector<JsonValue> schemas) {
    JsonValue out = json_object();
    out.add("anyOf", json_array(std::move(schemas)));
    return out;
}

JsonValue typed(std::string_view type) {
    JsonValue out = json_object();
    out.add("type", json_text(type));
    return out;
}

JsonValue text_with(std::string_view pattern) {
    JsonValue out = typed("string");
    out.add("pattern", json_text(pattern));
    return out;
}

JsonValue or_reference(JsonValue schema) {
    JsonValue reference = json_object();
    reference.add("$ref", json_text("#/$defs/reference"));
    return any_of({std::move(schema), std::move(reference)});
}

// What a plain scalar of YAML, or a text that is written so, stands for.
std::optional<JsonValue> value_of(std::string_view yaml) {
    yaml::Document const document = yaml::load_text(yaml, "table");
    if (document.has_errors() || !document.is_whole()) return std::nullopt;
    return json_of(document.root());
}

// --- scalars

JsonValue boolean_schema() {
    JsonValue words = json_object();
    words.add("enum", json_array({json_text("yes"), json_text("no"), json_text("true"),
                                  json_text("false")}));
    JsonValue out = or_reference(std::move(words));
    auto& choices = out.members[0].value.items;
    choices.insert(choices.begin(), typed("boolean"));
    return out;
}

JsonValue number_schema(Shape const& shape, std::string_view type) {
    JsonValue out = typed(type);
    out.add("minimum", json_integer(shape.minimum)).add("maximum", json_integer(shape.maximum));
    return or_reference(std::move(out));
}

JsonValue text_schema(Shape const& shape) {
    JsonValue out = typed("string");
    // In code points, of which there are never more than bytes.
    out.add("minLength", json_integer(1)).add("maxLength", json_integer(shape.maximum));
    out.add("pattern", json_text(shape.pattern.empty() ? text_pattern() : shape.pattern));
    if (!shape.refused.empty()) {
        JsonValue words = json_array();
        for (std::string_view const word : shape.refused)
            words.items.push_back(json_text(word));
        out.add("not", json_object().add("enum", std::move(words)));
    }
    if (shape.references == References::not_read) return out;
    return or_reference(std::move(out));
}

JsonValue word_schema(Shape const& shape) {
    JsonValue words = json_array();
    for (WordInfo const& word : shape.words) {
        if (word.built == Built::not_yet) continue;
        words.items.push_back(json_text(word.text));
        // `1.2` without quotes is a number, and is taken for the word.
        auto const bare = value_of(word.text);
        if (bare && bare->kind == JsonValue::Kind::literal) words.items.push_back(*bare);
    }
    JsonValue out = json_object();
    out.add("enum", std::move(words));
    return shape.references == References::read ? or_reference(std::move(out)) : out;
}

JsonValue scalar_schema() {
    JsonValue out = json_object();
    out.add("type", json_array({json_text("string"), json_text("number"), json_text("boolean")}));
    out.add("pattern", json_text(expandable_pattern(Controls::all_but_nul)));
    return out;
}

// --- collections

// Words that must stand alone: with one of them the list has no other.
void add_loners(JsonValue& list, Shape const& element) {
    JsonValue words = json_array();
    bool const has_others = element.kind == ShapeKind::either;
    for (WordInfo const& word : has_others ? element.elements[0].words : element.words) {
        if (word.company == Company::refused) words.items.push_back(json_text(word.text));
    }
    if (words.items.empty()) return;
    JsonValue loner = json_object();
    loner.add("enum", std::move(words));
    list.add("if", json_object().add("contains", std::move(loner)));
    list.add("then", json_object().add("maxItems", json_integer(1)));
}

JsonValue list_schema(Shape const& shape) {
    JsonValue out = typed("array");
    out.add("items", schema_of(shape.elements[0]));
    if (shape.minimum > 0) out.add("minItems", json_integer(shape.minimum));
    if (shape.maximum != no_limit) out.add("maxItems", json_integer(shape.maximum));
    if (shape.repeats == Repeats::refused) out.add("uniqueItems", json_boolean(true));
    add_loners(out, shape.elements[0]);
    return out;
}

JsonValue named_schema(Shape const& shape) {
    JsonValue out = typed("object");
    if (!shape.pattern.empty()) {
        out.add("propertyNames", json_object().add("pattern", json_text(shape.pattern)));
    }
    if (shape.minimum > 0) out.add("minProperties", json_integer(shape.minimum));
    if (shape.maximum != no_limit) out.add("maxProperties", json_integer(shape.maximum));
    out.add("additionalProperties", schema_of(shape.elements[0]));
    return out;
}

// `key: VALUE` as the value alone; none where the example leaves something out.
std::optional<JsonValue> example_of(KeyInfo const& key) {
    if (key.example.empty() || key.example.find("...") != std::string_view::npos)
        return std::nullopt;
    auto example = value_of(key.example);
    if (!example || example->members.size() != 1 || example->members[0].name != key.name)
        return std::nullopt;
    return std::move(example->members[0].value);
}

std::optional<JsonValue> default_of(KeyInfo const& key) {
    if (key.default_text.empty()) return std::nullopt;
    if (key.shape.kind == ShapeKind::word) return json_text(key.default_text);
    return value_of(key.default_text);
}

// `1KiB to 1MiB`, for people: programs have the pattern. Empty where there is no range.
std::string range_of(Shape const& shape) {
    auto const bytes = [](std::int64_t number) {
        return format_size(ByteCount{static_cast<std::uint64_t>(number)});
    };
    switch (shape.kind) {
    case ShapeKind::integer:
    case ShapeKind::number:
        return std::to_string(shape.minimum) + " to " + std::to_string(shape.maximum);
    case ShapeKind::duration:
        return format_duration(Duration{shape.minimum}) + " to "
               + format_duration(Duration{shape.maximum});
    case ShapeKind::size: return bytes(shape.minimum) + " to " + bytes(shape.maximum);
    case ShapeKind::either: return range_of(shape.elements[0]) + range_of(shape.elements[1]);
    default: return {};
    }
}

JsonValue key_schema(KeyInfo const& key) {
    JsonValue out = json_object();
    std::string const range = range_of(key.shape);
    out.add("description", json_text(key.help + (range.empty() ? "" : " (" + range + ')')));
    if (auto preset = default_of(key)) out.add("default", std::move(*preset));
    if (auto example = example_of(key)) {
        out.add("examples", json_array({std::move(*example)}));
    }
    for (auto& [name, value] : schema_of(key.shape).members)
        out.add(name, std::move(value));
    return out;
}

JsonValue required_key(std::string_view key) {
    JsonValue out = json_object();
    out.add("required", json_array({json_text(key)}));
    return out;
}

void add_required(JsonValue& section, SectionInfo const& info, JsonValue keys) {
    if (info.rules.others_have.empty()) {
        section.add("required", std::move(keys));
        return;
    }
    JsonValue all = json_object();
    all.add("required", std::move(keys));
    section.add("anyOf", json_array({std::move(all), required_key(info.rules.others_have)}));
}

void add_rules(JsonValue& section, SectionInfo const& info) {
    JsonValue needs = json_object();
    for (KeyInfo const& key : info.keys) {
        if (key.needs.empty()) continue;
        needs.add(key.name, json_array({json_text(key.needs)}));
    }
    if (!needs.members.empty()) section.add("dependentRequired", std::move(needs));
    if (!info.rules.one_of.empty()) {
        JsonValue choices = json_array();
        for (std::string_view const key : info.rules.one_of)
            choices.items.push_back(required_key(key));
        section.add("oneOf", std::move(choices));
    }
    auto const& exclusive = info.rules.most_one_of;
    JsonValue pairs = json_array();
    for (std::size_t i = 0; i < exclusive.size(); ++i)
        for (std::size_t j = i + 1; j < exclusive.size(); ++j)
            pairs.items.push_back(json_object().add(
                "required", json_array({json_text(exclusive[i]), json_text(exclusive[j])})));
    if (!pairs.items.empty()) section.add("not", json_object().add("anyOf", std::move(pairs)));
    if (!info.rules.some_of.empty()) {
        JsonValue lists = json_array();
        for (auto const& keys : info.rules.some_of) {
            JsonValue choices = json_array();
            for (std::string_view const key : keys)
                choices.items.push_back(required_key(key));
            lists.items.push_back(json_object().add("anyOf", std::move(choices)));
        }
        section.add("allOf", std::move(lists));
    }
    if (info.rules.fewest_keys > 0) {
        section.add("minProperties", json_integer(info.rules.fewest_keys));
    }
}

JsonValue section_schema(SectionInfo const& info) {
    JsonValue out = typed("object");
    JsonValue keys = json_object();
    JsonValue required = json_array();
    for (KeyInfo const& key : info.keys) {
        if (key.built == Built::not_yet) continue;
        keys.add(key.name, key_schema(key));
        if (key.presence == Presence::required) required.items.push_back(json_text(key.name));
    }
    out.add("properties", std::move(keys));
    if (!required.items.empty()) add_required(out, info, std::move(required));
    add_rules(out, info);
    auto const& others = info.rules.others;
    out.add("additionalProperties", others.empty() ? json_boolean(false) : key_schema(others[0]));
    return out;
}

JsonValue schema_of(Shape const& shape) {
    switch (shape.kind) {
    case ShapeKind::any: return json_object();
    case ShapeKind::scalar: return scalar_schema();
    case ShapeKind::boolean: return boolean_schema();
    case ShapeKind::integer: return number_schema(shape, "integer");
    case ShapeKind::number: return number_schema(shape, "number");
    case ShapeKind::duration:
        return or_reference(
            text_with(duration_pattern(Duration{shape.minimum}, Duration{shape.maximum})));
    case ShapeKind::size:
        return or_reference(
            text_with(size_pattern(ByteCount{static_cast<std::uint64_t>(shape.minimum)},
                                   ByteCount{static_cast<std::uint64_t>(shape.maximum)})));
    case ShapeKind::string:
    case ShapeKind::file:
    case ShapeKind::secret: return text_schema(shape);
    case ShapeKind::word: return word_schema(shape);
    case ShapeKind::section: return section_schema(*shape.section);
    case ShapeKind::list: return list_schema(shape);
    case ShapeKind::named: return named_schema(shape);
    case ShapeKind::either: break;
    }
    return any_of({schema_of(shape.elements[0]), schema_of(shape.elements[1])});
}

} // namespace

std::string json_schema(SectionInfo const& root, std::string_view title, Layout layout) {
    JsonValue out = json_object();
    out.add("$schema", json_text("https://json-schema.org/draft/2020-12/schema"));
    out.add("title", json_text(title));
    for (auto& [name, value] : section_schema(root).members)
        out.add(name, std::move(value));
    JsonValue reference = text_with(reference_pattern());
    reference.add("description",
                  json_text("${env:NAME} or ${file:/path}, also in the middle of a text"));
    out.add("$defs", json_object().add("reference", std::move(reference)));
    return print(out, layout) + '\n';
}

} // namespace sallyport::config

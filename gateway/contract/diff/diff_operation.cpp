// Compares two descriptions of one operation: names, parameters, bodies, responses.
#include "gateway/contract/diff/diff_operation.h"

#include "gateway/contract/diff/plain_rules.h"
#include "gateway/contract/openapi/load.h"
#include "gateway/contract/schema/constants.h"

#include <algorithm>
#include <array>
#include <utility>

namespace sallyport::contract {

namespace yaml = config::yaml;

namespace {

[[nodiscard]] std::string quoted(std::string const& text) {
    return '"' + text + '"';
}

// What decides besides the types how a text is read.
[[nodiscard]] std::string reading_hints(SchemaParts const& parts) {
    std::string hints;
    for (auto const& part : parts) {
        for (auto const* const keyword : {"format", "contentMediaType", "contentEncoding"}) {
            yaml::Node const* const value = part.view.find(keyword);
            bool const is_rule = std::string_view{keyword} == "format" && value != nullptr
                                 && value->text() != "binary";
            if (value != nullptr && !is_rule) hints += keyword + value->text() + ' ';
        }
    }
    return hints;
}

// Whether the types that are accepted are those of several schemas.
[[nodiscard]] bool are_forms(SchemaParts const& parts) {
    return std::any_of(parts.begin(), parts.end(), [](SchemaPart const& part) {
        return part.view.find("anyOf") != nullptr || part.view.find("oneOf") != nullptr
               || part.view.find("not") != nullptr || part.view.find("if") != nullptr;
    });
}

// How a parameter is written, with the defaults of OpenAPI 3.1, 4.8.12.2.
[[nodiscard]] std::string style_of(ParameterView const& parameter) {
    bool const is_pairs = parameter.place == "query" || parameter.place == "cookie";
    yaml::Node const* const style = parameter.view.find("style");
    std::string text = style != nullptr ? style->text() : is_pairs ? "form" : "simple";
    yaml::Node const* const flag = parameter.view.find("explode");
    bool const explodes =
        flag != nullptr ? is_set(*flag) : text == "form" || text == "deepObject";
    if (explodes) text += ", explode";
    return text;
}

} // namespace

bool is_true(SchemaView const& view, std::string_view key) {
    yaml::Node const* const value = view.find(key);
    return value != nullptr && is_set(*value);
}

void compare_flag(SchemaView const& old, SchemaView const& now, std::string_view key,
                  ChangeClass where_true, Explainer& explainer) {
    if (is_true(old, key) == is_true(now, key)) return;
    ChangeClass const other =
        where_true == ChangeClass::stricter ? ChangeClass::looser : ChangeClass::stricter;
    Change change = change_at(below(now.pointer, key), std::string{key},
                              is_true(now, key) ? where_true : other);
    change.before = is_true(old, key) ? "true" : "false";
    change.after = is_true(now, key) ? "true" : "false";
    explainer.add(std::move(change));
}

void compare_key(SchemaView const& old, SchemaView const& now, KeyDifference const& key,
                 Explainer& explainer) {
    yaml::Node const* const before = old.find(key.key);
    yaml::Node const* const after = now.find(key.key);
    bool const is_same = before == nullptr || after == nullptr
                             ? before == after
                             : canonical_text(*before) == canonical_text(*after);
    if (is_same) return;
    SchemaView const& holder = after != nullptr ? now : old;
    Change change =
        change_at(below(holder.pointer, key.key), std::string{key.key}, key.kind, key.is_undecided);
    change.before = shown(before);
    change.after = shown(after);
    explainer.add(std::move(change));
}

void OperationComparison::run() {
    compare_identity();
    compare_parameters();
    compare_bodies();
    compare_responses();
}

// What the configuration refers to: `allow`, `rules`.
void OperationComparison::compare_identity() {
    if (old_.operation->id != now_.operation->id) {
        Change change =
            change_at(below(now_.view.pointer, "operationId"),
                      "operation renamed: allow and rules name it", ChangeClass::neutral);
        change.before = quoted(old_.operation->id);
        change.after = quoted(now_.operation->id);
        requests_.add(std::move(change));
    }
    for (auto const* const key :
         {"tags", "security", "x-lists", "x-retry", "x-stream", "x-timeouts", "x-trailers",
          "x-upgrade"})
        compare_key(old_.written, now_.written, {key}, requests_);
}

void OperationComparison::compare_parameters() {
    auto const find = [](std::vector<ParameterView> const& all, std::string const& name,
                         std::string const& place) -> ParameterView const* {
        auto const found = std::find_if(all.begin(), all.end(), [&](ParameterView const& one) {
            return one.name == name && one.place == place;
        });
        return found != all.end() ? &*found : nullptr;
    };
    for (std::size_t i = 0; i < now_.path_names.size() && i < old_.path_names.size(); ++i) {
        auto const* const old = find(old_.parameters, old_.path_names[i], "path");
        auto const* const now = find(now_.parameters, now_.path_names[i], "path");
        if (old == nullptr || now == nullptr) continue;
        if (old->name != now->name) {
            Change change =
                change_at(below(now->view.pointer, "name"),
                          "parameter of the path renamed: allow may name it", ChangeClass::neutral);
            change.before = quoted(old->name);
            change.after = quoted(now->name);
            requests_.add(std::move(change));
        }
        compare_parameter(*old, *now);
    }
    for (auto const& now : now_.parameters) {
        if (now.place == "path") continue;
        auto const* const old = find(old_.parameters, now.name, now.place);
        if (old != nullptr) {
            compare_parameter(*old, now);
        } else {
            add_parameter(now);
        }
    }
    for (auto const& old : old_.parameters) {
        if (old.place == "path" || find(now_.parameters, old.name, old.place) != nullptr) continue;
        remove_parameter(old);
    }
}

// A name that no parameter had was not looked at.
void OperationComparison::add_parameter(ParameterView const& parameter) {
    Change change = change_at(parameter.view.pointer,
                              parameter.is_required() ? "required parameter added"
                                                      : "parameter added: it passed unchecked",
                              ChangeClass::stricter);
    change.after = quoted(parameter.place + ' ' + parameter.name);
    requests_.add(std::move(change));
}

void OperationComparison::remove_parameter(ParameterView const& parameter) {
    // Its pairs may be taken for properties of an object that has any name, or none.
    bool const may_be_taken =
        parameter.place == "query"
        && std::any_of(now_.parameters.begin(), now_.parameters.end(), [](auto const& one) {
               auto const parts = parts_of(one.view.child("schema"));
               bool const is_object = (types_of(parts) & type_bits::object) != 0;
               return one.place == "query" && is_object;
           });
    Change change =
        change_at(parameter.view.pointer, "parameter removed",
                  may_be_taken ? ChangeClass::stricter : ChangeClass::looser, may_be_taken);
    change.before = quoted(parameter.place + ' ' + parameter.name);
    requests_.add(std::move(change));
}

void OperationComparison::compare_parameter(ParameterView const& old, ParameterView const& now) {
    compare_flag(old.view, now.view, "required", ChangeClass::stricter, requests_);
    compare_flag(old.view, now.view, "allowEmptyValue", ChangeClass::looser, requests_);
    if (style_of(old) != style_of(now)) {
        Change change =
            change_at(below(now.view.pointer, "style"), "style", ChangeClass::stricter, true);
        change.before = quoted(style_of(old));
        change.after = quoted(style_of(now));
        requests_.add(std::move(change));
    }
    SchemaView const schema = now.view.child("schema");
    bool const are_alike =
        (old.view.find("content") != nullptr) == (now.view.find("content") != nullptr);
    if (!are_alike) {
        requests_.add(change_at(now.view.pointer, "schema or content: it is read in another way",
                                ChangeClass::stricter, true));
        return;
    }
    if (schema.node != nullptr) {
        compare_texts(old.view.child("schema"), schema, 0);
        requests_.compare(old.view.child("schema"), schema);
        return;
    }
    compare_content(old.view.child("content"), now.view.child("content"), requests_, {});
}

// A text has no type of its own: the types that the schema accepts decide what it is read as. What
// reads a text differently can refuse it, although the schema accepts more values.
void OperationComparison::compare_texts(SchemaView const& old, SchemaView const& now,
                                        std::size_t depth) {
    constexpr std::size_t deepest = 3; // lists and objects of parameters hold plain values
    if (depth > deepest || (now.accepts_all() && old.accepts_all())) return;
    SchemaParts const old_parts = parts_of(old);
    constexpr TypeBits nested = type_bits::array | type_bits::object;
    // Any text is a plain value of a schema without rules.
    if (now.accepts_all() && (types_of(old_parts) & nested) == 0) return;
    SchemaParts const parts = parts_of(now);
    bool const is_read_alike =
        types_of(old_parts) == types_of(parts) && reading_hints(old_parts) == reading_hints(parts);
    bool const has_forms = are_forms(old_parts) || are_forms(parts);
    bool const may_differ = has_forms && expanded_text(old) != expanded_text(now);
    if (!is_read_alike || may_differ) {
        Change change = change_at(below(now.pointer, "type"), "type: texts are read in another way",
                                  ChangeClass::stricter, true);
        change.before = shown(old.find("type"));
        change.after = shown(now.find("type"));
        requests_.add(std::move(change));
        return;
    }
    for (auto const& part : parts)
        compare_texts_inside(old_parts, part.view, depth + 1);
}

// Lists and objects that are written as several texts.
void OperationComparison::compare_texts_inside(SchemaParts const& old, SchemaView const& now,
                                               std::size_t depth) {
    auto const of_old = [&old](auto const& find) {
        SchemaView own;
        for (auto const& part : old)
            if (own.node == nullptr) own = find(part.view);
        return own;
    };
    if (now.find("items") != nullptr) {
        compare_texts(of_old([](SchemaView const& one) { return one.child("items"); }),
                      now.child("items"), depth);
    }
    yaml::Node const* const properties = now.find("properties");
    if (properties == nullptr) return;
    for (auto const& entry : properties->entries()) {
        SchemaView const own =
            of_old([&entry](SchemaView const& one) { return one.child("properties", entry.key); });
        SchemaView const field = now.child("properties", entry.key);
        if (own.node == nullptr) {
            // Names that are not declared may be given twice, and be written in other ways.
            requests_.add(change_at(field.pointer, "field added", ChangeClass::stricter, true));
        } else {
            compare_texts(own, field, depth);
        }
    }
}

} // namespace sallyport::contract

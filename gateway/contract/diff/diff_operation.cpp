// Compares two descriptions of one operation: names, parameters, bodies, responses.
#include "gateway/contract/diff/diff_operation.h"

#include "gateway/contract/diff/plain_rules.h"
#include "gateway/contract/openapi/load.h"

#include <algorithm>
#include <array>
#include <utility>

namespace sallyport::contract {

namespace yaml = config::yaml;

namespace {

[[nodiscard]] Change change_at(std::string where, std::string what, ChangeClass kind,
                               bool is_undecided = false) {
    Change change;
    change.where = std::move(where);
    change.what = std::move(what);
    change.kind = kind;
    change.is_undecided = is_undecided;
    return change;
}

[[nodiscard]] std::string quoted(std::string const& text) {
    return '"' + text + '"';
}

[[nodiscard]] bool is_true(SchemaView const& view, std::string_view key) {
    yaml::Node const* const value = view.find(key);
    return value != nullptr && value->as_boolean();
}

// A flag that refuses more if it is true, or less.
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

} // namespace

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
    for (auto const* const key : {"tags", "security", "x-retry", "x-timeouts"})
        compare_key(old_.view, now_.view, {key}, requests_);
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
    for (auto const* const key : {"style", "explode"})
        compare_key(old.view, now.view, {key, ChangeClass::stricter, true}, requests_);
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
    compare_content(old.view.child("content"), now.view.child("content"), requests_);
}

// A text has no type of its own: the types that the schema accepts decide what it is read as. What
// reads a text differently can refuse it, although the schema accepts more values.
void OperationComparison::compare_texts(SchemaView const& old, SchemaView const& now,
                                        std::size_t depth) {
    constexpr std::size_t deepest = 3; // lists and objects of parameters hold plain values
    if (depth > deepest || (now.accepts_all() && old.accepts_all())) return;
    TypeBits const before = types_of(parts_of(old));
    TypeBits const after = types_of(parts_of(now));
    if (before != after) {
        Change change = change_at(below(now.pointer, "type"), "type: texts are read in another way",
                                  ChangeClass::stricter, true);
        change.before = shown(old.find("type"));
        change.after = shown(now.find("type"));
        requests_.add(std::move(change));
        return;
    }
    for (auto const& part : parts_of(now)) {
        if (part.view.find("items") != nullptr) {
            SchemaView own;
            for (auto const& other : parts_of(old))
                if (own.node == nullptr) own = other.view.child("items");
            compare_texts(own, part.view.child("items"), depth + 1);
        }
        yaml::Node const* const properties = part.view.find("properties");
        if (properties == nullptr) continue;
        for (auto const& entry : properties->entries()) {
            SchemaView own;
            for (auto const& other : parts_of(old))
                if (own.node == nullptr) own = other.view.child("properties", entry.key);
            compare_texts(own, part.view.child("properties", entry.key), depth + 1);
        }
    }
}

} // namespace sallyport::contract

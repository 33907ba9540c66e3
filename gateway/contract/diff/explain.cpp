// Names the rules by which two schemas differ.
#include "gateway/contract/diff/explain.h"

#include <algorithm>
#include <array>
#include <utility>

namespace sallyport::contract {

namespace yaml = config::yaml;

namespace {

using Kind = SchemaRule::Kind;

// Whether the rule applies one schema to a property, an item or a name.
[[nodiscard]] bool has_schema(Kind kind) noexcept {
    constexpr std::array list{Kind::item,   Kind::rest,  Kind::property,        Kind::matching,
                              Kind::others, Kind::names, Kind::dependent_schema};
    return std::find(list.begin(), list.end(), kind) != list.end();
}

[[nodiscard]] std::string quoted(std::string const& text) {
    return '"' + text + '"';
}

// The keyword of a rule that is there, of two that mean the same.
[[nodiscard]] std::string keyword_of(SchemaView const& view, SchemaRule const& rule) {
    if (rule.kind == Kind::lower && view.find("minimum") == nullptr) return "exclusiveMinimum";
    if (rule.kind == Kind::upper && view.find("maximum") == nullptr) return "exclusiveMaximum";
    return rule.keyword;
}

[[nodiscard]] bool has_rule(SchemaView const& view, SchemaRule const& rule) {
    if (rule.kind == Kind::values)
        return view.find("enum") != nullptr || view.find("const") != nullptr;
    if (rule.kind == Kind::item)
        return view.find("prefixItems") != nullptr || view.find("items") != nullptr;
    return view.find(keyword_of(view, rule)) != nullptr;
}

// What a schema says of a rule.
[[nodiscard]] std::string value_of(SchemaView const& view, SchemaRule const& rule) {
    switch (rule.kind) {
    case Kind::required: return {};
    case Kind::dependent: return {};
    case Kind::never: return view.accepts_none() ? "false" : "";
    case Kind::values: return shown(view.find(view.find("enum") != nullptr ? "enum" : "const"));
    case Kind::property:
    case Kind::matching:
    case Kind::dependent_schema: return shown(view.child(rule.keyword, rule.name).node);
    case Kind::when: return {};
    default: return shown(view.find(keyword_of(view, rule)));
    }
}

} // namespace

void Explainer::add(Change change) {
    change.operation = subject_.operation;
    change.method = subject_.method;
    change.path = subject_.path;
    change.is_of_response = subject_.is_of_response;
    // Responses are never refused.
    if (change.is_of_response) change.kind = ChangeClass::neutral;
    if (change.is_of_response || change.kind != ChangeClass::stricter) change.is_undecided = false;
    ++explained_;
    if (!added_.insert({change.where, change.what, change.before, change.after}).second) return;
    changes_.push_back(std::move(change));
}

void Explainer::compare(SchemaView const& old, SchemaView const& now) {
    explain({forward_, ChangeClass::stricter}, old, now);
    explain({backward_, ChangeClass::looser}, now, old);
}

void Explainer::explain(Direction const& direction, SchemaView const& from, SchemaView const& to) {
    if (direction.implication.implies(from, to) == Verdict::implied) return;
    auto const [seen, is_new] =
        seen_.emplace(std::tuple{from.node, to.node, direction.kind}, false);
    if (!is_new) {
        if (seen->second) ++explained_;
        return;
    }
    std::size_t const before = explained_;
    SchemaParts const parts = parts_of(from);
    SchemaParts const all = parts_of(to);
    for (auto const& part : all) {
        for (auto const& rule : Implication::rules_of(part, parts)) {
            Verdict const verdict = direction.implication.implies(from, parts, rule, part, all);
            if (verdict != Verdict::implied) explain_rule(direction, {parts, rule, part, verdict});
        }
    }
    // What was decided while a schema was compared with itself may have no rule of its own.
    bool const is_forward = direction.kind == ChangeClass::stricter;
    if (explained_ == before && is_forward) {
        Change change = change_at(to.pointer, "schema", direction.kind, true);
        change.before = shown(from.node);
        change.after = shown(to.node);
        add(std::move(change));
    }
    seen->second = explained_ != before;
}

void Explainer::explain_rule(Direction const& direction, Place const& place) {
    using Unmatched = Implication::Unmatched;
    SchemaRule const& rule = place.rule;
    SchemaPart const* candidate = nullptr;
    for (auto const& part : place.parts) {
        bool const is_better =
            candidate == nullptr || (!has_rule(candidate->view, rule) && has_rule(part.view, rule));
        if (is_better) candidate = &part;
        if (rule.kind == Kind::property
            && part.view.child("properties", rule.name).node != nullptr) {
            candidate = &part;
            break;
        }
    }
    if (has_schema(rule.kind) && candidate != nullptr) {
        SchemaView const from = direction.implication.applied_by(*candidate, rule, Unmatched::is);
        SchemaView const to = direction.implication.applied_by(place.to, rule, Unmatched::is_not);
        bool const are_both =
            from.node != nullptr && to.node != nullptr && !to.accepts_none() && !from.accepts_all();
        if (are_both) return explain(direction, from, to);
    }
    add_rule(direction, place, candidate);
}

void Explainer::add_rule(Direction const& direction, Place const& place, SchemaPart const* from) {
    SchemaRule const& rule = place.rule;
    bool const is_forward = direction.kind == ChangeClass::stricter;
    Change change;
    change.kind = direction.kind;
    change.is_undecided = place.verdict == Verdict::undecided;
    SchemaView const none;
    SchemaView const& other = from != nullptr ? from->view : none;
    SchemaView const& own = place.to.view;
    // Of the new document, if it has the rule.
    bool const is_in_other = !is_forward && has_rule(other, rule);
    SchemaView const& holder = is_in_other ? other : own;
    change.what = keyword_of(holder, rule);
    change.where = rule.kind == Kind::never ? holder.pointer : below(holder.pointer, change.what);
    std::string before = value_of(other, rule);
    std::string after = value_of(own, rule);
    if (rule.kind == Kind::property) {
        bool const is_declared = own.child("properties", rule.name).node != nullptr;
        bool const is_added = is_declared == is_forward;
        change.what = is_added ? "property added" : "property removed";
        change.where = is_declared ? below(below(own.pointer, "properties"), rule.name)
                                   : below(own.pointer, "additionalProperties");
        SchemaView const declared = other.child("properties", rule.name);
        if (!is_forward && declared.node != nullptr) change.where = declared.pointer;
        before = shown(declared.node);
        if (!is_declared) after = "false";
    } else if (rule.kind == Kind::matching || rule.kind == Kind::dependent_schema) {
        change.where = below(change.where, rule.name);
    } else if (rule.kind == Kind::required) {
        after = quoted(rule.name);
    } else if (rule.kind == Kind::dependent) {
        change.where = below(change.where, rule.name);
        after = quoted(rule.other);
    } else if (rule.kind == Kind::when) {
        change.where = below(change.where, std::to_string(rule.index));
        after = shown(own.child("x-when", rule.index).node);
    } else if (rule.kind == Kind::item && rule.keyword == "prefixItems") {
        change.where = below(change.where, std::to_string(rule.index));
    }
    if (!is_forward) before.swap(after);
    change.before = std::move(before);
    change.after = std::move(after);
    add(std::move(change));
}

} // namespace sallyport::contract

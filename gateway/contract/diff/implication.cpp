// Whether one schema implies another: the rules of a schema, and the parts that imply them.
#include "gateway/contract/diff/implication.h"

#include "gateway/contract/diff/plain_rules.h"
#include "gateway/contract/schema/constants.h"

#include <algorithm>
#include <array>
#include <utility>

namespace sallyport::contract {

namespace yaml = config::yaml;

namespace {

using Kind = SchemaRule::Kind;

struct Row {
    std::string_view keyword;
    Kind kind;
};
// One rule each.
constexpr std::array plain_rows{
    Row{"type", Kind::type},           Row{"multipleOf", Kind::multiple},
    Row{"minLength", Kind::least},     Row{"maxLength", Kind::most},
    Row{"pattern", Kind::pattern},     Row{"format", Kind::format},
    Row{"minItems", Kind::least},      Row{"maxItems", Kind::most},
    Row{"minProperties", Kind::least}, Row{"maxProperties", Kind::most},
    Row{"contains", Kind::contains},   Row{"propertyNames", Kind::names},
    Row{"not", Kind::negation},        Row{"anyOf", Kind::any_of},
    Row{"oneOf", Kind::one_of},        Row{"if", Kind::condition},
    Row{"$dynamicRef", Kind::dynamic},
};

[[nodiscard]] bool is_true(SchemaView const& view, std::string_view keyword) {
    yaml::Node const* const value = view.find(keyword);
    return value != nullptr && is_set(*value);
}

void add_plain(SchemaView const& view, std::vector<SchemaRule>& rules) {
    for (auto const& row : plain_rows)
        if (view.find(row.keyword) != nullptr)
            rules.push_back({row.kind, std::string{row.keyword}});
    if (view.find("enum") != nullptr || view.find("const") != nullptr) {
        rules.push_back({Kind::values, view.find("enum") != nullptr ? "enum" : "const"});
    }
    if (view.find("minimum") != nullptr || view.find("exclusiveMinimum") != nullptr)
        rules.push_back({Kind::lower, "minimum"});
    if (view.find("maximum") != nullptr || view.find("exclusiveMaximum") != nullptr)
        rules.push_back({Kind::upper, "maximum"});
    if (is_true(view, "uniqueItems")) rules.push_back({Kind::unique, "uniqueItems"});
    if (is_true(view, "readOnly")) rules.push_back({Kind::read_only, "readOnly"});
    if (view.find("contains") != nullptr && view.find("maxContains") != nullptr)
        rules.push_back({Kind::most_contained, "maxContains"});
    for (auto const* const keyword : {"unevaluatedItems", "unevaluatedProperties"})
        if (!view.child(keyword).accepts_all())
            rules.push_back({Kind::unevaluated, keyword, keyword});
    yaml::Node const* const whens = view.find("x-when");
    for (std::size_t i = 0; whens != nullptr && i < whens->items().size(); ++i)
        rules.push_back({Kind::when, "x-when", {}, {}, i});
}

void add_items(SchemaView const& view, SchemaParts const& from, std::vector<SchemaRule>& rules) {
    auto const prefix_of = [](SchemaView const& one) {
        yaml::Node const* const prefix = one.find("prefixItems");
        return prefix != nullptr ? prefix->items().size() : 0;
    };
    if (view.find("items") == nullptr && prefix_of(view) == 0) return;
    std::size_t count = prefix_of(view);
    for (auto const& part : from)
        count = std::max(count, prefix_of(part.view));
    for (std::size_t i = 0; i < count; ++i) {
        bool const is_prefix = i < prefix_of(view);
        rules.push_back({Kind::item, is_prefix ? "prefixItems" : "items", {}, {}, i});
    }
    if (view.find("items") != nullptr) rules.push_back({Kind::rest, "items"});
}

void add_names(yaml::Node const* mapping, std::vector<std::string>& names) {
    if (mapping == nullptr) return;
    for (auto const& entry : mapping->entries())
        if (std::find(names.begin(), names.end(), entry.key) == names.end())
            names.push_back(entry.key);
}

// Names of properties whose schemas say required: true, which is read as such a name.
[[nodiscard]] std::vector<std::string> flagged_names(SchemaView const& view) {
    std::vector<std::string> names;
    yaml::Node const* const properties = view.find("properties");
    if (properties == nullptr) return names;
    for (auto const& entry : properties->entries()) {
        yaml::Node const* const flag = entry.value.find("required");
        if (flag != nullptr && flag->as_boolean()) names.push_back(entry.key);
    }
    return names;
}

void add_members(SchemaView const& view, SchemaParts const& from, std::vector<SchemaRule>& rules) {
    bool const is_open = view.child("additionalProperties").accepts_all();
    std::vector<std::string> names;
    add_names(view.find("properties"), names);
    for (auto const& part : from)
        if (!is_open) add_names(part.view.find("properties"), names);
    for (auto& name : names)
        rules.push_back({Kind::property, "properties", std::move(name)});
    std::vector<std::string> patterns;
    add_names(view.find("patternProperties"), patterns);
    for (auto& name : patterns)
        rules.push_back({Kind::matching, "patternProperties", std::move(name)});
    if (!is_open) rules.push_back({Kind::others, "additionalProperties"});
    if (yaml::Node const* const required = view.find("required"); required != nullptr)
        for (auto const& one : required->items())
            rules.push_back({Kind::required, "required", one.text()});
    for (auto& name : flagged_names(view))
        rules.push_back({Kind::required, "required", std::move(name)});
    if (yaml::Node const* const dependent = view.find("dependentRequired"); dependent != nullptr)
        for (auto const& entry : dependent->entries())
            for (auto const& one : entry.value.items())
                rules.push_back({Kind::dependent, "dependentRequired", entry.key, one.text()});
    std::vector<std::string> triggers;
    add_names(view.find("dependentSchemas"), triggers);
    for (auto& name : triggers)
        rules.push_back({Kind::dependent_schema, "dependentSchemas", std::move(name)});
}

// OpenAPI 3.0, 4.7.24.2: a property that is only for responses is not required in requests.
[[nodiscard]] bool is_exempt(SchemaParts const& parts, std::string const& name) {
    return std::any_of(parts.begin(), parts.end(), [&name](SchemaPart const& part) {
        if (!part.view.is_of_3_0()) return false;
        auto const own = parts_of(part.view.child("properties", name));
        return std::any_of(own.begin(), own.end(),
                           [](SchemaPart const& one) { return is_true(one.view, "readOnly"); });
    });
}

[[nodiscard]] bool requires_name(SchemaParts const& parts, std::string const& name) {
    bool const is_listed = std::any_of(parts.begin(), parts.end(), [&name](SchemaPart const& part) {
        yaml::Node const* const required = part.view.find("required");
        auto const flagged = flagged_names(part.view);
        bool const is_flagged = std::find(flagged.begin(), flagged.end(), name) != flagged.end();
        return is_flagged
               || (required != nullptr
                   && std::any_of(required->items().begin(), required->items().end(),
                                  [&name](auto const& one) { return one.text() == name; }));
    });
    return is_listed && !is_exempt(parts, name);
}

// Rules that refuse null, if they do, although the other schema accepts it in any case.
[[nodiscard]] bool concerns_null(Kind kind) noexcept {
    constexpr std::array list{Kind::negation, Kind::any_of, Kind::one_of,    Kind::condition,
                              Kind::when,     Kind::opaque, Kind::read_only, Kind::dynamic};
    return std::find(list.begin(), list.end(), kind) != list.end();
}

} // namespace

std::vector<SchemaRule> Implication::rules_of(SchemaPart const& part, SchemaParts const& from) {
    if (part.view.accepts_none()) return {{Kind::never, "false"}};
    if (part.view.is_opaque()) return {{Kind::opaque, "$schema"}};
    std::vector<SchemaRule> rules;
    add_plain(part.view, rules);
    add_items(part.view, from, rules);
    add_members(part.view, from, rules);
    return rules;
}

std::string const& Implication::text_of(SchemaView const& view) {
    auto const known = texts_.find(view.node);
    if (known != texts_.end()) return known->second;
    return texts_.emplace(view.node, expanded_text(view)).first->second;
}

Pattern const* Implication::pattern(std::string const& text) {
    auto const known = patterns_.find(text);
    if (known != patterns_.end()) return known->second.get();
    return patterns_.emplace(text, Pattern::make(text).pattern).first->second.get();
}

Verdict Implication::implies(SchemaView const& from, SchemaView const& to) {
    if (to.accepts_all()) return Verdict::implied;
    if (from.accepts_none()) return Verdict::implied;
    Pair const pair{from.node, to.node};
    if (auto const known = known_.find(pair); known != known_.end()) return known->second;
    // A value is finite: it is enough that the schemas agree about everything inside it.
    if (auto const open = open_.find(pair); open != open_.end()) {
        lowest_ = std::min(lowest_, open->second);
        return Verdict::implied;
    }
    std::size_t const depth = open_.size();
    if (depth > max_schema_depth_of_comparison) return Verdict::undecided;
    std::size_t const lowest_before = std::exchange(lowest_, SIZE_MAX);
    open_.emplace(pair, depth);
    Verdict const verdict = compare(from, to);
    open_.erase(pair);
    // What rests on an assumption that is still open is not known for good.
    bool const is_final = verdict != Verdict::implied || lowest_ >= depth;
    if (is_final) known_.emplace(pair, verdict);
    lowest_ = std::min(lowest_before, lowest_ >= depth ? SIZE_MAX : lowest_);
    return verdict;
}

Verdict Implication::compare(SchemaView const& from, SchemaView const& to) {
    if (from.node != nullptr && !from.is_opaque() && !to.is_opaque()) {
        std::string const& text = text_of(from);
        if (!text.empty() && text == text_of(to)) return Verdict::implied;
    }
    SchemaParts const parts = parts_of(from);
    SchemaParts const all = parts_of(to);
    for (auto const& part : all) {
        for (auto const& rule : rules_of(part, parts)) {
            Verdict const verdict = implies(from, parts, rule, part, all);
            if (verdict != Verdict::implied) return verdict;
        }
    }
    return Verdict::implied;
}

Verdict Implication::implies(SchemaView const& from, SchemaParts const& parts,
                             SchemaRule const& rule, SchemaPart const& to, SchemaParts const& all) {
    TypeBits const types = types_of(parts);
    if ((types & bound_types(rule)) == 0) return Verdict::implied;
    if (rule.kind == Kind::required) {
        bool const is_needed = !is_exempt(all, rule.name);
        return !is_needed || requires_name(parts, rule.name) ? Verdict::implied : Verdict::refuted;
    }
    // What does not apply at all is implied even by a schema without rules.
    if (parts.empty()) {
        if (rule.kind == Kind::any_of)
            return is_form_of(from, to) ? Verdict::implied : Verdict::undecided;
        return part_implies({{}, false}, rule, to);
    }
    Verdict best = Verdict::refuted;
    for (auto const& part : parts) {
        if (part.view.is_opaque()) continue;
        Verdict verdict = part_implies(part, rule, to);
        bool const leaks_null = part.is_nullable && !to.is_nullable && concerns_null(rule.kind);
        if (leaks_null && verdict == Verdict::implied) verdict = Verdict::undecided;
        if (verdict == Verdict::implied) return verdict;
        best = std::min(best, verdict);
    }
    return rule.kind == Kind::any_of && is_form_of(from, to) ? Verdict::implied : best;
}

Verdict Implication::part_implies(SchemaPart const& from, SchemaRule const& rule,
                                  SchemaPart const& to) {
    yaml::Node const* const own = from.view.find(rule.keyword);
    switch (rule.kind) {
    case Kind::opaque:
    case Kind::dynamic: return Verdict::undecided;
    case Kind::never: {
        TypeBits const passing = to.is_nullable ? type_bits::null : TypeBits{0};
        return (types_of(from) & ~passing) == 0 ? Verdict::implied : Verdict::refuted;
    }
    case Kind::type: return type_implies(from, to);
    case Kind::values: return contract::values_imply(from, to);
    case Kind::lower:
    case Kind::upper:
    case Kind::least:
    case Kind::most: return bound_implies(from, rule, to);
    case Kind::multiple: return multiple_implies(from, to);
    case Kind::format: return format_implies(from, to);
    case Kind::pattern:
        if (own == nullptr) return Verdict::refuted;
        if (from_ == From::unchecked && pattern(own->text()) == nullptr) return Verdict::undecided;
        return own->text() == to.view.find("pattern")->text() ? Verdict::implied
                                                              : Verdict::undecided;
    case Kind::unique:
        return is_true(from.view, "uniqueItems") ? Verdict::implied : Verdict::refuted;
    case Kind::read_only:
        return is_true(from.view, "readOnly") ? Verdict::implied : Verdict::undecided;
    case Kind::contains:
    case Kind::most_contained: return contains_implies(from, rule, to);
    case Kind::negation:
    case Kind::any_of:
    case Kind::one_of:
    case Kind::condition:
    case Kind::unevaluated: return forms_imply(from, rule, to);
    case Kind::when: return when_is_implied(from, rule, to);
    default: return members_imply(from, rule, to);
    }
}

} // namespace sallyport::contract

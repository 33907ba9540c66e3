// Rules that contain schemas.
#include "gateway/contract/diff/implication.h"

#include "gateway/contract/diff/plain_rules.h"
#include "gateway/contract/schema/constants.h"
#include "gateway/contract/text/decimal.h"

#include <algorithm>
#include <utility>

namespace sallyport::contract {

namespace yaml = config::yaml;

bool Implication::has_matching(SchemaView const& view, std::string const& name, Unmatched unknown) {
    yaml::Node const* const patterns = view.find("patternProperties");
    if (patterns == nullptr) return false;
    auto const matches = [&](yaml::Entry const& entry) {
        Pattern const* const one = pattern(entry.key);
        return one != nullptr ? one->is_in(name) : unknown == Unmatched::is;
    };
    return std::any_of(patterns->entries().begin(), patterns->entries().end(), matches);
}

SchemaView Implication::applied_by(SchemaPart const& part, SchemaRule const& rule,
                                   Unmatched unknown) {
    SchemaView const& view = part.view;
    if (rule.kind == Kind::property) {
        SchemaView own = view.child("properties", rule.name);
        if (own.node != nullptr) return own;
        if (has_matching(view, rule.name, unknown)) return {};
        return view.child("additionalProperties");
    }
    if (rule.kind == Kind::item) {
        SchemaView own = view.child("prefixItems", rule.index);
        return own.node != nullptr ? own : view.child("items");
    }
    if (rule.kind == Kind::matching) return view.child("patternProperties", rule.name);
    if (rule.kind == Kind::dependent_schema) return view.child("dependentSchemas", rule.name);
    return view.child(rule.keyword); // items, additionalProperties, propertyNames
}

Verdict Implication::members_imply(SchemaPart const& from, SchemaRule const& rule,
                                   SchemaPart const& to) {
    switch (rule.kind) {
    case Kind::others: return others_imply(from, to);
    case Kind::matching: return matching_implies(from, rule, to);
    case Kind::dependent: {
        yaml::Node const* const all = from.view.find("dependentRequired");
        yaml::Node const* const own = all != nullptr ? all->find(rule.name) : nullptr;
        bool const is_listed =
            own != nullptr
            && std::any_of(own->items().begin(), own->items().end(),
                           [&rule](auto const& one) { return one.text() == rule.other; });
        return is_listed ? Verdict::implied : Verdict::refuted;
    }
    default: break;
    }
    bool const is_rest = rule.kind == Kind::rest;
    SchemaView const old = applied_by(from, rule, Unmatched::is);
    SchemaView const now = applied_by(to, rule, Unmatched::is_not);
    // Without items, what is behind prefixItems is any.
    return is_rest && from.view.find("items") == nullptr ? implies(SchemaView{}, now)
                                                         : implies(old, now);
}

// For names that neither declares by itself.
Verdict Implication::others_imply(SchemaPart const& from, SchemaPart const& to) {
    SchemaView const now = to.view.child("additionalProperties");
    yaml::Node const* const patterns = from.view.find("patternProperties");
    yaml::Node const* const known = to.view.find("patternProperties");
    if (patterns != nullptr && from_ == From::unchecked) return Verdict::undecided;
    Verdict worst = implies(from.view.child("additionalProperties"), now);
    if (patterns == nullptr) return worst;
    for (auto const& entry : patterns->entries()) {
        if (known != nullptr && known->find(entry.key) != nullptr) continue;
        Verdict const one = implies(from.view.child("patternProperties", entry.key), now);
        if (one != Verdict::implied) worst = std::max(worst, Verdict::undecided);
    }
    return worst;
}

Verdict Implication::matching_implies(SchemaPart const& from, SchemaRule const& rule,
                                      SchemaPart const& to) {
    SchemaView const now = to.view.child("patternProperties", rule.name);
    if (now.accepts_all()) return Verdict::implied;
    SchemaView const old = from.view.child("patternProperties", rule.name);
    if (old.node != nullptr) {
        if (from_ == From::unchecked && pattern(rule.name) == nullptr) return Verdict::undecided;
        return implies(old, now);
    }
    // Such names are among the undeclared ones, unless something else declares them.
    Pattern const* const matcher = pattern(rule.name);
    yaml::Node const* const declared = from.view.find("properties");
    bool const is_declared =
        matcher == nullptr || from.view.find("patternProperties") != nullptr
        || (declared != nullptr
            && std::any_of(declared->entries().begin(), declared->entries().end(),
                           [&](auto const& entry) { return matcher->is_in(entry.key); }));
    SchemaView const others = from.view.child("additionalProperties");
    if (!is_declared && implies(others, now) == Verdict::implied) return Verdict::implied;
    return Verdict::undecided;
}

namespace {

[[nodiscard]] std::string count_of(SchemaView const& view, std::string_view keyword,
                                   std::string fallback) {
    yaml::Node const* const value = view.find(keyword);
    auto text = value != nullptr ? bound_text(*value) : std::nullopt;
    return text ? std::move(*text) : std::move(fallback);
}

[[nodiscard]] int compare_counts(std::string const& left, std::string const& right) {
    return Decimal::compare(Decimal{std::string_view{left}}, Decimal{std::string_view{right}});
}

} // namespace

Verdict Implication::contains_implies(SchemaPart const& from, SchemaRule const& rule,
                                      SchemaPart const& to) {
    SchemaView const old = from.view.child("contains");
    SchemaView const now = to.view.child("contains");
    bool const is_there = from.view.find("contains") != nullptr;
    if (rule.kind == Kind::contains) {
        std::string const least = count_of(to.view, "minContains", "1");
        if (compare_counts(least, "0") == 0) return Verdict::implied;
        if (!is_there) return Verdict::refuted;
        if (compare_counts(count_of(from.view, "minContains", "1"), least) < 0)
            return Verdict::refuted;
        return implies(old, now) == Verdict::implied ? Verdict::implied : Verdict::undecided;
    }
    if (!is_there || from.view.find("maxContains") == nullptr) return Verdict::refuted;
    if (from_ == From::unchecked) return Verdict::undecided;
    if (compare_counts(count_of(from.view, "maxContains", ""), count_of(to.view, "maxContains", ""))
        > 0) {
        return Verdict::refuted;
    }
    return implies(now, old) == Verdict::implied ? Verdict::implied : Verdict::undecided;
}

bool Implication::are_equal(SchemaView const& left, SchemaView const& right) {
    return implies(left, right) == Verdict::implied && implies(right, left) == Verdict::implied;
}

Verdict Implication::forms_imply(SchemaPart const& from, SchemaRule const& rule,
                                 SchemaPart const& to) {
    std::string const& text = text_of(from.view);
    if (!text.empty() && text == text_of(to.view)) return Verdict::implied;
    if (rule.kind == Kind::any_of) return any_of_is_implied(from, to);
    if (rule.kind == Kind::unevaluated) {
        return from.view.find(rule.name) == nullptr ? Verdict::refuted : Verdict::undecided;
    }
    if (rule.kind == Kind::condition) {
        SchemaView const then_now = to.view.child("then");
        SchemaView const else_now = to.view.child("else");
        if (then_now.accepts_all() && else_now.accepts_all()) return Verdict::implied;
        bool const is_same = from_ == From::enforced && from.view.find("if") != nullptr
                             && are_equal(from.view.child("if"), to.view.child("if"))
                             && implies(from.view.child("then"), then_now) == Verdict::implied
                             && implies(from.view.child("else"), else_now) == Verdict::implied;
        return is_same ? Verdict::implied : Verdict::undecided;
    }
    if (from.view.find(rule.keyword) == nullptr) return Verdict::refuted;
    if (from_ == From::unchecked) return Verdict::undecided;
    if (rule.kind == Kind::one_of) return one_of_is_implied(from, to);
    return implies(to.view.child("not"), from.view.child("not")) == Verdict::implied
               ? Verdict::implied
               : Verdict::undecided;
}

// Whether the schema is one of the forms of an anyOf.
bool Implication::is_form_of(SchemaView const& form, SchemaPart const& to) {
    std::size_t const count = to.view.find("anyOf")->items().size();
    for (std::size_t i = 0; i < count; ++i)
        if (implies(form, to.view.child("anyOf", i)) == Verdict::implied) return true;
    return false;
}

// Each form of the first is one of the second.
Verdict Implication::any_of_is_implied(SchemaPart const& from, SchemaPart const& to) {
    for (auto const* const keyword : {"anyOf", "oneOf"}) {
        yaml::Node const* const forms = from.view.find(keyword);
        if (forms == nullptr) continue;
        bool are_taken = true;
        for (std::size_t i = 0; are_taken && i < forms->items().size(); ++i)
            are_taken = is_form_of(from.view.child(keyword, i), to);
        if (are_taken) return Verdict::implied;
    }
    return Verdict::undecided;
}

// The same forms, in any order: with another one, a value might match two.
Verdict Implication::one_of_is_implied(SchemaPart const& from, SchemaPart const& to) {
    std::size_t const count = to.view.find("oneOf")->items().size();
    if (from.view.find("oneOf")->items().size() != count) return Verdict::undecided;
    std::vector<bool> is_used(count, false);
    for (std::size_t i = 0; i < count; ++i) {
        SchemaView const form = from.view.child("oneOf", i);
        std::size_t j = 0;
        while (j < count && (is_used[j] || !are_equal(form, to.view.child("oneOf", j))))
            ++j;
        if (j == count) return Verdict::undecided;
        is_used[j] = true;
    }
    return Verdict::implied;
}

Verdict Implication::when_is_implied(SchemaPart const& from, SchemaRule const& rule,
                                     SchemaPart const& to) {
    SchemaView const entry = to.view.child("x-when", rule.index);
    SchemaView const now = entry.child("schema");
    if (now.accepts_all()) return Verdict::implied;
    std::string const labels = canonical_text(*entry.find("labels"));
    yaml::Node const* const whens = from.view.find("x-when");
    for (std::size_t i = 0; whens != nullptr && i < whens->items().size(); ++i) {
        SchemaView const old = from.view.child("x-when", i);
        if (canonical_text(*old.find("labels")) != labels) continue;
        return implies(old.child("schema"), now);
    }
    return implies(SchemaView{}, now) == Verdict::implied ? Verdict::implied : Verdict::refuted;
}

} // namespace sallyport::contract

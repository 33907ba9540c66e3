// Rules of one value on their own.
#include "gateway/contract/diff/plain_rules.h"

#include "gateway/contract/schema/constants.h"
#include "gateway/contract/schema/format.h"
#include "gateway/contract/text/decimal.h"
#include "gateway/text/ascii.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

namespace sallyport::contract {

namespace yaml = config::yaml;

namespace {

using Kind = SchemaRule::Kind;

// As the loader reads it, also in another letter case, or as YAML's null.
[[nodiscard]] TypeBits type_from(yaml::Node const& node) noexcept {
    if (node.is_null()) return type_bits::null;
    constexpr std::array names{
        std::pair{std::string_view{"null"}, type_bits::null},
        std::pair{std::string_view{"boolean"}, type_bits::boolean},
        std::pair{std::string_view{"integer"}, type_bits::integer},
        std::pair{std::string_view{"number"},
                  static_cast<TypeBits>(type_bits::number | type_bits::integer)},
        std::pair{std::string_view{"string"}, type_bits::string},
        std::pair{std::string_view{"array"}, type_bits::array},
        std::pair{std::string_view{"object"}, type_bits::object},
    };
    for (auto const& [known, bits] : names)
        if (text::equals_ignoring_case(known, node.text())) return bits;
    return 0;
}

[[nodiscard]] TypeBits type_of(yaml::Node const& value) {
    switch (value.kind()) {
    case yaml::Kind::null: return type_bits::null;
    case yaml::Kind::boolean: return type_bits::boolean;
    case yaml::Kind::integer: return type_bits::integer;
    case yaml::Kind::string: return type_bits::string;
    case yaml::Kind::sequence: return type_bits::array;
    case yaml::Kind::mapping: return type_bits::object;
    case yaml::Kind::number: break;
    }
    auto const text = number_text(value);
    bool const is_whole = text && Decimal{std::string_view{*text}}.is_integer();
    return is_whole ? type_bits::integer : type_bits::number;
}

// The values that enum and const leave; nullopt: neither is there.
[[nodiscard]] std::optional<std::vector<yaml::Node const*>> values_of(SchemaPart const& part) {
    yaml::Node const* const listed = part.view.find("enum");
    yaml::Node const* const only = part.view.find("const");
    if (listed == nullptr && only == nullptr) return std::nullopt;
    std::vector<yaml::Node const*> values;
    if (listed == nullptr) {
        values.push_back(only);
        return values;
    }
    for (auto const& one : listed->items())
        if (only == nullptr || canonical_text(one) == canonical_text(*only)) values.push_back(&one);
    return values;
}

struct Bound {
    std::string text;
    bool is_exclusive = false;
};

// Whether the first bound is at least as narrow as the second.
[[nodiscard]] bool is_narrower(Bound const& one, Bound const& other, bool is_lower) {
    int const order = Decimal::compare(Decimal{std::string_view{one.text}},
                                       Decimal{std::string_view{other.text}});
    if (order == 0) return one.is_exclusive || !other.is_exclusive;
    return is_lower ? order > 0 : order < 0;
}

// The narrower one of the keyword and of its exclusive form; a flag makes the keyword exclusive.
[[nodiscard]] std::optional<Bound> bound_of(SchemaPart const& part, std::string_view keyword) {
    bool const is_range = keyword == "minimum" || keyword == "maximum";
    bool const is_lower = keyword.starts_with("min");
    std::optional<Bound> best;
    auto const take = [&](yaml::Node const* value, bool is_exclusive) {
        if (value == nullptr) return;
        auto text = bound_text(*value);
        if (!text) return;
        Bound one{std::move(*text), is_exclusive};
        if (!best || is_narrower(one, *best, is_lower)) best = std::move(one);
    };
    yaml::Node const* const exclusive =
        is_range ? part.view.find(is_lower ? "exclusiveMinimum" : "exclusiveMaximum") : nullptr;
    bool const is_flag = exclusive != nullptr && exclusive->is_boolean();
    take(part.view.find(keyword), is_flag && exclusive->as_boolean());
    if (!is_flag) take(exclusive, true);
    return best;
}

} // namespace

std::string canonical_text(yaml::Node const& value) {
    std::string text;
    if (value.is_number()) {
        auto const number = number_text(value);
        if (!number) return value.text();
        Decimal{std::string_view{*number}}.append_canonical(text);
        return text;
    }
    if (value.is_scalar()) {
        if (!append_json(text, value)) return value.text();
        return text;
    }
    if (value.is_sequence()) {
        text = "[";
        for (auto const& item : value.items())
            text += canonical_text(item) + ',';
        return text + ']';
    }
    std::set<std::string> entries;
    for (auto const& entry : value.entries()) {
        std::string one;
        append_json_string(one, entry.key);
        entries.insert(one + ':' + canonical_text(entry.value));
    }
    text = "{";
    for (auto const& one : entries)
        text += one + ',';
    return text + '}';
}

TypeBits types_of(SchemaPart const& part) {
    if (part.view.accepts_none()) return part.is_nullable ? type_bits::null : TypeBits{0};
    if (part.view.is_opaque()) return type_bits::any;
    TypeBits types = type_bits::any;
    if (yaml::Node const* const type = part.view.find("type"); type != nullptr) {
        types = type_from(*type);
        for (auto const& one : type->items())
            types |= type_from(one);
    }
    if (auto const values = values_of(part)) {
        TypeBits listed = 0;
        for (auto const* const one : *values)
            listed |= type_of(*one);
        types &= listed;
    }
    return part.is_nullable ? static_cast<TypeBits>(types | type_bits::null) : types;
}

TypeBits types_of(SchemaParts const& parts) {
    TypeBits types = type_bits::any;
    for (auto const& part : parts)
        types &= types_of(part);
    return types;
}

TypeBits bound_types(SchemaRule const& rule) noexcept {
    constexpr TypeBits numbers = type_bits::number | type_bits::integer;
    switch (rule.kind) {
    case Kind::lower:
    case Kind::upper:
    case Kind::multiple: return numbers;
    case Kind::least:
    case Kind::most:
        if (rule.keyword.ends_with("Length")) return type_bits::string;
        return rule.keyword.ends_with("Items") ? type_bits::array : type_bits::object;
    case Kind::pattern: return type_bits::string;
    case Kind::format: return type_bits::string | numbers;
    case Kind::unique:
    case Kind::item:
    case Kind::rest:
    case Kind::contains:
    case Kind::most_contained: return type_bits::array;
    case Kind::property:
    case Kind::matching:
    case Kind::others:
    case Kind::names:
    case Kind::required:
    case Kind::dependent:
    case Kind::dependent_schema: return type_bits::object;
    case Kind::unevaluated:
        return rule.name == "unevaluatedItems" ? type_bits::array : type_bits::object;
    default: return type_bits::any;
    }
}

Verdict type_implies(SchemaPart const& from, SchemaPart const& to) {
    TypeBits const lost = static_cast<TypeBits>(types_of(from) & ~types_of(to));
    // What enum of the same part leaves is another rule.
    TypeBits types = to.is_nullable ? type_bits::null : TypeBits{0};
    yaml::Node const& type = *to.view.find("type");
    types |= type_from(type);
    for (auto const& one : type.items())
        types |= type_from(one);
    return (lost & ~types) == 0 ? Verdict::implied : Verdict::refuted;
}

Verdict values_imply(SchemaPart const& from, SchemaPart const& to) {
    auto const old = values_of(from);
    auto const now = values_of(to);
    if (!old || !now) return Verdict::refuted;
    std::set<std::string> known;
    for (auto const* const one : *now)
        known.insert(canonical_text(*one));
    bool const takes_null = to.is_nullable || known.contains("null");
    if (from.is_nullable && !takes_null) return Verdict::refuted;
    bool const are_known = std::all_of(old->begin(), old->end(), [&](auto const* one) {
        return known.contains(canonical_text(*one)) || (one->is_null() && takes_null);
    });
    return are_known ? Verdict::implied : Verdict::refuted;
}

Verdict bound_implies(SchemaPart const& from, SchemaRule const& rule, SchemaPart const& to) {
    auto const old = bound_of(from, rule.keyword);
    auto const now = bound_of(to, rule.keyword);
    if (!now) return Verdict::implied;
    if (!old) return Verdict::refuted;
    return is_narrower(*old, *now, rule.keyword.starts_with("min")) ? Verdict::implied
                                                                    : Verdict::refuted;
}

Verdict multiple_implies(SchemaPart const& from, SchemaPart const& to) {
    auto const now = bound_text(*to.view.find("multipleOf"));
    yaml::Node const* const value = from.view.find("multipleOf");
    if (!now) return Verdict::undecided;
    Decimal const divisor{std::string_view{*now}};
    std::uint64_t coefficient = 0;
    if (!divisor.coefficient(coefficient) || coefficient == 0) return Verdict::undecided;
    if (value == nullptr) return Verdict::refuted;
    auto const old = bound_text(*value);
    if (!old) return Verdict::undecided;
    Decimal const own{std::string_view{*old}};
    std::uint64_t ignored = 0; // one that does not fit is unchecked
    bool const is_multiple =
        own.coefficient(ignored) && own.is_multiple_of(coefficient, divisor.exponent());
    return is_multiple ? Verdict::implied : Verdict::undecided;
}

Verdict format_implies(SchemaPart const& from, SchemaPart const& to) {
    auto const now = format_from(to.view.find("format")->text());
    if (!now) return Verdict::implied; // an annotation
    yaml::Node const* const value = from.view.find("format");
    auto const old = value != nullptr ? format_from(value->text()) : std::nullopt;
    if (!old) return Verdict::refuted;
    bool const is_wider = *old == Format::int32 && *now == Format::int64;
    return *old == *now || is_wider ? Verdict::implied : Verdict::undecided;
}

} // namespace sallyport::contract

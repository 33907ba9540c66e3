// Whether every value that is valid for one schema is valid for another.
#pragma once

#include "gateway/contract/diff/schema_view.h"
#include "gateway/contract/patterns/pattern.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sallyport::contract {

/// Beyond that depth of schemas nothing is decided.
inline constexpr std::size_t max_schema_depth_of_comparison = 200;

/// The result of a comparison, from best to worst.
enum class Verdict : std::uint8_t {
    implied,
    undecided, // it could not be shown
    refuted,   // a value is lost, as far as this rule is looked at alone
};

/// A rule of a schema on its own: the schema is valid where all of its rules are.
struct SchemaRule {
    enum class Kind : std::uint8_t {
        opaque,         // nothing is known of the schema
        never,          // false
        type,           // with nullable
        values,         // enum and const
        lower,          // minimum and exclusiveMinimum
        upper,          // maximum and exclusiveMaximum
        multiple,       // multipleOf
        least,          // minLength, minItems, minProperties
        most,           // maxLength, maxItems, maxProperties
        pattern,        // of a string
        format,         // of a string or a number
        unique,         // uniqueItems
        item,           // the item `index`, by prefixItems or items
        rest,           // all items behind them
        contains,       // and minContains
        most_contained, // maxContains
        property,       // the property `name`, by properties or additionalProperties
        matching,       // properties with names of the pattern `name`
        others,         // all other properties
        names,          // propertyNames
        required,       // the property `name`
        dependent,      // `other` where `name` is
        dependent_schema,
        negation, // not
        any_of,
        one_of,
        condition,   // if
        when,        // the entry `index` of x-when
        unevaluated, // `name`: unevaluatedItems or unevaluatedProperties
        dynamic,     // $dynamicRef
        read_only,
    };
    Kind kind = Kind::opaque;
    std::string keyword; // the one that stands for it
    std::string name = {};
    std::string other = {};
    std::size_t index = 0;
};

/// Compares schemas of two documents. Sound, not complete: `implied` holds for every value; the
/// other results may mean that it was not seen. Works on the rules of a schema one by one: a rule
/// is implied if one part of the other schema implies it.
class Implication {
public:
    /// Whether the first document leaves rules unchecked (Contract::unchecked): its `not`, `oneOf`
    /// and the like may let more pass than they say.
    enum class From : std::uint8_t { enforced, unchecked };
    explicit Implication(From from) : from_{from} {}

    [[nodiscard]] Verdict implies(SchemaView const& from, SchemaView const& to);

    /// The rules of `part`; `from` says which names and indexes are told apart.
    [[nodiscard]] static std::vector<SchemaRule> rules_of(SchemaPart const& part,
                                                          SchemaParts const& from);
    /// Whether `from`, whose parts are `parts`, implies a rule of `to`, a part of `all`.
    [[nodiscard]] Verdict implies(SchemaView const& from, SchemaParts const& parts,
                                  SchemaRule const& rule, SchemaPart const& to,
                                  SchemaParts const& all);
    /// The schema that a rule of a part applies to a property or an item.
    /// `unknown`: whether a name counts as one of a pattern that cannot be matched.
    enum class Unmatched : std::uint8_t { is_not, is };
    [[nodiscard]] SchemaView applied_by(SchemaPart const& part, SchemaRule const& rule,
                                        Unmatched unknown);

private:
    using Kind = SchemaRule::Kind;
    [[nodiscard]] Verdict part_implies(SchemaPart const& from, SchemaRule const& rule,
                                       SchemaPart const& to);
    [[nodiscard]] Verdict members_imply(SchemaPart const& from, SchemaRule const& rule,
                                        SchemaPart const& to);
    [[nodiscard]] Verdict others_imply(SchemaPart const& from, SchemaPart const& to);
    [[nodiscard]] Verdict matching_implies(SchemaPart const& from, SchemaRule const& rule,
                                           SchemaPart const& to);
    [[nodiscard]] Verdict contains_implies(SchemaPart const& from, SchemaRule const& rule,
                                           SchemaPart const& to);
    [[nodiscard]] Verdict forms_imply(SchemaPart const& from, SchemaRule const& rule,
                                      SchemaPart const& to);
    [[nodiscard]] Verdict any_of_is_implied(SchemaPart const& from, SchemaPart const& to);
    [[nodiscard]] bool is_form_of(SchemaView const& form, SchemaPart const& to);
    [[nodiscard]] Verdict one_of_is_implied(SchemaPart const& from, SchemaPart const& to);
    [[nodiscard]] bool are_equal(SchemaView const& left, SchemaView const& right);
    [[nodiscard]] Verdict when_is_implied(SchemaPart const& from, SchemaRule const& rule,
                                          SchemaPart const& to);
    [[nodiscard]] std::string const& text_of(SchemaView const& view);
    [[nodiscard]] Pattern const* pattern(std::string const& text);
    [[nodiscard]] bool has_matching(SchemaView const& view, std::string const& name,
                                    Unmatched unknown);
    [[nodiscard]] Verdict compare(SchemaView const& from, SchemaView const& to);

    using Pair = std::pair<config::yaml::Node const*, config::yaml::Node const*>;
    From from_;
    std::map<Pair, std::size_t> open_; // -> their depth
    std::map<Pair, Verdict> known_;
    std::map<config::yaml::Node const*, std::string> texts_;
    std::map<std::string, std::unique_ptr<Pattern const>> patterns_;
    std::size_t lowest_ = SIZE_MAX; // the outermost open pair that a result rests on
};

} // namespace sallyport::contract
